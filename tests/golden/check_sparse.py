#!/usr/bin/env python3
"""Compares bert-embed --sparse with the SparseEncoder of sentence-transformers, for models of several types and with a
Router, and 20 steps of bert-train --task embed --sparse, also with --query-table, with its SpladeLoss in float64.

Usage: check_sparse.py TOOLS_DIRECTORY      (needs torch, transformers 5 and sentence-transformers 6)
"""
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

try:
    import torch
    from sentence_transformers.sparse_encoder import SparseEncoder, losses
    from sentence_transformers.sparse_encoder.callbacks.splade_callbacks import SpladeRegularizerWeightSchedulerCallback
    from sentence_transformers.base.modules.router import Router
    from sentence_transformers.base.modules.transformer import Transformer
    from sentence_transformers.sparse_encoder.modules import SparseStaticEmbedding, SpladePooling
    from safetensors import safe_open
    from transformers import AutoTokenizer, TrainerState
    from transformers.utils import logging
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "type-models")
WAYS = {"max": ("max", "relu"), "sum": ("sum", "relu"), "max-log": ("max", "log1p_relu"), "sum-log": ("sum", "log1p_relu")}


STEPS, BATCH, RATE, DECAY, SEED, MOST = 20, 6, 1e-3, 0.01, 5, 2e-5
# With sums, each logit that rounding moves across 0 changes the gradient, so later steps may differ by "most".
TRAINED = [{"loss": "ranking", "negatives": 0, "way": "max", "flops": (0.03, 0.05)},
           {"loss": "ranking", "negatives": 2, "way": "max-log", "flops": (0.1, 0), "scale": 0.5},
           {"loss": "margin-mse", "negatives": 1, "way": "max", "flops": (0, 0.2)},
           {"loss": "kl", "negatives": 3, "way": "max-log", "flops": (0.02, 0.01), "temperature": 2},
           {"loss": "ranking", "negatives": 1, "way": "sum", "flops": (0.001, 0.002), "scale": 0.02, "warmup": 1 / 3, "most": 1e-3},
           {"loss": "kl", "negatives": 2, "way": "sum-log", "flops": (0.003, 0.001), "temperature": 20, "warmup": 0.6, "most": 1e-3},
           {"loss": "ranking", "negatives": 0, "way": "max", "flops": (0.03, 0.05), "warmup": 1},
           {"loss": "ranking", "negatives": 1, "way": "max", "flops": (0.03, 0.02), "table": "train"},
           {"loss": "kl", "negatives": 2, "way": "max-log", "flops": (0.02, 0.01), "temperature": 2, "table": "train"},
           {"loss": "margin-mse", "negatives": 1, "way": "max", "flops": (0.01, 0), "table": "freeze"},
           {"loss": "ranking", "negatives": 0, "way": "max-log", "flops": (0.03, 0), "table": "freeze"}]
TABLE_RATE = 50  # of the table, relative to the others'
NUMBERS = "loss", "gradient_norm"  # of a step


def without_dropout(encoder):
    for part in encoder.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0
    return encoder


def texts_of(case, salt):
    chance = random.Random(f"{case} {salt}")
    words = "the king of a castle snow river and good cold mountains was".split()
    columns = [[" ".join(chance.choice(words) for _ in range(1 + chance.randrange(9))) for _ in range(STEPS * BATCH)]
               for _ in range(2 + case["negatives"])]
    return columns, [[chance.randrange(-32, 33) / 8 for _ in columns[1:]] for _ in columns[0]]


def inverse_document_frequencies(tokenizer, columns):
    """The table of queries with which training begins."""
    documents = [text for column in columns[1:] for text in column]
    counts = torch.zeros(len(tokenizer.get_vocab()), dtype=torch.float64)
    for text in documents:
        counts[list(set(tokenizer(text, truncation=True)["input_ids"]))] += 1  # as the model reads it
    weights = torch.log1p((len(documents) - counts + 0.5) / (counts + 0.5))
    weights[tokenizer.all_special_ids + [i for i, token in tokenizer.added_tokens_decoder.items() if token.special]] = 0
    return weights


def encoder_of(folder, case, columns):
    """The model, and the parameter of its table of queries, or None."""
    pooling, activation = WAYS[case["way"]]
    documents = [Transformer(folder, transformer_task="fill-mask"), SpladePooling(pooling, activation)]
    if "table" not in case:
        return SparseEncoder(modules=documents, device="cpu").double(), None
    tokenizer = AutoTokenizer.from_pretrained(folder)
    queries = SparseStaticEmbedding(tokenizer, inverse_document_frequencies(tokenizer, columns), frozen=case["table"] == "freeze")
    return SparseEncoder(modules=[Router.for_query_document([queries], documents)], device="cpu").double(), queries.weight


def stable_steps(folder, case):
    """A salt, and its steps before rounding decides which token has the largest logit of a word: if not all, the most of
    some salts, of more if these are too few."""
    best = 0, []
    for salt in range(40):
        steps, moved = (list(expected_steps(folder, case, salt, noise)) for noise in (0, 2e-6))
        same = [all(abs(a[key] - b[key]) <= 1e-4 * max(1, abs(a[key])) for key in NUMBERS) for a, b in zip(steps, moved)]
        stable = same.index(False) if False in same else STEPS
        best = max(best, (salt, steps[:stable]), key=lambda found: len(found[1]))
        if stable == STEPS or (salt >= 7 and len(best[1]) >= STEPS // 4):
            break
    if len(best[1]) < STEPS // 4:
        sys.exit(f"{folder}, {case}: only {len(best[1])} steps do not depend on rounding")
    return best


def expected_steps(folder, case, salt, noise):
    columns, scores = texts_of(case, salt)
    encoder, table = encoder_of(folder, case, columns)
    without_dropout(encoder.train())
    numbers = torch.Generator().manual_seed(SEED)
    for parameter in encoder.parameters():
        parameter.data *= 1 + noise * torch.randn(parameter.shape, generator=numbers, dtype=torch.float64)
    base = {"ranking": lambda: losses.SparseMultipleNegativesRankingLoss(encoder, scale=case.get("scale", 1)),
            "margin-mse": lambda: losses.SparseMarginMSELoss(encoder),
            "kl": lambda: losses.SparseDistillKLDivLoss(encoder, temperature=case["temperature"])}[case["loss"]]()
    loss = losses.SpladeLoss(encoder, base, document_regularizer_weight=case["flops"][0], query_regularizer_weight=case["flops"][1])
    state, rising = TrainerState(max_steps=STEPS), None
    if "warmup" in case:
        rising = SpladeRegularizerWeightSchedulerCallback(loss, warmup_ratio=case["warmup"])
        rising.on_train_begin(None, state, None)
    groups = [{"params": [], "weight_decay": decay} for decay in (DECAY, 0)]
    for name, parameter in encoder.named_parameters():
        if parameter is not table:
            groups["norm" in name.lower() or "bias" in name]["params"].append(parameter)
    if table is not None:
        groups.append({"params": [table], "weight_decay": 0, "lr": TABLE_RATE * RATE})
    optimizer = torch.optim.AdamW(groups, lr=RATE)
    for first in range(0, STEPS * BATCH, BATCH):
        state.global_step = first // BATCH
        if rising:
            rising.on_step_begin(None, state, None)
        sides = ["query"] + ["document"] * len(columns[1:]) if table is not None else [None] * len(columns)
        features = [encoder.preprocess(texts[first:first + BATCH], task=side) for texts, side in zip(columns, sides)]
        labels = torch.tensor(scores[first:first + BATCH], dtype=torch.float64)
        value = sum(loss(features, labels[:, :1] - labels[:, 1:] if case["loss"] == "margin-mse" else labels).values())
        optimizer.zero_grad()
        value.backward()
        norm = sum(p.grad.square().sum() for group in groups for p in group["params"] if p.grad is not None).sqrt()
        optimizer.step()
        if table is not None:  # bert-train keeps its weights from falling below 0
            table.data.clamp_(min=0)
        yield {"loss": value.item(), "gradient_norm": norm.item(),
               "table": None if table is None else table.detach().clone(),
               "table_gradient": None if table is None or table.grad is None else table.grad.clone()}


def compare_query_table(out, name, case, steps):
    """The gradient of the first step, from the first moment, and the table after the last one that does not depend on rounding."""
    def numbers(folder, file, tensor):
        with safe_open(os.path.join(out, folder, file), "pt") as tensors:
            return tensors.get_tensor(tensor).double()

    folder = "checkpoints/step-%08d"
    found = {"table_gradient": numbers(folder % 1, "optimizer.safetensors", "adam_m.query_table.weight") / 0.1,
             "table": numbers(folder % len(steps) + "/query_0_SparseStaticEmbedding", "model.safetensors", "weight")}
    frozen = steps[0]["table_gradient"] is None
    wanted = {"table_gradient": 0 if frozen else steps[0]["table_gradient"], "table": steps[-1]["table"]}
    for key, most in (("table_gradient", 1e-5), ("table", 1e-6 if frozen else case.get("most", MOST))):
        error = (found[key] - wanted[key]).abs().max().item()
        worst_table[key] = max(worst_table[key], error)
        if error > most:
            sys.exit(f"{name}, {case}: {key} is off by {error}")


worst_table = {"table_gradient": 0.0, "table": 0.0}


def train(tools, folder, name, case):
    salt, steps = stable_steps(folder, case)
    columns, scores = texts_of(case, salt)
    records = "".join(json.dumps({"text": text, "text_pair": pair, "negatives": negatives, "scores": of_record}) + "\n"
                      for (text, pair, *negatives), of_record in zip(zip(*columns), scores)).encode()
    options = [option for key in ("scale", "temperature") if key in case for option in ("--" + key, str(case[key]))]
    options += ["--query-table", case["table"], "--save-every", "1", "--keep", str(STEPS)] if "table" in case else []
    with tempfile.TemporaryDirectory() as out:
        path = os.path.join(out, "records.jsonl")
        with open(path, "wb") as file:
            file.write(records)
        lines = subprocess.run(
            [os.path.join(tools, "bert-train"), "-q", "--task", "embed", "-m", folder, "-o", os.path.join(out, "model"),
             "--sparse", case["way"], "--flops", ",".join(map(str, case["flops"])), "--loss", case["loss"], "--no-shuffle",
             "--flops-warmup", str(case.get("warmup", 0)), "--steps", str(STEPS),
             "--dropout", "0", "--log-every", "1", "--batch-size", str(BATCH), "--warmup", "0", "--schedule", "constant",
             "--weight-decay", str(DECAY), "--clip", "0", "--seed", str(SEED), "--lr", str(RATE), *options, path],
            check=True, stdout=subprocess.PIPE).stdout.splitlines()
        encoder = SparseEncoder(os.path.join(out, "model"), device="cpu").double().eval()
        texts = ["the king was in the castle", "snow"]
        for side, encode in (("query", encoder.encode_query), ("document", encoder.encode_document)) if "table" in case else ((None, encoder.encode),):
            wanted = [dict(pairs) for pairs in encoder.decode(encode(texts, convert_to_sparse_tensor=True))]
            found = subprocess.run([os.path.join(tools, "bert-embed"), "-q", "-m", os.path.join(out, "model"), "--sparse", "model",
                                    *(["--prompt", side] if side else [])],
                                   input="\n".join(texts).encode(), check=True, stdout=subprocess.PIPE).stdout.splitlines()
            for line, expected in zip(found, wanted, strict=True):
                weights = json.loads(line)["sparse"]
                if max(abs(weights.get(token, 0) - expected.get(token, 0)) for token in {*weights, *expected}) > MOST:
                    sys.exit(f"{name}, {case}: the trained model gives other weights")
        if "table" in case:
            compare_query_table(os.path.join(out, "model"), name, case, steps)
    for step, (line, expected) in enumerate(zip(lines, steps), 1):
        ours = json.loads(line)
        for key in NUMBERS:
            value = expected[key]
            if not abs(ours[key] - value) <= (MOST if step == 1 else case.get("most", MOST)) * max(1, abs(value)):
                sys.exit(f"{name}, {case}, step {step}: {key} is {ours[key]}, expected {value}")
    return len(steps)


def save_with_table(model, folder, form, chance):
    """A SparseEncoder whose queries have weights of a table, in each form that directories have."""
    tokenizer = AutoTokenizer.from_pretrained(model)
    numbers = [chance.choice([0, 1, chance.random() * 9]) for _ in tokenizer.get_vocab()]
    router = Router.for_query_document([SparseStaticEmbedding(tokenizer, torch.tensor(numbers))],
                                       [Transformer(model, transformer_task="fill-mask"), SpladePooling("max", "log1p_relu")])
    prompts = {"query": "the snow "} if form == "prompts" else None
    SparseEncoder(modules=[router], device="cpu", prompts=prompts).save_pretrained(folder)
    table = os.path.join(folder, "query_0_SparseStaticEmbedding")
    if form == "idf.json":  # some tokens, and two that the vocabulary lacks
        os.remove(os.path.join(table, "model.safetensors"))
        path = os.path.join(os.path.abspath(table), "idf.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**{token: chance.random() * 9 for token in list(tokenizer.get_vocab())[::2]}, "no such": 5.5, "nor this": 4.5}, file)
        with open(os.path.join(table, "config.json"), "w", encoding="utf-8") as file:
            json.dump({"frozen": True, "path": path}, file)
    elif form == "root":  # as published for OpenSearch: the document's transformer is in the root
        first = os.path.join(folder, "document_0_Transformer")
        for name in os.listdir(first):
            shutil.move(os.path.join(first, name), os.path.join(folder, name))
        os.rmdir(first)
        path = os.path.join(folder, "router_config.json")
        with open(path, encoding="utf-8") as file:
            text = file.read().replace("document_0_Transformer", "")
        text = text.replace("base.modules.transformer.Transformer", "sparse_encoder.models.MLMTransformer.MLMTransformer")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def compare_tables(tools):
    """Both sides of directories with a Router, and searches; returns the number of texts and the largest differences."""
    worst, count, chance = {"query": 0.0, "document": 0.0, None: 0.0}, 0, random.Random(11)
    words = "the king of a castle snow river CAFÉ naïve [SEP] [MASK] 東京 xyzzy 42 -- \u200b don't \N{SNOWMAN}".split(" ")
    for name, form in (("mpnet", "usual"), ("roberta", "root"), ("modernbert", "idf.json"), ("xlm-roberta", "prompts")):
        texts = [" ".join(chance.choice(words) for _ in range(1 + chance.randrange(60 if place % 4 == 0 else 9))) for place in range(100)]
        with tempfile.TemporaryDirectory() as folder:
            save_with_table(os.path.join(MODELS, name), folder, form, chance)
            encoder = SparseEncoder(folder, device="cpu")
            for side, encode in (("query", encoder.encode_query), ("document", encoder.encode_document), (None, encoder.encode)):
                wanted = [dict(pairs) for pairs in encoder.decode(encode(texts, convert_to_sparse_tensor=True))]
                found = subprocess.run([os.path.join(tools, "bert-embed"), "-q", "-m", folder, "--sparse", "model",
                                        *(["--prompt", side] if side else [])], check=True, stdout=subprocess.PIPE,
                                       input="".join(json.dumps({"text": text}) + "\n" for text in texts).encode()).stdout
                for text, expected, line in zip(texts, wanted, found.splitlines(), strict=True):
                    weights = json.loads(line)["sparse"]
                    error = max([0, *(abs(weights.get(token, 0) - expected.get(token, 0)) for token in {*weights, *expected})])
                    worst[side], count = max(worst[side], error), count + 1
                    if error > (1e-6 if side == "query" else 1e-5):
                        sys.exit(f"{name}, {form}, {side}, {text!r}: off by {error}")
                if side == "document":
                    compare_search(tools, folder, encoder, texts, found)
    return count, worst["query"], max(worst.values())


def compare_search(tools, folder, encoder, texts, index):
    """The scores of the best ten texts, by the model's own queries, which differ by the rounding of weights."""
    queries = texts[:20] + ["the king"]
    expected = encoder.similarity(encoder.encode_query(queries), encoder.encode_document(texts)).topk(10).values.tolist()
    path = os.path.join(folder, "index.jsonl")
    with open(path, "wb") as file:
        file.write(index)
    found = subprocess.run([os.path.join(tools, "bert-search"), "-q", "-m", folder, "--lexical", "--sparse", "--index", path, "-k", "10"],
                           input="".join(json.dumps({"text": text}) + "\n" for text in queries).encode(), check=True,
                           stdout=subprocess.PIPE).stdout
    for query, scores, line in zip(queries, expected, found.splitlines(), strict=True):
        ours = [neighbor["score"] for neighbor in json.loads(line)["neighbors"]]
        scores = [score for score in scores if score > 0]
        if len(ours) != len(scores) or any(abs(a - b) > 1e-5 * max(1, abs(b)) for a, b in zip(ours, scores)):
            sys.exit(f"{folder}, {query!r}: scores {ours}, expected {scores}")


def main():
    tools, worst, count, steps = sys.argv[1], 0.0, 0, 0
    for name in sorted(os.listdir(MODELS)):
        folder = os.path.join(MODELS, name)
        with open(os.path.join(folder, "expected.jsonl"), encoding="utf-8") as file:
            texts = [record["text"] for record in map(json.loads, file) if "text_pair" not in record]
        for way, (pooling, activation) in WAYS.items():
            encoder = SparseEncoder(modules=[Transformer(folder, transformer_task="fill-mask"), SpladePooling(pooling, activation)], device="cpu")
            wanted = [dict(pairs) for pairs in encoder.double().decode(encoder.encode(texts, convert_to_sparse_tensor=True))]
            texts_json = "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()

            def embed(model, kind):
                return subprocess.run([os.path.join(tools, "bert-embed"), "-q", "-m", model, "--sparse", kind, "--drop", "sparse_model"],
                                      input=texts_json, check=True, stdout=subprocess.PIPE).stdout.splitlines()
            lines = embed(folder, way)
            with tempfile.TemporaryDirectory() as saved:  # the directory says how
                encoder.float().save_pretrained(saved)
                if embed(saved, "model") != lines:
                    sys.exit(f"{name}, {way}: other weights by --sparse model")
            for text, expected, line in zip(texts, wanted, lines, strict=True):
                found = json.loads(line)["sparse"]
                error = max(abs(found.get(token, 0) - expected.get(token, 0)) for token in {*found, *expected})
                worst, count = max(worst, error), count + 1
                if error > 1e-5:
                    sys.exit(f"{name}, {way}, {text!r}: off by {error}")
                if list(found.values()) != sorted(found.values(), reverse=True):
                    sys.exit(f"{name}, {way}, {text!r}: not in order")
        for case in TRAINED:
            steps += train(tools, folder, name, case)
    print("tables of queries: %d texts, largest difference of queries %.2g, of all %.2g" % compare_tables(tools))
    print("trained tables of queries: largest difference of the first gradient %.2g, of the last weights %.2g" % tuple(worst_table.values()))
    print(f"{count} texts, largest difference {worst:.2g}; {steps} steps")


if __name__ == "__main__":
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    main()
