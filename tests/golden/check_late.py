#!/usr/bin/env python3
"""Compares late interaction with the MultiVectorEncoder of sentence-transformers in float64: the vectors of bert-embed,
the scores of bert-search --rerank, and 20 steps of bert-train --task embed. With torch, transformers 5 and
sentence-transformers 6 these are computed now, for models of several types, else those in the folder late are read.

Usage: check_late.py TOOLS_DIRECTORY
       check_late.py --store                 rewrites the folder late
"""
import contextlib
import json
import os
import random
import shutil
import string
import subprocess
import sys
import tempfile
import unittest.mock

try:
    import torch
    from sentence_transformers import MultiVectorEncoder
    from sentence_transformers.base.modules import Dense, Normalize, Transformer
    from sentence_transformers.multi_vector_encoder import losses, scoring
    from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
    from safetensors.torch import load_file, save_file
    from transformers.utils import logging
except ImportError:
    torch = None

HERE = os.path.dirname(os.path.abspath(__file__))
STORED = os.path.join(HERE, "late")
STEPS, BATCH, RATE, DECAY, SEED, MOST = 20, 6, 1e-3, 0.01, 5, 1e-5
FIXED = {"strategy": "fixed", "length": 12}

# Settings of the transformer, words without a vector and the tasks that leave them out, numbers of the Dense module.
MODELS = [
    {"name": "bare"},
    {"name": "mask tokens", "expansion": FIXED, "skip": list(string.punctuation)},
    {"name": "mask tokens that are attended to", "expansion": {**FIXED, "attend": True}, "dense": 8, "bias": True},
    {"name": "at least", "expansion": {"strategy": "min", "length": 9, "token": "[SEP]"}, "dense": 20,
     "skip": [".", ","], "tasks": ["query", "document"], "lengths": (11, 14)},
    {"name": "mean, not of unit length", "dense": 16, "unit": False, "mean": True},
    {"name": "prompts", "prompts": {"query": "the ", "document": "of, "}, "dense": 9, "expansion": FIXED},
]
TYPES = ["models/bare", "type-models/mpnet", "type-models/roberta", "type-models/modernbert", "type-models/xlm-roberta",
         "type-models/deberta-v2"]
TRAINED = [{"loss": "ranking", "negatives": 0}, {"loss": "ranking", "negatives": 2, "scale": 3},
           {"loss": "margin-mse", "negatives": 2}, {"loss": "kl", "negatives": 3, "temperature": 2}]
STANFORD = [{"query_token_id": "[unused0]", "doc_token_id": "[unused1]", "query_maxlen": 12, "doc_maxlen": 14, "dim": 16,
             "mask_punctuation": True, "attend_to_mask_tokens": False, "similarity": "cosine"},
            {"query_maxlen": 9, "mask_punctuation": False, "attend_to_mask_tokens": True}, None]
QUERIES = ["the king, and the queen.", "of", "a long one of the king and his castle in the mountains, it was good (really)", ""]
DOCUMENTS = ["The king was in the castle.", "snow fell; on the mountains!", "...", "and the river was cold, the king of it"]


def make_model(folder, case):
    transformer = Transformer(folder)
    if "expansion" in case:
        expansion = dict(case["expansion"])
        if expansion.get("token") and transformer.tokenizer.convert_tokens_to_ids(expansion["token"]) is None:
            expansion["token"] = transformer.tokenizer.sep_token
        if transformer.tokenizer.unk_token_id == transformer.tokenizer.convert_tokens_to_ids(expansion.get("token") or "x"):
            expansion.pop("token", None)
        transformer.query_expansion = expansion
    if "lengths" in case:
        transformer.query_length, transformer.document_length = case["lengths"]
    modules = [transformer]
    if "dense" in case:
        modules.append(Dense(transformer.get_embedding_dimension(), case["dense"], bias=case.get("bias", False),
                             activation_function=torch.nn.Identity(), module_input_name="token_embeddings"))
    modules.append(MultiVectorMask(case.get("skip"), skiplist_tasks=case.get("tasks")))
    if case.get("unit", True):
        modules.append(Normalize("token_embeddings"))
    for part in transformer.auto_model.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0
    return MultiVectorEncoder(modules=modules, device="cpu", prompts=case.get("prompts"),
                              similarity_fn_name="meanmaxsim" if case.get("mean") else "maxsim")


def as_pylate(folder):
    """Rewrites a saved model in the form of PyLate, with prefixes that are tokens of the vocabulary."""
    with open(os.path.join(folder, "modules.json"), encoding="utf-8") as file:
        modules = [module for module in json.load(file) if module["type"].endswith(("Transformer", "Dense"))]
    modules[0]["type"] = "sentence_transformers.models.Transformer"
    modules[1]["type"] = "pylate.models.Dense.Dense"
    settings = {"model_type": "ColBERT", "query_prefix": "[unused1] ", "document_prefix": "[unused2] ", "query_length": 12,
                "document_length": 20, "attend_to_expansion_tokens": False, "skiplist_words": [".", ","], "prompts": {}}
    for name, content in [("modules.json", modules), ("config_sentence_transformers.json", settings),
                          ("sentence_bert_config.json", {"max_seq_length": 30, "do_lower_case": False})]:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump(content, file)
    path = os.path.join(folder, modules[1]["path"], "config.json")
    with open(path, encoding="utf-8") as file:
        dense = json.load(file)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({key: dense[key] for key in ("in_features", "out_features", "bias", "activation_function")}, file)


def run(tools, name, *options, given=None):
    lines = subprocess.run([os.path.join(tools, name), "-q", *options], input=given, check=True, stdout=subprocess.PIPE).stdout
    return [json.loads(line) for line in lines.splitlines()]


def texts_of(records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def error_of(found, expected):
    return max((abs(a - b) for a, b in zip(found, expected, strict=True)), default=0.0)


def expected_of(folder):
    """The vectors of queries and documents, and the scores."""
    model = MultiVectorEncoder(folder, device="cpu").double().eval()
    queries, documents = model.encode_query(QUERIES), model.encode_document(DOCUMENTS)
    return {"query": [vectors.tolist() for vectors in queries], "document": [vectors.tolist() for vectors in documents],
            "scores": model.similarity(queries, documents).tolist(), "mean": model.similarity_fn_name == "meanmaxsim"}


def reranked(tools, folder):
    with tempfile.TemporaryDirectory() as index:
        path = os.path.join(index, "documents.jsonl")
        with open(path, "wb") as file:
            file.write(texts_of({"id": number, "text": text, "embedding": [1, 0]} for number, text in enumerate(DOCUMENTS)))
        return run(tools, "bert-search", "--index", path, "--rerank", folder, "--neighbors", "0",
                   given=texts_of({"text": text, "embedding": [1, 0]} for text in QUERIES if text))


def searched(tools, folder):
    """An index of the vectors of tokens: scores are sums."""
    with tempfile.TemporaryDirectory() as index:
        path = os.path.join(index, "documents.jsonl")
        with open(path, "wb") as file:
            for record in run(tools, "bert-embed", "-m", folder,
                              given=texts_of({"id": number, "text": text} for number, text in enumerate(DOCUMENTS))):
                file.write(texts_of([record]))
        return run(tools, "bert-search", "--index", path, "-m", folder, "--neighbors", "0",
                   given=texts_of({"text": text} for text in QUERIES if text))


def compare(tools, folder, what, expected):
    """The largest difference of vectors, relative to the largest number, and of scores."""
    worst = 0.0
    for side, texts in (("query", QUERIES), ("document", DOCUMENTS)):
        found = run(tools, "bert-embed", "-m", folder, "--prompt", side, given=texts_of({"text": text} for text in texts))
        for record, wanted in zip(found, expected[side], strict=True):
            if len(record["embeddings"]) != len(wanted):
                sys.exit(f"{what}, {side}: {len(record['embeddings'])} vectors of {record['tokens']}, expected {len(wanted)}")
            scale = max(1e-6, max(abs(number) for row in wanted for number in row))
            worst = max([worst, *(error_of(row, other) / scale for row, other in zip(record["embeddings"], wanted))])
    rows = [row for row, text in zip(expected["scores"], QUERIES) if text]
    for found, divided in ((reranked(tools, folder), True), (searched(tools, folder), False)):
        for record, row, vectors in zip(found, rows, expected["query"], strict=False):
            scores = {hit["id"]: hit["score"] for hit in record["neighbors"]}
            if len(scores) != len(DOCUMENTS):
                sys.exit(f"{what}: {len(scores)} scores of {len(DOCUMENTS)} texts")
            for number, score in scores.items():
                wanted = row[number] if divided or not expected["mean"] else row[number] * len(vectors)
                worst = max(worst, abs(score - wanted) / max(1, abs(wanted)))
    if worst > MOST:
        sys.exit(f"{what}: off by {worst}")
    return worst


def records_of(what, case, salt):
    chance = random.Random(f"{what} {case['loss']} {salt}")
    words = "the king of a castle snow river and good cold mountains was".split()
    columns = [[" ".join(chance.choice(words) for _ in range(1 + chance.randrange(9))) for _ in range(STEPS * BATCH)]
               for _ in range(2 + case["negatives"])]
    scores = [[chance.randrange(-32, 33) / 8 for _ in columns[1:]] for _ in columns[0]]
    return columns, scores


def train(tools, folder, what, case, salt, out):
    """The log of bert-train."""
    columns, scores = records_of(what, case, salt)
    records = [{"text": text, "text_pair": pair, "negatives": negatives, "scores": of_record}
               for (text, pair, *negatives), of_record in zip(zip(*columns), scores)]
    options = [option for key in ("scale", "temperature") if key in case for option in ("--" + key, str(case[key]))]
    return run(tools, "bert-train", "--task", "embed", "-m", folder, "-o", out, "--loss", case["loss"], "--no-shuffle",
               "--dropout", "0", "--log-every", "1", "--batch-size", str(BATCH), "--warmup", "0", "--schedule", "constant",
               "--weight-decay", str(DECAY), "--clip", "0", "--seed", str(SEED), "--lr", str(RATE), *options,
               given=texts_of(records))


def compare_steps(what, case, found, expected):
    for step, (ours, theirs) in enumerate(zip(found, expected, strict=True), 1):
        for key, value in theirs.items():
            if not abs(ours[key] - value) <= 2 * MOST * max(1, abs(value)):
                sys.exit(f"{what}, {case['loss']}, step {step}: {key} is {ours[key]}, expected {value}")
    return len(found)


@contextlib.contextmanager
def smallest_gap():
    """A list that ends with the smallest difference between the largest product of a token and the next one."""
    gaps, largest = [], torch.Tensor.max

    def watched(products, dim):
        first, second = products.detach().topk(2, dim=dim).values.unbind(dim)
        gaps.extend((first - second)[first > second].tolist())
        gaps[:] = [min(gaps)]
        return largest(products, dim=dim)

    with unittest.mock.patch.object(torch.Tensor, "max", watched):
        yield gaps


def stable_steps(folder, what, case):
    """A salt for which rounding does not decide which vector has the largest product, and the steps: products of float32
    are off by some 2e-7."""
    for salt in range(200):
        with smallest_gap() as gaps:
            steps = list(expected_steps(folder, what, case, salt))
        if gaps[0] > 1e-6:
            return salt, steps
    sys.exit(f"{what}, {case['loss']}: all records depend on rounding")


def expected_steps(folder, what, case, salt):
    columns, scores = records_of(what, case, salt)
    model = MultiVectorEncoder(folder, device="cpu").double().train()
    for part in model.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0
    mean = "mean_" if model.similarity_fn_name == "meanmaxsim" else ""
    if case["loss"] == "ranking":
        loss = losses.MultiVectorMultipleNegativesRankingLoss(
            model, scale=case.get("scale", 1), similarity_fct=getattr(scoring, mean + "colbert_scores"))
    elif case["loss"] == "kl":
        loss = losses.MultiVectorDistillKLDivLoss(
            model, similarity_fct=getattr(scoring, mean + "colbert_kd_scores"), temperature=case["temperature"])
    else:
        loss = losses.MultiVectorMarginMSELoss(model, similarity_fct=getattr(scoring, mean + "colbert_scores_pairwise"))
    groups = [{"params": [], "weight_decay": decay} for decay in (DECAY, 0)]
    for name, parameter in model.named_parameters():
        if "pooler" not in name and "predictions" not in name and "lm_head" not in name:
            groups["norm" in name.lower() or "bias" in name]["params"].append(parameter)
    optimizer = torch.optim.AdamW(groups, lr=RATE)
    tasks = ["query", *["document"] * (len(columns) - 1)]
    for first in range(0, STEPS * BATCH, BATCH):
        features = [{**model.preprocess(texts[first:first + BATCH], prompt=model.prompts.get(task), task=task), "task": task}
                    for texts, task in zip(columns, tasks)]
        labels = torch.tensor(scores[first:first + BATCH], dtype=torch.float64)
        value = loss(features, labels[:, :1] - labels[:, 1:] if case["loss"] == "margin-mse" else labels)
        optimizer.zero_grad()
        value.backward()
        gradients = [parameter.grad for group in groups for parameter in group["params"] if parameter.grad is not None]
        yield {"loss": value.item(), "gradient_norm": sum(gradient.square().sum() for gradient in gradients).sqrt().item()}
        optimizer.step()


def with_wide_window(folder, root):
    """A copy in which mask tokens see a token of their text, if the model has a window."""
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    if "local_attention" not in config:
        return folder
    copy = os.path.join(root, "wide")
    shutil.copytree(folder, copy)
    with open(os.path.join(copy, "config.json"), "w", encoding="utf-8") as file:
        json.dump({**config, "local_attention": 24}, file)
    return copy


def copy_with_unused(folder, *tokens):
    """A model whose vocabulary has these tokens."""
    shutil.copytree(os.path.join(HERE, TYPES[0]), folder)
    path = os.path.join(folder, "vocab.txt")
    with open(path, encoding="utf-8") as file:
        words = file.read().split("\n")
    for word, token in zip(("##z", "##q"), tokens):
        words[words.index(word)] = token
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(words))


def make_pylate(folder):
    with tempfile.TemporaryDirectory() as root:
        bare = os.path.join(root, "bare")
        copy_with_unused(bare, "[unused1]", "[unused2]")
        make_model(bare, {"dense": 16}).save_pretrained(folder)
    as_pylate(folder)


def make_stanford(folder, settings):
    """Stanford's form: the projection is in the encoder's file, and the settings are in artifact.metadata."""
    copy_with_unused(folder, "[unused0]", "[unused1]")
    path = os.path.join(folder, "model.safetensors")
    tensors = {"bert." + name: tensor for name, tensor in load_file(path).items()}
    width = tensors["bert.embeddings.LayerNorm.weight"].numel()
    save_file({**tensors, "linear.weight": torch.randn(16, width) / width**0.5}, path, {"format": "pt"})
    path = os.path.join(folder, "config.json")
    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**config, "architectures": ["HF_ColBERT"]}, file)
    if settings is not None:
        with open(os.path.join(folder, "artifact.metadata"), "w", encoding="utf-8") as file:
            json.dump(settings, file)


def check(tools):
    worst, count, steps = 0.0, 0, 0

    def look(folder, what, trained):
        nonlocal worst, count, steps
        worst, count = max(worst, compare(tools, folder, what, expected_of(folder))), count + 1
        for case in trained:
            out = folder + "-trained"
            salt, wanted = stable_steps(folder, what, case)
            steps += compare_steps(what, case, train(tools, folder, what, case, salt, out), wanted)
            compare(tools, out, what + ", trained", expected_of(out))
            shutil.rmtree(out)

    for name in TYPES:
        for number, case in enumerate(MODELS):
            if "deberta" in name and not case.get("expansion", {"attend": True}).get("attend"):
                continue  # refused
            torch.manual_seed(SEED + number)
            with tempfile.TemporaryDirectory() as root:
                folder = os.path.join(root, "model")
                make_model(with_wide_window(os.path.join(HERE, name), root), case).save_pretrained(folder)
                look(folder, f"{name}, {case['name']}", TRAINED if name in TYPES[:2] + TYPES[3:4] else [])
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "model")
        torch.manual_seed(SEED)
        make_pylate(folder)
        look(folder, "PyLate", TRAINED)
    for number, settings in enumerate(STANFORD):
        with tempfile.TemporaryDirectory() as root:
            folder = os.path.join(root, "model")
            torch.manual_seed(SEED)
            make_stanford(folder, settings)
            look(folder, f"Stanford's, {number}", TRAINED if number == 0 else [])
            run(tools, "bert-convert", folder, "-o", os.path.join(root, "converted"))
            look(os.path.join(root, "converted"), f"Stanford's, {number}, converted", [])
    print(f"{count} models, largest difference {worst:.2g}; {steps} steps")


def store():
    shutil.rmtree(STORED, ignore_errors=True)
    torch.manual_seed(SEED)
    for name, make in (("masks", lambda folder: make_model(os.path.join(HERE, TYPES[0]), {**MODELS[1], "dense": 8}).save_pretrained(folder)),
                       ("at-least", lambda folder: make_model(os.path.join(HERE, TYPES[0]), MODELS[3]).save_pretrained(folder)),
                       ("pylate", make_pylate),
                       ("stanford", lambda folder: make_stanford(folder, STANFORD[0]))):
        folder = os.path.join(STORED, name)
        make(folder)
        if name != "stanford":
            os.remove(os.path.join(folder, "README.md"))
        expected = {**expected_of(folder), "steps": [stable_steps(folder, name, case) for case in TRAINED]}
        with open(os.path.join(folder, "expected.json"), "w", encoding="utf-8") as file:
            json.dump(expected, file)


def check_stored(tools):
    worst, steps = 0.0, 0
    for name in sorted(os.listdir(STORED)):
        folder = os.path.join(STORED, name)
        with open(os.path.join(folder, "expected.json"), encoding="utf-8") as file:
            expected = json.load(file)
        worst = max(worst, compare(tools, folder, name, expected))
        for case, (salt, wanted) in zip(TRAINED, expected["steps"], strict=True):
            with tempfile.TemporaryDirectory() as out:
                steps += compare_steps(name, case, train(tools, folder, name, case, salt, os.path.join(out, "model")), wanted)
    print(f"stored: largest difference {worst:.2g}; {steps} steps")


def main():
    if sys.argv[1] == "--store":
        return store()
    check_stored(os.path.abspath(sys.argv[1]))
    if torch is not None:
        check(os.path.abspath(sys.argv[1]))


if __name__ == "__main__":
    if torch is not None:
        logging.disable_progress_bar()
        logging.set_verbosity_error()
    main()
