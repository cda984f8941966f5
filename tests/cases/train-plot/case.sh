#!/bin/sh
# The plot of a run is drawn by gnuplot; without gnuplot a run with --plot does not start.
golden=$MODELS/../training
cp "$golden/records.jsonl" dev.jsonl
train() { bert-train --task pretrain -m "$golden/narrow" --batch-size 8 --log-every 1 --steps 4 --out "$@" "$golden/records.jsonl" >/dev/null; echo "exit $?"; }
tool=$(command -v bert-train)
# shellcheck disable=SC2030
(PATH=$PWD && "$tool" --task pretrain -m "$golden/narrow" --steps 1 --out none --plot plot.svg "$golden/records.jsonl")
[ -e none ] || echo 'nothing was made'
# The plot itself; the message without gnuplot is tested above.
mkdir bin
command -v gnuplot >/dev/null || { printf '#!/bin/sh\ncat >script; echo gnuplot; echo "dev_mlm_loss nsp_accuracy </svg>"\n' >bin/gnuplot; chmod +x bin/gnuplot; }
# shellcheck disable=SC2031
PATH=$PWD/bin:$PATH
train run --dev dev.jsonl --eval-every 2 --plot plot.svg
for word in dev_mlm_loss nsp_accuracy '</svg>'; do grep -c "$word" plot.svg | sed 's/^[1-9][0-9]*$/drawn/'; done
train run2 --plot missing/plot.svg
[ -e run2 ] || echo 'nothing was made'
echo '--- a later failure of gnuplot does not end the run'
cat >bin/gnuplot <<'END'
#!/bin/sh
[ "$1" = --version ] && { echo gnuplot 5; exit; }
echo "no memory" >&2
exit 1
END
chmod +x bin/gnuplot
train run3 --plot failed.svg
ls run3
[ -e failed.svg ] || echo "no picture"
