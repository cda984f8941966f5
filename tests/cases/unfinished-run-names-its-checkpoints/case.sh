# The directory of an unfinished run has no model yet: each tool names the checkpoint to use, and --resume.
printf 'text\tlabel\nking\t1\nqueen\t2\n' >rows.tsv
bert-train --task regress -m "$MODELS/bare" --steps 2 --save-every 1 -o run rows.tsv >log
rm run/*.*
for tool in 'bert-predict -m run' 'bert-embed -m run' 'bert-tokenize -m run' 'bert-convert run --info' 'bert-train --task regress -o new -m run'; do
  # shellcheck disable=SC2086
  case $tool in *--info) $tool ;; *) $tool rows.tsv ;; esac
  echo "exit $?"
done
BERT_MODEL=run bert-predict rows.tsv
bert-predict -m run/checkpoints/step-00000002 rows.tsv | wc -l
bert-predict -m run/checkpoints rows.tsv
bert-predict -m run/checkpoints/ rows.tsv
