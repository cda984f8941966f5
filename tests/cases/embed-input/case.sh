# Input formats.
embed() { bert-embed -m "$MODELS/sharded" --dim 1 --precision 2 "$@"; }
printf '\357\273\277king\r\n\r\nold queen' | embed
echo '-- paragraphs'
printf 'the king\nis old\n\n\nqueen\n' | embed --input-format paragraphs
echo '-- file'
printf 'the king\nis old\n' >a.txt
printf 'queen' >b.txt
embed --input-format file a.txt b.txt
echo '-- tsv'
printf 'id\tbody\n1\tking\n2\tqueen\n' | embed --input-format tsv --text-field body
printf '1\tking\told queen\n' | embed --input-format tsv --columns id,a,b --text-field a --pair-field b --drop a,b
echo '-- jsonl'
printf '{"id": 7, "embedding": null, "body" : "king"}\n\n{"body":"queen","x":[1, 2]}' | embed --text-field body
echo '-- empty input'
: | embed
