# --columns with input that is detected as text must not silently be read as one field.
printf '1\tking\n' >table
cp table table.tsv
for input in table -; do
  bert-tokenize -m "$MODELS/bare" --columns id,text $input <table
  echo "exit $?"
done
bert-tokenize -m "$MODELS/bare" --columns id,text table.tsv
bert-tokenize -m "$MODELS/bare" --columns id,text --input-format tsv table
bert-tokenize -m "$MODELS/bare" --columns id,text </dev/null
echo '{"text":"king"}' | bert-tokenize -m "$MODELS/bare" --columns id,text
# The header line is no record.
printf 'id,text\n1,king\n' >table.csv
bert-tokenize -m "$MODELS/bare" --columns id,text --on-error skip table.csv
printf '"id","text"\n1,king\n' | bert-tokenize -m "$MODELS/bare" --columns id,text --input-format csv
bert-tokenize -m "$MODELS/bare" --columns text,id --format ids table.csv
bert-tokenize -m "$MODELS/bare" --columns id,id table.csv
echo "exit $?"
