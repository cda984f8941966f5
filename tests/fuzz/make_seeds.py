#!/usr/bin/python3
"""Writes the initial fuzzing inputs: make_seeds.py FOLDER.

Each target has a folder in it with small files, seed-NUMBER, one for each format that its parser supports. The build of
the targets runs this script.
"""
import json
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden"
sys.path.insert(0, str(GOLDEN))
from sentencepiece_model import model_of
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "king", "##s", "'", "東"]
FORMATS = "automatic text paragraphs file jsonl tsv documents object conll squad csv npy f32".split()
FILTERS = "windows ids decoded stats sentences mask pairs vocabulary".split()
READERS = "classify regress multilabel tag tag-dev answer answer-dev choose pretrain tag-document".split()
TASKS = "fill next replaced classify regress multilabel tag answer choose rank".split()


def safetensors():
    tensors = {"bert.embeddings.LayerNorm.gamma": ("F32", [4], 16), "bert.embeddings.position_ids": ("I64", [1, 2], 16),
               "cls.predictions.bias": ("BF16", [3], 6), "odd": ("F8_E4M3", [3], 3)}
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, (dtype, shape, size) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(range(at))


def npy(version, descr, rows, width):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({rows}, {width}), }}\n".encode()
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + bytes(range(1, int(descr[2]) * width + 1)) * rows


def added(number, content, **flags):
    token = {"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": True,
             "special": False}
    return token | flags


def tokenizer_json(**changes):
    item = lambda name, kind="SpecialToken", part=0: {kind: {"id": name, "type_id": part}}
    single = [item("[CLS]"), item("A", "Sequence"), item("[SEP]")]
    file = {
        "version": "1.0", "truncation": {"direction": "Left", "max_length": 8, "strategy": "LongestFirst", "stride": 2},
        "padding": {"strategy": "BatchLongest", "pad_id": 0},
        "added_tokens": [added(4, "[MASK]", lstrip=True, normalized=False, special=True), added(10, "New", rstrip=True),
                         added(11, "\n", lstrip=True, rstrip=True), added(12, "é!", single_word=True)],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
                       "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "TemplateProcessing", "single": single,
                           "pair": single + [item("B", "Sequence", 1), item("[SEP]", part=1)],
                           "special_tokens": {name: {"id": name, "ids": [VOCAB.index(name)], "tokens": [name]}
                                              for name in ("[CLS]", "[SEP]")}},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": {piece: i for i, piece in enumerate(VOCAB)}}}
    return json.dumps(file | changes, ensure_ascii=False)


def tokenizer_files():
    lines = "".join(piece + "\n" for piece in VOCAB)
    decoder = {"10": added(10, "NEW"), "4": added(4, "[MASK]", lstrip=True, special=True)}
    config = {"do_lower_case": True, "strip_accents": None, "tokenize_chinese_chars": True, "model_max_length": 512,
              "tokenizer_class": "BertTokenizer", "mask_token": {"content": "[MASK]"}, "added_tokens_decoder": decoder}
    specials = {"cls_token": "[CLS]", "sep_token": {"content": "[SEP]"}}
    yield lines + "\0" + json.dumps(config) + "\0" + json.dumps(specials) + "\0" + json.dumps({"NEW": 10})
    yield lines.replace("\n", "\r\n") + "\0" + json.dumps({"do_basic_tokenize": False}) + "\0{}\0{}"


def subword_files():
    unigram, bpe = (json.loads((GOLDEN / "type-models" / name / "tokenizer.json").read_text())
                    for name in ("xlm-roberta", "roberta"))
    for kind in (b"\0", b"\1"):
        yield kind + model_of(unigram)
    merges = "#version: 0.2\n" + "".join(" ".join(pair) + "\n" for pair in bpe["model"]["merges"])
    yield "\2" + "\0".join((json.dumps(bpe["model"]["vocab"], ensure_ascii=False), merges, '{"add_prefix_space":true}'))


RECORDS = {
    "text": "The king's ship.\nsank\r\n\n\xff\x00tail",
    "tsv": "text\ttext_pair\nthe king\ta queen\none\ttwo\tthree\n",
    "jsonl": '{"text":"the king","text_pair":"a\\u00e9b","id":7}\n{"text":["a","b"],"a":null}\n{"words":["x","yz"]}\n'
             '{"input_ids":[2,5,6,3],"token_type_ids":[0,0,0,0],"tokens":["[CLS]","a","b","[SEP]"],"offsets":[[0,0],[0,1]]}\n'
             '{"sentences":[[5,6,7],[8,9]],"document":3}\n{"text":"\\ud83d\\ude00 x","id":"a"}\n',
    "object": '{\n "text": "a b c d e f g h i j k l m n",\n "n": [1, 2.5, -3e2, true]}\n',
    "documents": "A sentence. Another!\nA third\n\nNext document?\n",
    "conll": "-DOCSTART- -X- O O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\nPeter B-PER\n",
    "csv": 'text,text_pair\n"the ""king""\nand","a, queen"\r\none,two\n"three,four\n',
    "npy": npy(1, "<f4", 4, 3).decode("latin-1"),
    "f32": bytes(range(36)).decode("latin-1"),
    "squad": '{"version":"v2.0","data":[{"title":"K","paragraphs":[{"context":"The old king.","qas":[{"id":"a","question":'
             '"Who?","answers":[{"text":"old","answer_start":4}],"is_impossible":false},{"id":"b","question":"Where?",'
             '"answers":[],"is_impossible":true}]}]}]}',
}
TRAINING = [
    '{"text":"a b","label":"yes"}\n{"text":"a","text_pair":"b","label":1}\n{"text":"a","label":0.5}\n',
    '{"text":"a b","label":["yes","no"]}\n{"input_ids":[2,5,3],"label":"no"}\n',
    '{"words":["ab","c"],"tags":["B-PER","O"],"document":1}\n{"words":[],"tags":[],"document":1}\n'
    '{"words":["a","b c"],"tags":["I-PER",null],"document":1}\n{"words":["a"],"tags":["O"],"document":"x"}\n{"input_ids":[2,5,6,3],"tags":["I-PER","O"]}\n',
    '{"question":"who","context":"the old king of a land far away","answers":[{"text":"old","answer_start":4}],"id":"q"}\n'
    '{"question":"who","context":"the  old king","answers":{"text":["king"],"answer_start":[9]},"is_impossible":false}\n',
    '{"text":"a b","choices":["c","d e"],"label":1}\n',
    '{"input_ids":[2,5,6,7,3,8,3],"token_type_ids":[0,0,0,0,0,1,1],"masked_lm_positions":[1],"masked_lm_ids":[9],'
    '"next_sentence_label":0}\n{"input_ids":[2,5,3]}\n',
]
SCORES = {
    "fill": '{"id":1,"masked_lm_ids":[7,8],"prediction":["a","b"],"candidates":[[{"id":7},{"id":9}],[{"id":1}]]}\n',
    "next": '{"next_sentence_label":0,"prediction":"is_next"}\n', "classify": '{"label":"a","prediction":"b","id":1}\n',
    "regress": '{"label":1.5,"prediction":2}\n{"label":2,"prediction":2.25}\n',
    "multilabel": '{"label":["a"],"prediction":["a","b"],"scores":{"a":0.5,"b":0.1}}\n',
    "replaced": '{"labels":[-100,0,1],"prediction":[0,1]}\n',
    "tag": '{"tags":["B-PER","I-PER","O"],"prediction":["B-PER","O","O"]}\n',
    "answer": '{"id":"a","answers":{"text":["The old king"],"answer_start":[0]},"prediction":"old king","null_score":0.5}\n',
    "choose": '{"label":1,"prediction":0}\n', "rank": '{"text":"q","label":1,"score":0.5}\n{"text":"q","label":0,"score":2}\n',
}
STATE = """{
"format":1,
"step":4,
"optimizer_step":4,
"data":{"drawn":24,"within":0,"records":120,"bytes":29263},
"elapsed_s":0.004624417,
"best":0.5,
"stale":0,
"sums":{"first_loss":6.698927927995722},
"settings":{
  "--task":"pretrain",
  "the model":"2 x 24 (8630539793757846398)"},
"curve":[{"name":"loss","stride":1,"count":1,"sum":[0.0,0.5],"points":[[4.0,7.930197585222843],[8.0,1.5]]}],
"training_bytes":209776,
"training_checksum":"1c8e6af13eeda17f\""""


def seeds():
    yield "safetensors", [safetensors()]
    yield "shards", [json.dumps({"metadata": {"total_size": 16},
                                 "weight_map": {"bert.a": "1.safetensors", "bert.b": "2.safetensors"}})]
    yield "pytorch", [(GOLDEN / f"checkpoints/{name}").read_bytes()
                      for name in ("small/zip.bin", "small/stream.bin", "odd/stream.bin", "odd/zip.bin", "odd/protocol.bin")]
    yield "tensorflow", [(GOLDEN / "checkpoints/small/bert_model.ckpt.index").read_bytes()]
    bert = {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}
    yield "tokenizer_json", [tokenizer_json(), tokenizer_json(post_processor=bert, normalizer=None, truncation=None)]
    yield "tokenizer_files", list(tokenizer_files())
    yield "subword_files", list(subword_files())
    yield "config", [path.read_bytes() for name in ("models/bare", "models/classify", "checkpoints/tensorflow", "models/rank")
                     for path in sorted((GOLDEN / name).glob("*config.json")) if "tokenizer" not in path.name]
    texts = lambda folder, names: "\0".join((folder / name).read_text() if (folder / name).is_file() else "" for name in names)
    names = ["modules.json", "config_sentence_transformers.json", "sentence_bert_config.json", "1_Pooling/config.json",
             "2_Dense/config.json"]
    yield "modules", [texts(GOLDEN / "models" / model, names) for model in ("sentence-new", "sentence-old", "sentence-prompt")]
    yield "records", [bytes([FORMATS.index(name) + 16 * number]) + text.encode("latin-1")
                      for name, text in RECORDS.items() for number in range(len(FILTERS))]
    yield "examples", [bytes([number + 16 * FORMATS.index("jsonl")]) + text.encode()
                       for text in TRAINING for number in range(len(READERS))] + [
                           bytes([READERS.index(name) + 16 * FORMATS.index("conll")]) + RECORDS["conll"].encode()
                           for name in ("tag", "tag-document")]
    yield "counts", ["the\t12\nking\t3\nqueen\t1\n\n", "a\t9223372036854775807\nb\t-1\nc\nd\t1.5\n"]
    yield "score", [bytes([TASKS.index(task) + 16 * gold]) + (text + "\0" * gold + text * gold).encode()
                    for task, text in SCORES.items() for gold in (0, 1)] + [
                        bytes([TASKS.index("tag") + 64]) + b"EU B-ORG B-ORG\nx O O\n\nP B-PER O\n",
                        *(bytes([TASKS.index("answer") + 16]) + b'{"a":"old king","b":""}\0' + RECORDS["squad"].encode() + scores
                          for scores in (b"", b'\0{"a":-1.5,"b":2}'))]
    yield "state", [STATE]
    yield "array", [b"\0" + npy(1, "<f4", 4, 3), b"\0" + npy(2, "<f2", 2, 5), b"\1" + bytes(range(36))]
    yield "codes", [b"\0", bytes([1, 0, 20, 3]), bytes([0, 0, 44, 200, 0, 36, 1])]
    yield "graph", [b"", bytes([0, 60, 1]), bytes([0, 120, 255, 1, 4, 9])]


def main():
    corpus = Path(sys.argv[1])
    for target, inputs in seeds():
        folder = corpus / target
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("seed-*"):
            old.unlink()
        for number, text in enumerate(inputs):
            (folder / f"seed-{number:02}").write_bytes(text if isinstance(text, bytes) else text.encode())


if __name__ == "__main__":
    main()
