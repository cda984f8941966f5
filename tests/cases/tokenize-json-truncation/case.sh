#!/bin/sh
# A truncation block in tokenizer.json is applied, with strategy and direction, and reported; --max-length
# overrides its length. A padding block is ignored.
make() {
  cat >tokenizer.json <<END
{"version":"1.0","truncation":{"direction":"$1","max_length":$2,"strategy":"$3","stride":0},"padding":null,
 "added_tokens":[{"id":0,"content":"[PAD]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},
  {"id":1,"content":"[UNK]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},
  {"id":2,"content":"[CLS]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},
  {"id":3,"content":"[SEP]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},
  {"id":4,"content":"[MASK]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],
 "normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},
 "pre_tokenizer":{"type":"BertPreTokenizer"},
 "post_processor":{"type":"BertProcessing","sep":["[SEP]",3],"cls":["[CLS]",2]},
 "decoder":{"type":"WordPiece","prefix":"##","cleanup":true},
 "model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,
  "vocab":{"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"[MASK]":4,"a":5,"b":6,"c":7,"d":8,"e":9}}}
END
}
make Right 5 LongestFirst
echo 'a b c d e' | bert-tokenize --vocab tokenizer.json --tokens
make Left 5 LongestFirst
echo 'a b c d e' | bert-tokenize -m . --format tokens
echo 'a b c d e' | bert-tokenize -m . --format tokens --max-length 6
make Right 5 LongestFirst
sed 's/"padding":null/"padding":{"strategy":{"Fixed":9},"direction":"Right","pad_id":0,"pad_type_id":0,"pad_token":"[PAD]"}/' \
  tokenizer.json >padded.json
echo 'a b' | bert-tokenize --vocab padded.json
echo 'a b' | bert-tokenize -q --vocab padded.json
make Right 7 OnlySecond
echo '{"text":"a b","text_pair":"c d e"}' | bert-tokenize -m . --tokens
echo 'a b c d e a b' | bert-tokenize -m .
