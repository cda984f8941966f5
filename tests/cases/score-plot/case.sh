# Plots of the scores are drawn by gnuplot; without gnuplot nothing is read.
cat >labels.jsonl <<'EOF'
{"id":1,"label":"good","prediction":"good","scores":{"bad":0.25,"good":0.75}}
{"id":2,"label":"bad","prediction":"good","scores":{"bad":0.45,"good":0.55}}
{"id":3,"label":"bad","prediction":"bad","scores":{"bad":1,"good":0}}
EOF
tool=$(command -v bert-score)
# shellcheck disable=SC2030
(PATH=$PWD && "$tool" --task classify --plot plot.svg labels.jsonl)
echo "exit $?"
[ -e plot.svg ] || echo 'no plot'
mkdir bin
command -v gnuplot >/dev/null || { printf '#!/bin/sh\ncat >script; echo gnuplot; cat script; echo "</svg>"\n' >bin/gnuplot; chmod +x bin/gnuplot; }
# shellcheck disable=SC2031
PATH=$PWD/bin:$PATH
# drawn WORD...: which of the words are in the plot.
drawn() { for word; do grep -q "$word" plot.svg && echo "$word"; done; }
bert-score --task classify --plot plot.svg labels.jsonl
drawn 'Confusion matrix' 'predicted label' good bad 'Reliability diagram, ECE 0.267' '</svg>'
printf '{"label":%s,"prediction":%s,"scores":[0.5,0.25,0.25]}\n' 0 0 2 0 | bert-score --task choose --plot plot.svg
drawn 'Confusion matrix' 'Reliability diagram'
printf '{"label":%s,"prediction":%s}\n' 1 1.5 2 2.5 4 3 | bert-score --task regress --precision 4 --plot plot.svg
drawn '3 records, Pearson 0.929, Spearman 1.000' 'gold label' prediction
echo '-- scores for some records only'
printf '%s\n' '{"label":"bad","prediction":"bad","scores":{"bad":2}}' '{"label":"bad","prediction":"bad"}' | cat labels.jsonl - >some.jsonl
bert-score --task classify --metric accuracy --plot plot.svg some.jsonl
drawn 'Confusion matrix' 'Reliability diagram'
bert-score --task classify --metric ece some.jsonl
echo "exit $?"
bert-score --task classify --metric ece --precision 3 labels.jsonl
echo '-- refused'
bert-score --task tag --plot plot.svg labels.jsonl
bert-score --task classify --plot missing/plot.svg labels.jsonl
cp plot.svg before.svg
echo '{"label":"bad"}' | bert-score --task classify --plot plot.svg labels.jsonl -
cmp plot.svg before.svg && echo 'the old plot is kept'
printf '#!/bin/sh\n[ "$1" = --version ] && { echo gnuplot 5; exit; }\necho "no memory" >&2\nexit 1\n' >bin/gnuplot
chmod +x bin/gnuplot
bert-score --task classify --plot failed.svg labels.jsonl
echo "exit $?"
[ -e failed.svg ] || echo 'no plot'
