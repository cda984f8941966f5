# Makes a function that writes the tokenizer.json of a model from its vocab.txt.
# tokenizer_json MODEL TRUNCATION [LOWERCASE]
tokenizer_json() {
  python3 -c '
import json, sys
tokens = open(sys.argv[1] + "/vocab.txt", encoding="utf-8").read().split("\n")[:-1]
flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False) | {"special": True}
print(json.dumps({
    "version": "1.0", "truncation": json.loads(sys.argv[2]), "padding": None,
    "added_tokens": [{"id": tokens.index(token), "content": token} | flags
                     for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")],
    "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                   "strip_accents": None, "lowercase": sys.argv[3] == "true"},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", tokens.index("[SEP]")],
                       "cls": ["[CLS]", tokens.index("[CLS]")]},
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100, "vocab": {token: id for id, token in enumerate(tokens)}}},
    separators=(",", ":")))' "$1" "$2" "${3-true}"
}
