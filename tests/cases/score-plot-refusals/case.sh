#!/bin/sh
# Plots that cannot be drawn: no gnuplot, in which case nothing is read; no plot for the task; gnuplot fails.
. "$CASE/../lib/plot.sh"
tool=$(command -v bert-score)
# shellcheck disable=SC2030
(PATH=$PWD && "$tool" --task classify --plot plot.svg labels.jsonl)
echo "exit $?"
[ -e plot.svg ] || echo 'no plot'
echo '-- refused'
bert-score --task tag --plot plot.svg labels.jsonl
bert-score --task classify --plot missing/plot.svg labels.jsonl
bert-score --task classify --plot labels.jsonl labels.jsonl
bert-score --task classify --plot plot.svg -o plot.svg labels.jsonl
bert-score --task classify --plot - labels.jsonl
bert-score --task classify --plot '' labels.jsonl
bert-score --task classify --plot plot.svg labels.jsonl >/dev/null
cp plot.svg before.svg
echo '{"label":"bad"}' | bert-score --task classify --plot plot.svg labels.jsonl -
cmp plot.svg before.svg && echo 'the old plot is kept'
printf '#!/bin/sh\n[ "$1" = --version ] && { echo gnuplot 5; exit; }\necho "no memory" >&2\nexit 1\n' >bin/gnuplot
chmod +x bin/gnuplot
bert-score --task classify --plot failed.svg labels.jsonl
echo "exit $?"
[ -e failed.svg ] || echo 'no plot'
