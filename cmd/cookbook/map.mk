# Draws a map of texts: each is a point, and texts with similar vectors are near each other.
#
#   make -f map.mk TEXTS=FILE OUT=FOLDER                      OUT/map.svg
#   make -f map.mk TEXTS=FILE OUT=FOLDER LABEL=topic          the same with a color for each value of `topic`
#
# The map shows the two directions in which the vectors differ most (principal component analysis); the axes name
# their share of the variance. OUT/map.tsv has the coordinates and labels. Needs gnuplot and python3-numpy.

$(if $(TEXTS),,$(error TEXTS=FILE says what to draw))
$(if $(OUT),,$(error OUT=FOLDER says where the map goes))
MODEL ?= $(BERT_MODEL)
LABEL ?=
# For example --text-field sentence, or --layers -2.
EMBED_OPTIONS ?=
SIZE ?= 800,600

SHELL = /bin/sh
.DELETE_ON_ERROR:

map: $(OUT)/map.svg # the default

$(OUT)/vectors.tsv: $(TEXTS)
	mkdir -p $(OUT)
	bert-embed $(MODEL:%=--model %) --normalize --format tsv $(LABEL:%=--keep %) $(EMBED_OPTIONS) -o $@ $<

# The singular vectors of the centred matrix; the sign that makes the largest coordinate positive.
define PCA
import sys
import numpy as np
lines = [line.rstrip("\n").split("\t") for line in sys.stdin]
labels = [line[0] for line in lines[1:]] if sys.argv[1] else ["texts"] * len(lines)
if not any(labels):
    sys.exit(f"no record has the field {sys.argv[1]}")
rows = np.array([line[1:] for line in lines[1:]] if sys.argv[1] else lines, float)
if len(rows) < 3:
    sys.exit("a map needs at least 3 texts")
u, s, _ = np.linalg.svd(rows - rows.mean(0), full_matrices=False)
points = u[:, :2] * s[:2]
points *= np.sign(points[abs(points).argmax(0), [0, 1]])
share = 100 * s[:2] ** 2 / (s ** 2).sum()
print(f"{share[0]:.0f} %\t{share[1]:.0f} %\tlabel")
for (x, y), label in zip(points, labels):
    print(f"{x:.4f}\t{y:.4f}\t{label}")
endef
export PCA

$(OUT)/map.tsv: $(OUT)/vectors.tsv
	/usr/bin/python3 -c "$$PCA" '$(LABEL)' <$< >$@

# One series for each label, in byte order.
define PLOT
set terminal svg size $(SIZE) background "white"
set datafile separator "\t"
set key noenhanced outside
set xlabel system("head -n 1 $(OUT)/map.tsv | cut -f 1")
set ylabel system("head -n 1 $(OUT)/map.tsv | cut -f 2")
labels = system("tail -n +2 $(OUT)/map.tsv | cut -f 3 | LC_ALL=C sort -u | sed 's/ /_/g'")
plot for [label in labels] "$(OUT)/map.points" using 1:(strcol(3) eq label ? column(2) : NaN) pointtype 7 pointsize 0.6 title label
endef
export PLOT

$(OUT)/map.svg: $(OUT)/map.tsv
	tail -n +2 $< | sed 's/ /_/g' >$(OUT)/map.points
	echo "$$PLOT" | gnuplot >$@
	rm $(OUT)/map.points
