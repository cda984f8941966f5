#!/usr/bin/python3
"""Trains one BERT for sentence vectors, masked words and next sentences at once, with PyTorch.

usage: train.py START TEXTS VECTORS PAIRS OUT STEPS [SEED]

START is the directory of a BERT, of which hidden layers and embeddings are taken. TEXTS has the token ids of a text in each
line, as bert-tokenize --format ids writes them; row i of VECTORS (npy) is the teacher's vector of text i. PAIRS are records
of bert-nsp-pairs, which are masked here. OUT gets START's files and the trained weights, with the heads of both objectives.

In each step, the loss is 20 (1 - cos) of texts and vectors + 0.5 (masked words + next sentence) of pairs. Works on a GPU
in bf16, else on the processor in f32. Needs PyTorch 2 or later.
"""
import json
import math
import shutil
import struct
import sys
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
PAD, MASK, SPECIALS = 0, 4, 5  # ids; the special tokens are the first ones
LEARNING_RATE, WEIGHT_DECAY, WARMUP, CLIP = 5e-4, 0.01, 200, 5.0
TEXT_TOKENS, PAIRS, MASKED = 32768, 128, 0.2


class Layer(nn.Module):
    def __init__(self, hidden, heads, inner, epsilon):
        super().__init__()
        self.heads = heads
        self.attention = nn.ModuleDict({
            "self": nn.ModuleDict({name: nn.Linear(hidden, hidden) for name in ("query", "key", "value")}),
            "output": nn.ModuleDict({"dense": nn.Linear(hidden, hidden), "LayerNorm": nn.LayerNorm(hidden, epsilon)})})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(hidden, inner)})
        self.output = nn.ModuleDict({"dense": nn.Linear(inner, hidden), "LayerNorm": nn.LayerNorm(hidden, epsilon)})

    def forward(self, x, mask):
        rows, length, hidden = x.shape
        q, k, v = (self.attention["self"][name](x).view(rows, length, self.heads, -1).transpose(1, 2)
                   for name in ("query", "key", "value"))
        attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(rows, length, hidden)
        x = self.attention["output"]["LayerNorm"](x + self.attention["output"]["dense"](attended))
        return self.output["LayerNorm"](x + self.output["dense"](F.gelu(self.intermediate["dense"](x))))


class Bert(nn.Module):
    """BertForPreTraining; parameters have the names of its files."""

    def __init__(self, config):
        super().__init__()
        hidden, vocabulary, epsilon = config["hidden_size"], config["vocab_size"], config["layer_norm_eps"]
        layers = [Layer(hidden, config["num_attention_heads"], config["intermediate_size"], epsilon)
                  for _ in range(config["num_hidden_layers"])]
        self.bert = nn.ModuleDict({
            "embeddings": nn.ModuleDict({
                "word_embeddings": nn.Embedding(vocabulary, hidden),
                "position_embeddings": nn.Embedding(config["max_position_embeddings"], hidden),
                "token_type_embeddings": nn.Embedding(2, hidden), "LayerNorm": nn.LayerNorm(hidden, epsilon)}),
            "encoder": nn.ModuleDict({"layer": nn.ModuleList(layers)}),
            "pooler": nn.ModuleDict({"dense": nn.Linear(hidden, hidden)})})
        self.cls = nn.ModuleDict({
            "predictions": nn.ModuleDict({"transform": nn.ModuleDict({"dense": nn.Linear(hidden, hidden),
                                                                      "LayerNorm": nn.LayerNorm(hidden, epsilon)})}),
            "seq_relationship": nn.Linear(hidden, 2)})
        self.cls["predictions"].register_parameter("bias", nn.Parameter(torch.zeros(vocabulary)))
        for head in (self.bert["pooler"]["dense"], self.cls["seq_relationship"], self.cls["predictions"]["transform"]["dense"]):
            nn.init.normal_(head.weight, 0, config["initializer_range"])
            nn.init.zeros_(head.bias)

    def forward(self, ids, types=None):
        """Last hidden states [rows, length, hidden] of token ids, and which of them are tokens."""
        parts, tokens = self.bert["embeddings"], ids != PAD
        x = parts["word_embeddings"](ids) + parts["position_embeddings"].weight[:ids.shape[1]]
        x = x + (parts["token_type_embeddings"].weight[0] if types is None else parts["token_type_embeddings"](types))
        x = parts["LayerNorm"](x)
        for layer in self.bert["encoder"]["layer"]:
            x = layer(x, tokens[:, None, None, :])
        return x, tokens

    def vectors(self, ids):
        states, tokens = self(ids)
        weights = tokens[..., None].float()
        return F.normalize((states.float() * weights).sum(1) / weights.sum(1), dim=-1)

    def words(self, states):
        transform = self.cls["predictions"]["transform"]
        states = transform["LayerNorm"](F.gelu(transform["dense"](states)))
        return states @ self.bert["embeddings"]["word_embeddings"].weight.T + self.cls["predictions"].bias

    def next(self, states):
        return self.cls["seq_relationship"](torch.tanh(self.bert["pooler"]["dense"](states[:, 0])))


NUMBERS = {"F32": "<f4", "F16": "<f2"}


def read_safetensors(path):
    raw = Path(path).read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    tensors = {}
    for name, entry in json.loads(raw[8:8 + size]).items():
        if name != "__metadata__" and entry["dtype"] in NUMBERS:
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            array = np.frombuffer(raw[begin:end], NUMBERS[entry["dtype"]]).reshape(entry["shape"])
            tensors[name] = torch.from_numpy(array.astype("f4"))
    return tensors


def write_safetensors(path, tensors):
    header, data, offset = {"__metadata__": {"format": "pt"}}, [], 0
    for name, tensor in sorted(tensors.items()):
        raw = tensor.detach().float().cpu().numpy().astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [offset, offset + len(raw)]}
        data.append(raw)
        offset += len(raw)
    text = json.dumps(header).encode()
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data))


def load(directory):
    directory = Path(directory)
    model = Bert(json.loads((directory / "config.json").read_text()))
    named = {name if name.startswith(("bert.", "cls.")) else f"bert.{name}": tensor
             for name, tensor in read_safetensors(directory / "model.safetensors").items()}
    missing = model.load_state_dict(named, strict=False).missing_keys
    assert all(name.startswith(("cls.", "bert.pooler.")) for name in missing), missing
    return model


def save(model, start, out):
    out.mkdir(parents=True, exist_ok=True)
    for path in start.iterdir():
        if path.name not in ("model.safetensors", "config.json", "README.md"):
            (shutil.copytree if path.is_dir() else shutil.copyfile)(path, out / path.name)
    config = json.loads((start / "config.json").read_text())
    config |= {"architectures": ["BertForPreTraining"], "hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0}
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    write_safetensors(out / "model.safetensors", model.state_dict())


def padded(rows):
    length = -(-max(map(len, rows)) // 8) * 8
    ids = np.zeros((len(rows), length), np.int64)
    for row, tokens in zip(ids, rows):
        row[:len(tokens)] = tokens
    return torch.from_numpy(ids).to(DEVICE, non_blocking=True)


def batches_of_texts(texts, tokens, rng):
    """Indexes of texts of similar length, in random order, for ever."""
    lengths = np.array([len(text) for text in texts])
    while True:
        order, batches, begin = np.argsort(lengths + rng.random(len(texts)), kind="stable"), [], 0
        while begin < len(order):
            count = max(1, tokens // max(8, lengths[order[begin]]))
            count = max(1, min(count, tokens // max(8, lengths[order[min(begin + count, len(order)) - 1]])))
            batches.append(order[begin:begin + count])
            begin += count
        rng.shuffle(batches)
        yield from batches


def masked(ids, share, vocabulary):
    """Ids of which a share is hidden as in the paper, and which of them."""
    chosen = (torch.rand(ids.shape, device=ids.device) < share) & (ids >= SPECIALS)
    kind = torch.rand(ids.shape, device=ids.device)
    hidden = torch.where(chosen & (kind < 0.8), MASK, ids)
    return torch.where(chosen & (kind >= 0.9), torch.randint_like(ids, SPECIALS, vocabulary), hidden), chosen


def read_pairs(path):
    """Ids and token types [N, length], and labels [N]."""
    records = [json.loads(line) for line in open(path)]
    length = max(len(record["input_ids"]) for record in records)
    ids, types = np.zeros((2, len(records), length), np.int16)
    for i, record in enumerate(records):
        ids[i, :len(record["input_ids"])] = record["input_ids"]
        types[i, :len(record["token_type_ids"])] = record["token_type_ids"]
    return torch.from_numpy(ids), torch.from_numpy(types), torch.tensor([record["next_sentence_label"] for record in records])


def train(model, texts, vectors, pairs, steps, seed):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    vectors = torch.from_numpy(vectors).to(DEVICE)
    ids, types, labels = (tensor.to(DEVICE) for tensor in pairs)
    matrices = [parameter for parameter in model.parameters() if parameter.ndim > 1]
    others = [parameter for parameter in model.parameters() if parameter.ndim == 1]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": WEIGHT_DECAY}, {"params": others, "weight_decay": 0}],
                                  lr=LEARNING_RATE, fused=DEVICE == "cuda")
    began, order = time.time(), torch.randperm(len(ids), device=DEVICE)
    for step, batch in zip(range(steps), batches_of_texts(texts, TEXT_TOKENS, rng)):
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * min((step + 1) / WARMUP, 1 - step / steps)
        at = step * PAIRS % len(order)
        chosen = order[at:at + PAIRS]
        hidden, places = masked(ids[chosen].long(), MASKED, model.cls["predictions"].bias.numel())
        with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
            found = model.vectors(padded([texts[i] for i in batch]))
            states = model(hidden, types[chosen].long())[0]
            words, following = model.words(states[places]), model.next(states)
        distance = 1 - (found * F.normalize(vectors[torch.from_numpy(batch).to(DEVICE)].float(), dim=-1)).sum(-1).mean()
        word_loss = F.cross_entropy(words.float(), ids[chosen].long()[places])
        next_loss = F.cross_entropy(following.float(), labels[chosen])
        optimizer.zero_grad()
        (20 * distance + 0.5 * (word_loss + next_loss)).backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        if step % 200 == 199 or step + 1 == steps:
            print(json.dumps({"step": step + 1, "distance": round(distance.item(), 4), "mlm_loss": round(word_loss.item(), 3),
                              "nsp_loss": round(next_loss.item(), 3), "seconds": round(time.time() - began)}), flush=True)
            if not math.isfinite(distance.item()):
                sys.exit("the loss is no number")


def main():
    start, out = Path(sys.argv[1]), Path(sys.argv[5])
    steps, seed = int(sys.argv[6]), int(sys.argv[7]) if len(sys.argv) > 7 else 1
    texts = [np.array(line.split(), np.int16) for line in open(sys.argv[2])]
    vectors = np.load(sys.argv[3]).astype(np.float16)
    if len(texts) != len(vectors):
        sys.exit(f"{len(texts)} texts, but {len(vectors)} vectors")
    torch.manual_seed(seed)
    model = load(start).to(DEVICE)
    train(model, texts, vectors, read_pairs(sys.argv[4]), steps, seed)
    save(model, start, out)


if __name__ == "__main__":
    main()
