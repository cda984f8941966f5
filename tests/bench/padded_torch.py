#!/usr/bin/python3
"""PyTorch pre-training steps on records of bert-mask, each batch padded to its longest sequence, as is usual.

    padded_torch.py PEERS SHAPE RECORDS BATCH THREADS

PEERS is the directory of bert_torch.py (the encoder). Batches are RECORDS in file order; all tensors are
created before the clock starts. Prints one JSON object: the seconds of each step, and the process's peak
memory in MiB.
"""
import json
import resource
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, sys.argv[1])
import bert_torch  # noqa: E402

VOCABULARY, DROPOUT = 30522, 0.1


class Pretraining(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.encoder = bert_torch.Bert(shape, V=VOCABULARY)
        width = self.encoder.H
        self.pooler, self.next = nn.Linear(width, width), nn.Linear(width, 2)
        self.transform, self.norm = nn.Linear(width, width), nn.LayerNorm(width, 1e-12)
        self.bias = nn.Parameter(torch.zeros(VOCABULARY))

    def forward(self, batch):
        output = self.encoder(batch["ids"], batch["mask"], batch["types"], DROPOUT)
        hidden = output.flatten(0, 1)[batch["places"]]
        logits = F.linear(self.norm(F.gelu(self.transform(hidden))), self.encoder.we.weight, self.bias)
        follows = self.next(torch.tanh(self.pooler(output[:, 0])))
        return F.cross_entropy(logits, batch["gold"]) + F.cross_entropy(follows, batch["labels"])


def tensors(records):
    longest = max(len(record["input_ids"]) for record in records)

    def padded(name, other=None):
        return torch.tensor([(record.get(name) or [other] * len(record["input_ids"]))
                             + [0] * (longest - len(record["input_ids"])) for record in records])

    return {"ids": padded("input_ids"), "types": padded("token_type_ids", 0),
            "mask": torch.tensor([[int(i < len(record["input_ids"])) for i in range(longest)] for record in records]),
            "places": torch.tensor([place + i * longest for i, record in enumerate(records)
                                    for place in record["masked_lm_positions"]]),
            "gold": torch.tensor([token for record in records for token in record["masked_lm_ids"]]),
            "labels": torch.tensor([record["next_sentence_label"] for record in records])}


def main():
    _, _, shape, path, size, threads = sys.argv
    torch.set_num_threads(int(threads))
    torch.manual_seed(0)
    with open(path, encoding="ascii") as file:
        records = [json.loads(line) for line in file]
    batches = [tensors(records[i:i + int(size)]) for i in range(0, len(records), int(size))]
    model = Pretraining(shape).train()
    parameters = list(model.parameters())
    optimiser = torch.optim.AdamW([{"params": [p for p in parameters if p.dim() > 1], "weight_decay": 0.01},
                                   {"params": [p for p in parameters if p.dim() <= 1], "weight_decay": 0}], lr=1e-4)
    seconds = []
    for batch in batches:
        start = time.perf_counter()
        optimiser.zero_grad(set_to_none=True)
        model(batch).backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        seconds.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mib": peak}))


if __name__ == "__main__":
    main()
