#!/usr/bin/python3
"""Compares bert-tokenize with Hugging Face's tokenizers: Unigram and BPE in the compositions of tokenizer.json.

usage: check_subwords.py DIRECTORY_OF_THE_TOOLS                         the cases stored in subwords.json
       check_subwords.py --fuzz COUNT SEED DIRECTORY_OF_THE_TOOLS       COUNT new texts for each composition
       check_subwords.py --compare COUNT SEED DIRECTORY_OF_THE_TOOLS MODEL_DIRECTORY TOKENIZER_JSON [TEXT_FILE...]
                   COUNT new texts, and the paragraphs of the files, with a model directory and its tokenizer.json
       check_subwords.py --write                                        store new cases

All but the first need the Python packages tokenizers (0.23.3 made the file) and sentencepiece.
"""
import base64
import copy
import json
import os
import random
import subprocess
import sys
import tempfile

GOLDENS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "subwords.json")
SENTENCES = """The quick brown fox jumps over the lazy dog, doesn't it? It's 1,000 years old; they'll see what we've done.
Le cœur a ses raisons que la raison ne connaît point. L'été dernier, nous étions à la plage.
Привет, мир! Как дела сегодня? Хорошо, спасибо. Καλημέρα κόσμε, τι κάνεις σήμερα;
東京は日本の首都です。 今日はいい天気ですね。 대한민국의 수도는 서울입니다. مرحبا بالعالم नमस्ते दुनिया
New York has 8 million people and 2,000 parks. Running runners run; singers sing the songs of summer.""".split("\n")
# 30 scripts and blocks, most of them a range of code points.
RANGES = [(0x41, 0x5a), (0x61, 0x7a), (0x20, 0x7e), (0xa0, 0xff), (0x100, 0x24f), (0x300, 0x36f), (0x370, 0x3ff),
          (0x400, 0x4ff), (0x530, 0x58f), (0x590, 0x5ff), (0x600, 0x6ff), (0x700, 0x74f), (0x900, 0x97f), (0x980, 0x9ff),
          (0xa00, 0xa7f), (0xb80, 0xbff), (0xc00, 0xc7f), (0xd00, 0xd7f), (0xe00, 0xe7f), (0xe80, 0xeff), (0xf00, 0xfff),
          (0x1000, 0x109f), (0x10a0, 0x10ff), (0x1100, 0x11ff), (0x1200, 0x137f), (0x1780, 0x17ff), (0x1e00, 0x1fff),
          (0x2000, 0x209f), (0x2100, 0x214f), (0x2460, 0x24ff), (0x3000, 0x30ff), (0x3300, 0x33ff), (0x4e00, 0x9fff),
          (0xac00, 0xd7a3), (0xf900, 0xfaff), (0xfb00, 0xfb4f), (0xfe00, 0xfe0f), (0xff00, 0xffef), (0x1d400, 0x1d7ff),
          (0x1f1e6, 0x1f64f), (0x10000, 0x100ff), (0x20000, 0x2a6df), (0, 0x1f), (0x7f, 0x9f)]
SPECIAL_TEXTS = ["<mask>", "<s>", "</s>", "<pad>", "<unk>", " <mask>", "<mask> ", "  ", "   ", "▁", "▁▁", "\n", "\t", "\r\n",
                 "\u00a0", "\u3000", "``", "''", "'s", "'ll", "1,000,", "e\u0301", "\u200d", "\ufe0f", "ﬁ", "İ", "ß", "Σ", "ς",
                 "ｶﾞ", "\u0327\u0301", "\u00ad", "ệ", "\u1100\u1161", "\x00", " \x01", "👩\u200d👩\u200d👧", "🇩🇪🇫", "New One", "étx", "foxes"]
EDGES = ["", " ", "  ", "\n", "a", "\x00", "\x00a b", "\x00\x01 abc  def", "<mask>", " <mask> ", "é" * 50, "x" * 70]
CHARSMAP_RULES = {"ﬁ": "fi", "Ａ": "A", "é": "e\u0301", "½": "1/2", "\t": " ", "\n": " ", "\u00a0": " ", "\x01": "",
                  "e\u0327": "E", "\u3000": " ", "ａ": "a", "カ\u3099": "ガ", "\u00ad": ""}


def charsmap(folder):
    """A small Precompiled charsmap; sentencepiece compiles it."""
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2 as protocol
    points = lambda text: " ".join(f"{ord(c):X}" for c in text)
    rules = os.path.join(folder, "rules.tsv")
    with open(rules, "w", encoding="utf-8") as file:
        file.writelines(f"{points(old)}\t{points(new)}\n" for old, new in CHARSMAP_RULES.items())
    text = os.path.join(folder, "text.txt")
    with open(text, "w", encoding="utf-8") as file:
        file.write("\n".join(SENTENCES))
    prefix = os.path.join(folder, "rules")
    sentencepiece.SentencePieceTrainer.train(input=text, model_prefix=prefix, vocab_size=200, hard_vocab_limit=False,
                                             normalization_rule_tsv=rules, minloglevel=2)
    model = protocol.ModelProto()
    with open(prefix + ".model", "rb") as file:
        model.ParseFromString(file.read())
    return base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()


def models():
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    unigram = Tokenizer(models.Unigram())
    unigram.pre_tokenizer = pre_tokenizers.Metaspace()
    unigram.train_from_iterator(SENTENCES * 3, trainers.UnigramTrainer(vocab_size=260, special_tokens=specials,
                                                                       unk_token="<unk>", show_progress=False))
    characters = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    characters.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=specials, limit_alphabet=70, show_progress=False)
    characters.train_from_iterator(SENTENCES * 3, trainer)
    byte_level = Tokenizer(models.BPE())
    byte_level.pre_tokenizer = pre_tokenizers.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=specials, show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    byte_level.train_from_iterator(SENTENCES * 3, trainer)
    return {name: json.loads(tokenizer.to_str())["model"]
            for name, tokenizer in (("unigram", unigram), ("characters", characters), ("byte_level", byte_level))}


def specials_of(model):
    vocab = [piece for piece, _ in model["vocab"]] if isinstance(model["vocab"], list) else list(model["vocab"])
    return [{"id": vocab.index(t), "content": t, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True} for t in ("<s>", "<pad>", "</s>", "<unk>", "<mask>")], len(vocab)


def template(types):
    item = lambda kind, name, type_id: {kind: {"id": name, "type_id": type_id}}
    single = [item("SpecialToken", "<s>", 0), item("Sequence", "A", 0), item("SpecialToken", "</s>", 0)]
    second = [item("Sequence", "B", types), item("SpecialToken", "</s>", types)]
    between = [] if types else [item("SpecialToken", "</s>", 0)]
    special = lambda name, ident: {"id": name, "ids": [ident], "tokens": [name]}
    return {"type": "TemplateProcessing", "single": single, "pair": single + between + second,
            "special_tokens": {"<s>": special("<s>", 0), "</s>": special("</s>", 2)}}


def compositions(model_of, rules):
    """Name of the model and tokenizer.json without it, for each composition."""
    step = lambda kind, **keys: {"type": kind, **keys}
    sequence = lambda *steps: step("Sequence", normalizers=list(steps))
    regex = lambda pattern, content: step("Replace", pattern={"Regex": pattern}, content=content)
    literal = lambda text, content: step("Replace", pattern={"String": text}, content=content)
    metaspace = lambda scheme, split=True: step("Metaspace", replacement="▁", prepend_scheme=scheme, split=split)
    white = lambda inner: step("Sequence", pretokenizers=[step("WhitespaceSplit"), inner])
    byte_level = lambda prefix, split=True: step("ByteLevel", add_prefix_space=prefix, trim_offsets=True, use_regex=split)
    roberta = lambda prefix, trim=True: step("RobertaProcessing", sep=["</s>", 2], cls=["<s>", 0], trim_offsets=trim,
                                             add_prefix_space=prefix)
    precompiled = step("Precompiled", precompiled_charsmap=rules)
    old = step("Metaspace", replacement="▁", add_prefix_space=True)
    rows = [
        ("unigram", precompiled, white(old), template(0), {}),
        ("unigram", sequence(precompiled, regex(" {2,}", " ")), metaspace("always"), template(0), {"lstrip": True}),
        ("unigram", sequence(precompiled, step("Strip", strip_left=False, strip_right=True), regex(" {2,}", "▁")),
         metaspace("first"), template(0), {}),
        ("unigram", sequence(literal("``", '"'), literal("''", '"'), step("NFKD"), step("StripAccents"), step("Lowercase"),
                             precompiled), white(metaspace("always")), template(1), {"lstrip": True}),
        ("unigram", sequence(step("Nmt"), step("NFKC"), regex(r"\s+", " ")), metaspace("always", False), template(0), {}),
        ("unigram", sequence(regex(r"\s{2,}|[\n\r\t]", " "), step("NFC"), step("Strip", strip_left=True, strip_right=True),
                             step("Prepend", prepend="▁")), metaspace("never"), template(0), {}),
        ("unigram", sequence(step("NFD"), step("Lowercase"), regex(r"[\n\r\t]", " ")), metaspace("always"), template(0),
         {"words": ["New One", "étx"]}),
        ("unigram", None, metaspace("always"), template(1), {"bytes": True}),
        ("characters", precompiled, white(old), template(0), {}),
        ("byte_level", None, byte_level(False), roberta(False), {"lstrip": True}),
        ("byte_level", None, byte_level(True), roberta(True), {"strings": True}),
        ("byte_level", step("NFC"), byte_level(False), template(1), {"rstrip": True}),
        ("byte_level", sequence(step("NFKC"), step("Lowercase")), byte_level(True, False), roberta(True, False), {}),
        ("byte_level", step("NFD"), byte_level(False),
         step("Sequence", processors=[step("ByteLevel", add_prefix_space=True, trim_offsets=True, use_regex=True), template(0)]),
         {"lstrip": True, "rstrip": True, "words": ["foxes", "éx"]})]
    for name, normalizer, pre_tokenizer, post_processor, extra in rows:
        added, size = specials_of(model_of[name])
        added[-1].update({flag: True for flag in ("lstrip", "rstrip") if extra.get(flag)})
        size += 256 if extra.get("bytes") else 0
        for i, word in enumerate(extra.get("words", [])):
            added.append({"id": size + i, "content": word, "single_word": i == 0, "lstrip": False, "rstrip": False,
                          "normalized": True, "special": False})
        decoder = byte_level(False) if name == "byte_level" else metaspace("always")
        yield name, extra, {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
                            "normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "post_processor": post_processor,
                            "decoder": decoder}


def whole(name, extra, parts, model_of):
    model = copy.deepcopy(model_of[name])
    if extra.get("bytes"):
        model["byte_fallback"] = True
        model["vocab"] += [[f"<0x{byte:02X}>", -20.0] for byte in range(256)]
    if extra.get("strings"):
        model["merges"] = [" ".join(merge) if isinstance(merge, list) else merge for merge in model["merges"]]
    return {**parts, "model": model}


def random_text(rng, words):
    parts = []
    ranges = rng.sample(RANGES, rng.choice([1, 1, 2, 3]))
    for _ in range(rng.choice([1, 2, 3, 5, 10])):
        draw = rng.random()
        if draw < .3:
            parts.append(rng.choice(words))
        elif draw < .55:
            parts.append(rng.choice(SPECIAL_TEXTS))
        else:
            first, last = rng.choice(ranges)
            parts.append("".join(chr(rng.randint(first, last)) for _ in range(rng.choice([1, 1, 2, 4, 8]))))
        if rng.random() < .5:
            parts.append(rng.choice([" ", " ", " ", "  ", "\n"]))
    return "".join(parts)


def random_texts(rng, count):
    words = " ".join(SENTENCES).split()
    return [random_text(rng, words) for _ in range(count)]


def expected_of(library, texts, pairs):
    result = []
    for text, pair in zip(texts, pairs):
        e = library.encode(text, pair)
        decoded = library.decode(e.ids, skip_special_tokens=True)
        result.append([e.ids, [list(span) for span in e.offsets], e.word_ids, e.type_ids, decoded])
    return result


def bert_tokenize(tools, directory, texts, pairs):
    records = [{"text": t} if p is None else {"text": t, "text_pair": p} for t, p in zip(texts, pairs)]
    tool = [os.path.join(tools, "bert-tokenize"), "-q", "-m", directory]
    run = lambda options, lines: subprocess.run(tool + options, input=lines, capture_output=True, encoding="utf-8", check=False)
    lines = "".join(json.dumps(record) + "\n" for record in records)
    tokens = run(["--offsets", "chars", "--word-ids"], lines)
    texts_again = run(["--decode"], tokens.stdout)
    if tokens.returncode != 0 or texts_again.returncode != 0:
        return [tokens.stderr + texts_again.stderr] * len(texts)
    result = []
    for line, decoded in zip(tokens.stdout.split("\n")[:-1], texts_again.stdout.split("\n")[:-1]):
        got, text = json.loads(line), json.loads(decoded)["text"]
        types = got.get("token_type_ids", [0] * len(got["input_ids"]))
        result.append([got["input_ids"], got["offsets"], got["word_ids"], types, text])
    return result


def differences(tools, directory, texts, pairs, expected):
    count = 0
    for text, pair, got, wanted in zip(texts, pairs, bert_tokenize(tools, directory, texts, pairs), expected):
        if got != wanted:
            count += 1
            if count <= 3:
                print(f"FAILED: {text!r} {pair!r}\n  gives {got}\n  expected {wanted}")
    return count


def settings_beside(directory, tokenizer):
    names = dict(bos="<s>", eos="</s>", cls="<s>", sep="</s>", unk="<unk>", pad="<pad>", mask="<mask>")
    with open(os.path.join(directory, "tokenizer.json"), "w", encoding="utf-8") as file:
        json.dump(tokenizer, file)
    with open(os.path.join(directory, "tokenizer_config.json"), "w", encoding="utf-8") as file:
        json.dump({name + "_token": token for name, token in names.items()}, file)


def check_all(tools, cases, models_):
    failures = total = 0
    for name, extra, parts, texts, pairs, expected in cases:
        with tempfile.TemporaryDirectory() as directory:
            settings_beside(directory, whole(name, extra, parts, models_))
            failed = differences(tools, directory, texts, pairs, expected)
        if failed:
            print(f"{name}: {failed} of {len(texts)} texts: {json.dumps(parts)[:600]}")
        failures += failed
        total += len(texts)
    print(f"{total} texts, {failures} differ")
    return failures


def new_cases(count, rng):
    from tokenizers import Tokenizer
    with tempfile.TemporaryDirectory() as folder:
        rules = charsmap(folder)
    models_ = models()
    cases = []
    for name, extra, parts in compositions(models_, rules):
        library = Tokenizer.from_str(json.dumps(whole(name, extra, parts, models_)))
        texts = EDGES + random_texts(rng, count)
        pairs = [None if rng.random() < .6 else random_text(rng, SENTENCES[0].split()) for _ in texts]
        cases.append((name, extra, parts, texts, pairs, expected_of(library, texts, pairs)))
    return models_, cases


def write():
    models_, cases = new_cases(16, random.Random(42))
    lines = ",\n".join(json.dumps(case, separators=(",", ":"), ensure_ascii=False) for case in cases)
    with open(GOLDENS, "w", encoding="utf-8") as file:
        file.write(f'{{"models":{json.dumps(models_, separators=(",", ":"), ensure_ascii=False)},\n"cases":[\n{lines}\n]}}\n')


def compare(count, seed, tools, directory, tokenizer, *files):
    from tokenizers import Tokenizer
    library = Tokenizer.from_file(tokenizer)
    library.no_truncation()
    texts = EDGES + random_texts(random.Random(int(seed)), int(count))
    for path in files:
        with open(path, encoding="utf-8") as file:
            texts += [paragraph for paragraph in file.read().split("\n\n") if paragraph.strip()]
    pairs = [None] * len(texts)
    failures = differences(tools, directory, texts, pairs, expected_of(library, texts, pairs))
    print(f"{len(texts)} texts, {failures} differ")
    return failures


def main():
    if sys.argv[1:] == ["--write"]:
        write()
    elif len(sys.argv) == 5 and sys.argv[1] == "--fuzz":
        models_, cases = new_cases(int(sys.argv[2]), random.Random(int(sys.argv[3])))
        sys.exit(check_all(sys.argv[4], cases, models_) != 0)
    elif len(sys.argv) >= 7 and sys.argv[1] == "--compare":
        sys.exit(compare(*sys.argv[2:]) != 0)
    elif len(sys.argv) == 2:
        with open(GOLDENS, encoding="utf-8") as file:
            goldens = json.load(file)
        sys.exit(check_all(sys.argv[1], goldens["cases"], goldens["models"]) != 0)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
