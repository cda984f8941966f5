#!/bin/sh
# Plots of the scores are drawn by gnuplot: for labels, choices and numbers.
. "$CASE/../lib/plot.sh"
# drawn WORD...: which of the words are in the plot.
drawn() { for word; do grep -q "$word" plot.svg && echo "$word"; done; }
bert-score --task classify --plot plot.svg labels.jsonl
drawn 'Confusion matrix' 'predicted label' good bad 'Reliability diagram, ECE 0.267' '</svg>'
printf '{"label":%s,"prediction":%s,"scores":[0.5,0.25,0.25]}\n' 0 0 2 0 | bert-score --task choose --plot plot.svg
drawn 'Confusion matrix' 'Reliability diagram'
printf '{"label":%s,"prediction":%s}\n' 1 1.5 2 2.5 4 3 | bert-score --task regress --precision 4 --plot plot.svg
drawn '3 records, Pearson 0.929, Spearman 1.000' 'gold label' prediction
printf '{"label":"%s","prediction":"50%%"}\n' 50% 100%d | bert-score --task classify --metric accuracy --plot plot.svg
drawn 50% 100%
printf '{"label":1e300,"prediction":1e300}\n' | bert-score -q --task regress --metric pearson --plot plot.svg
echo '-- scores for some records only'
printf '%s\n' '{"label":"bad","prediction":"bad","scores":{"bad":2}}' '{"label":"bad","prediction":"bad"}' | cat labels.jsonl - >some.jsonl
bert-score --task classify --metric accuracy --plot plot.svg some.jsonl
drawn 'Confusion matrix' 'Reliability diagram'
bert-score --task classify --metric ece some.jsonl
echo "exit $?"
bert-score --task classify --metric ece --precision 3 labels.jsonl
