#!/bin/sh
# -DOCSTART- lines and comments are not words; gold tags may be in IOB1, with predictions in BIO.
echo '-- -DOCSTART- lines and comments are not words'
printf '# sent_id = 1\na B-X B-X\n-DOCSTART- -X- O O\n# O O\n# O O\n\n-DOCSTART-\n\n-DOCSTART- O O\r\nb O O' >documents.conll
bert-score --task tag --metric f1,accuracy documents.conll
printf -- '-DOCSTART- -X- O O\n\n' | bert-score --task tag --input-format conll
echo '-- gold tags in IOB1, predictions in BIO'
bert-score --task tag --metric f1,accuracy --input-format conll <<'END'
Ada I-PER B-PER
Lovelace I-PER I-PER
Alan B-PER B-PER
in O O
Paris I-LOC B-LOC
END
