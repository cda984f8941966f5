#!/bin/sh
# Tagged files in conlleval's format.
cat >tagged.conll <<'END'
-DOCSTART- -X- O O O

EU NNP I-NP I-ORG I-ORG
rejects VBZ I-VP O O
German JJ I-NP I-MISC B-MISC
call NN I-NP O I-MISC

Peter NNP I-NP I-PER B-PER
Blackburn NNP I-NP I-PER I-LOC
-X- O O
Ada	NNP	I-NP	B-PER	I-PER
END
bert-score --task tag tagged.conll
bert-score --task tag --input-format conll --metric types - <tagged.conll
bert-score --task tag --metric f1 <tagged.conll
printf 'a O O\nb O B-\n\nc X\n' >short.conll
bert-score --task tag short.conll
printf 'a O O\n\nc\n' | bert-score --task tag --input-format conll
echo "exit $?"
bert-score --task tag --gold tagged.conll tagged.conll
echo "exit $?"
: >empty.conll
bert-score --task tag empty.conll
echo "exit $?"
echo '--- tags of another kind on standard input, and gold tags in a FILE known by its contents'
printf 'the DET NOUN\ncat NOUN VERB\n\n' | bert-score --task tag --metric accuracy
printf 'EU B-ORG\nrejects O\n\nBonn B-LOC\n\n' >ner.txt
printf '{"prediction":["B-ORG","O"]}\n{"prediction":["B-LOC"]}\n' | bert-score --task tag --metric f1 --gold ner.txt
printf 'EU I-ORG\nrejects O\n' | bert-score --task tag --input-format conll
printf 'O O\n\nB-PER B-PER\n\nEU EU\n' | bert-score --task tag --input-format conll
echo "exit $?"
