# CoNLL-U by its columns: ranges, empty nodes and comments are left out; --word-column and --tag-column.
{
  printf '# newdoc id = d1\n# sent_id = 1\n# text = Don'\''t go!\n'
  printf '1-2\tDon'\''t\t_\t_\t_\t_\t_\t_\t_\t_\n'
  printf '1\tDo\tdo\tAUX\tVB\t_\t3\taux\t_\t_\n2\tn'\''t\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_\n'
  printf '3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No\n3.1\tit\tit\tPRON\t_\t_\t_\t_\t_\t_\n'
  printf '4\t!\t!\tPUNCT\t.\t_\t3\tpunct\t_\t_\n\n# sent_id = 2\n1\t10 000\t_\tNUM\tCD\t_\t0\troot\t_\t_\n'
} >a.conllu
show() { bert-tokenize -m "$MODELS/bare" --keep words,tags "$@"; }
show a.conllu
cp a.conllu a.conll; cp a.conllu a
for input in a.conll a -; do show "$input" <a.conllu | cmp -s - "$(show a.conllu >expected; echo expected)" && echo same; done
show --tag-column xpos a.conllu
show --tag-column 8 --word-column lemma a.conllu
echo '--- other columns'
printf '1\tthe\tO\tO\n2\tKing\tB-PER\tO\n\n' >germeval
show --word-column 2 --tag-column 3 --input-format conll germeval
show --word-column 2 --tag-column 5 --input-format conll germeval
show --tag-column upos --input-format conll germeval
printf 'the DT O\nking NN B-PER\n' >x.conll
show --tag-column 2 x.conll
show --tag-column 0 x.conll 2>&1 | head -n 1
show --tag-column pos x.conll 2>&1 | head -n 1
printf '# newdoc\n1\ta\tb\n' | show --input-format conllu
echo '--- train, predict, score'
bert-train --task tag -m "$MODELS/bare" --steps 2 -o model a.conllu --dev a.conllu >log && echo trained
sed -n '/id2label/,/}/p' model/config.json | tr -d ' \n' && echo
bert-predict -m model a.conllu | jq -c '[.words, .tags, (.prediction | length)]'
bert-train --task tag -m "$MODELS/bare" --tag-column deprel --steps 2 -o model2 a.conllu >log && sed -n '/id2label/,/}/p' model2/config.json | tr -d ' \n' && echo
printf '# a heading\n\ntext\n' | bert-tokenize -m "$MODELS/bare" --keep text
echo '--- CoNLL-U that is read as CoNLL'
for input in a.conllu -; do show --input-format conll "$input" <a.conllu; done
show --input-format conll --word-column 2 --tag-column 4 a.conllu
echo '--- names in any case, and unknown ones'
show --tag-column XPOS --word-column Form a.conllu | head -n 1
show --tag-column tags a.conllu 2>&1 | head -n 1
echo '--- words with spaces'
bert-predict -m model --format conll --on-error skip a.conllu | wc -l
