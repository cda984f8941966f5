# Bad records stop the run, or are skipped as a whole.
printf '{"text":"good"}\n{"text":7}\n{"words":["fine",8]}\n{"text":"well"}\n' >records
bert-vocab --size 0 --counts counts.tsv records; echo "exit $?"
ls counts.tsv 2>/dev/null
bert-vocab --size 0 --counts counts.tsv --on-error skip records; echo "exit $?"
cat counts.tsv
printf 'a\t1\nb\nc\t0\nd\t9223372036854775808\ne\t1.5\nf\t2\n' >counts.tsv
bert-vocab --size 12 -q --on-error skip --counts counts.tsv; echo "exit $?"
printf 'a\t9223372036854775807\na\t1\n' | bert-vocab --counts -; echo "exit $?"
printf 'bad \377\n' | bert-vocab; echo "exit $?"
