# Draws a map of texts: each is a point, and texts with similar vectors are near each other.
#
#   make -f map.mk TEXTS=FILE OUT=FOLDER                      OUT/map.svg
#   make -f map.mk TEXTS=FILE OUT=FOLDER LABEL=topic          the same with a color for each value of `topic`
#
# The map shows the two directions in which the vectors differ most (principal component analysis); the axes name
# their shares of the variance. OUT/map.tsv has the coordinates and labels; the label of records without `topic` is
# (none). When texts, model or options change, make rebuilds the map.
#
# Needs GNU make 4, bash, gnuplot, python3-numpy and the tools in PATH. File names must not contain spaces.

$(if $(TEXTS),,$(error TEXTS=FILE says what to draw))
$(if $(OUT),,$(error OUT=FOLDER says where the map goes))
MODEL ?= $(BERT_MODEL)
LABEL ?=
# For example --text-field sentence, or --layers -2.
EMBED_OPTIONS ?=
SIZE ?= 800,600

EMBED = bert-embed $(MODEL:%=--model %) --normalize --format tsv $(LABEL:%=--keep %) $(EMBED_OPTIONS) $(TEXTS)
DRAW = gnuplot, size $(SIZE)

include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
$(call require,gnuplot)
$(call require_files,TEXTS MODEL)
$(if $(shell /usr/bin/python3 -c 'import numpy; print("yes")' 2>/dev/null),,$(error python3-numpy is not installed))

map: $(OUT)/map.svg # the default

$(OUT)/vectors.tsv: $(TEXTS) $(wildcard $(MODEL:%=%/*.*)) $(OUT)/EMBED.command
	$(EMBED) -o $@

# The singular vectors of the centred matrix; the sign that makes the largest coordinate positive.
define PCA
import sys
import numpy as np
texts, label = sys.argv[1:]
lines = [line.rstrip("\n").split("\t") for line in sys.stdin]
labels = [line[0] for line in lines[1:]] if label else ["texts"] * len(lines)
if len(labels) < 3:
    sys.exit(f"{texts}: number of texts: {len(labels)}; a map needs at least 3")
if not any(labels):
    sys.exit(f"{texts}: no record has the field {label}")
rows = np.array([line[1:] for line in lines[1:]] if label else lines, float)
u, s, _ = np.linalg.svd(rows - rows.mean(0), full_matrices=False)
points = u[:, :2] * s[:2]
points *= np.sign(points[abs(points).argmax(0), [0, 1]])
share = 100 * s[:2] ** 2 / (s ** 2).sum()
print("\t".join(f"component {i + 1}: {share[i]:.0f} % of the variance" for i in (0, 1)) + "\tlabel")
for (x, y), name in zip(points, labels):
    print(f"{x:.4f}\t{y:.4f}\t{name or '(none)'}")
endef
export PCA

$(OUT)/map.tsv: $(OUT)/vectors.tsv
	trap 'rm -f $@.part' EXIT
	/usr/bin/python3 -c "$$PCA" $(TEXTS) $(call quoted,$(LABEL)) <$< $(into)

# One series for each label, in byte order. gnuplot gets the number of the series, since it would interpret some
# characters of the labels in a list or in a data file; `system` returns a label as it is.
define PLOT
set encoding utf8
set terminal svg size $(SIZE) background "white"
set datafile separator "\t"
set key noenhanced outside
set xlabel system("head -n 1 $(OUT)/map.tsv | cut -f 1")
set ylabel system("head -n 1 $(OUT)/map.tsv | cut -f 2")
count = system("wc -l <$(OUT)/map.labels") + 0
label(i) = system(sprintf("sed -n %dp $(OUT)/map.labels", i))
plot for [i=1:count] "$(OUT)/map.points" using 1:($$3 == i ? $$2 : NaN) pointtype 7 pointsize 0.6 title label(i)
endef
export PLOT

$(OUT)/map.svg: $(OUT)/map.tsv $(OUT)/DRAW.command
	sed 1d $< | cut -f 3 | LC_ALL=C sort -u >$(OUT)/map.labels
	awk -F '\t' -v OFS='\t' '
	  NR == FNR { number[$$0] = NR; next }
	  FNR > 1 { print $$1, $$2, number[$$3] }' $(OUT)/map.labels $< >$(OUT)/map.points
	echo "$$PLOT" | gnuplot $(into)
	rm $(OUT)/map.labels $(OUT)/map.points
