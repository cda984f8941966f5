#!/usr/bin/env python3
"""Compares bert-train --task distill with the losses of MiniLM and TinyBERT, written here from the papers, in float64:
the gradients of all parameters in the first step, the curve of 20 steps with AdamW, and the loss on a dev set.

usage: check_teacher.py DIRECTORY_OF_THE_TOOLS

Needs torch, safetensors and transformers 5.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import torch
    import transformers as tf
    from safetensors.torch import load_file

    from jina_reference import jina, jina_code, slopes
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

WORDS = [f"w{i}" for i in range(36)]
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
STEPS, BATCH, RATE, DECAY, BETA1 = 20, 6, 1e-3, 0.01, 0.9
MOST = 1e-5

# Layers, hidden size, heads.
TYPES = {"bert": (tf.BertConfig, tf.BertModel), "distilbert": (tf.DistilBertConfig, tf.DistilBertModel),
         "electra": (tf.ElectraConfig, tf.ElectraModel), "albert": (tf.AlbertConfig, tf.AlbertModel),
         "mpnet": (tf.MPNetConfig, tf.MPNetModel), "jina_bert": (tf.BertConfig, jina("Model")),
         "jina_bert_code": (tf.BertConfig, jina_code("Model"))}
CASES = [
    {"name": "minilm, other width", "teacher": ("bert", 3, 48, 4), "student": ("bert", 2, 32, 4)},
    {"name": "minilm, upper-middle layer, more heads", "teacher": ("bert", 4, 64, 4), "student": ("bert", 2, 48, 2),
     "teacher-layers": [3], "relation-heads": 8, "pairs": True},
    {"name": "minilm, the student's heads, long", "teacher": ("electra", 2, 52, 13), "student": ("bert", 2, 56, 4),
     "most": 140},
    {"name": "minilm, one layer", "teacher": ("distilbert", 2, 52, 4), "student": ("bert", 1, 52, 4)},
    {"name": "minilm, shared layers", "teacher": ("bert", 2, 48, 4), "student": ("albert", 3, 32, 2)},
    {"name": "minilm, recomputed, batches", "teacher": ("bert", 3, 48, 4), "student": ("bert", 3, 32, 4),
     "options": ["--recompute", "--accumulate", "3", "--batch-size", "2"]},
    {"name": "minilm-v1, other width", "teacher": ("bert", 3, 52, 4), "student": ("bert", 2, 32, 4), "most": 70},
    {"name": "minilm-v1, bias of attention", "teacher": ("mpnet", 2, 48, 4), "student": ("bert", 2, 32, 4)},
    {"name": "tinybert, projected", "teacher": ("bert", 4, 52, 4), "student": ("bert", 2, 32, 4), "most": 90,
     "pairs": True},
    {"name": "tinybert, same width", "teacher": ("distilbert", 3, 48, 4), "student": ("bert", 2, 48, 4),
     "teacher-layers": [1, 3]},
    {"name": "minilm, gates", "teacher": ("jina_bert", 3, 48, 4), "student": ("jina_bert", 2, 36, 3), "most": 60},
    {"name": "minilm-v1, linear biases", "teacher": ("jina_bert", 2, 48, 6), "student": ("jina_bert", 2, 36, 6)},
    {"name": "tinybert, linear biases", "teacher": ("jina_bert", 2, 52, 4), "student": ("jina_bert", 2, 32, 4), "most": 90},
    {"name": "minilm, normalized queries", "teacher": ("jina_bert_code", 3, 48, 4), "student": ("jina_bert_code", 2, 36, 3)},
    {"name": "minilm-v1, normalized queries", "teacher": ("bert", 2, 48, 4), "student": ("jina_bert_code", 2, 36, 4)},
    {"name": "tinybert, normalized queries", "teacher": ("jina_bert_code", 2, 52, 4), "student": ("jina_bert_code", 2, 32, 4)},
    {"name": "tinybert, deeper than its teacher", "teacher": ("bert", 2, 48, 4), "student": ("electra", 3, 32, 4)},
]


def loss_name(case):
    return case["name"].split(",")[0]


def make_model(of_type, layers, hidden, heads, folder, seed):
    """A random model, which is written."""
    config_class, model_class = TYPES[of_type]
    sizes = {"vocab_size": len(VOCAB), "max_position_embeddings": 192, "pad_token_id": 0}
    if of_type == "distilbert":
        sizes |= {"n_layers": layers, "dim": hidden, "n_heads": heads, "hidden_dim": 2 * hidden, "dropout": 0,
                  "attention_dropout": 0}
    else:
        sizes |= {"num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads,
                  "intermediate_size": 2 * hidden, "hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0}
    if of_type in ("electra", "albert"):
        sizes["embedding_size"] = 20
    if of_type.startswith("jina_bert"):
        sizes |= {"position_embedding_type": "alibi", "feed_forward_type": "geglu"}
    if of_type == "jina_bert_code":
        sizes["auto_map"] = {"AutoModel": "jinaai/jina-bert-v2-qk-post-norm--modeling_bert.JinaBertModel"}
    if of_type == "mpnet":
        sizes |= {"pad_token_id": 1, "max_position_embeddings": 194}  # positions follow the padding id
    torch.manual_seed(seed)
    model = model_class(config_class(**sizes))
    for parameter in model.parameters():  # larger than usual, so that attention is not even
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.3)
        else:
            parameter.data += 0.1 * torch.randn_like(parameter)
    model.save_pretrained(folder)
    with open(os.path.join(folder, "vocab.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(VOCAB) + "\n")
    with open(os.path.join(folder, "tokenizer_config.json"), "w", encoding="utf-8") as file:
        json.dump({"tokenizer_class": "BertTokenizer", "do_lower_case": True}, file)
    return model.double().train()


def make_records(case, count, path):
    chance = random.Random(case["name"] + os.path.basename(path))
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(count):
            texts = [[chance.choice(WORDS) for _ in range(1 + chance.randrange(case.get("most", 14)))]
                     for _ in range(1 + (chance.random() < 0.5 and case.get("pairs", False)))]
            record = {key: " ".join(text) for key, text in zip(("text", "text_pair"), texts)}
            ids, types = [VOCAB.index("[CLS]")], [0]
            for kind, text in enumerate(texts):
                ids += [VOCAB.index(word) for word in text] + [VOCAB.index("[SEP]")]
                types += [kind] * (len(text) + 1)
            file.write(json.dumps(record) + "\n")
            yield ids, types


def traced(model, batch):
    """Hidden states, and queries, keys and values of each layer, padding included."""
    found = {"query": [], "key": [], "value": []}
    names = {"q_lin": "query", "k_lin": "key", "v_lin": "value", "q": "query", "k": "key", "v": "value"}
    normalizes = any(name.endswith("layer_norm_q") for name, _ in model.named_modules())
    if normalizes:
        names = {"layer_norm_q": "query", "layer_norm_k": "key", "query": "", "key": ""}
    hooks = []
    for name, module in model.named_modules():
        part = name.rsplit(".", 1)[-1]
        part = names.get(part, part)
        if part in found and isinstance(module, (torch.nn.Linear, torch.nn.LayerNorm)):
            hooks.append(module.register_forward_hook(lambda _, __, y, part=part: found[part].append(y)))
    width = max(len(ids) for ids, _ in batch)
    ids, types, mask = (torch.zeros(len(batch), width, dtype=torch.long) for _ in range(3))
    for row, (of_ids, of_types) in enumerate(batch):
        ids[row, :len(of_ids)] = torch.tensor(of_ids)
        types[row, :len(of_ids)] = torch.tensor(of_types)
        mask[row, :len(of_ids)] = 1
    given = {"input_ids": ids, "attention_mask": mask}
    if model.config.model_type == "mpnet":  # a padding id is a word here; positions are as without padding
        given["position_ids"] = torch.arange(width).expand(len(batch), -1) + 2
    elif model.config.model_type != "distilbert":
        given["token_type_ids"] = types
    states = model(**given, output_hidden_states=True).hidden_states
    for hook in hooks:
        hook.remove()
    return states, found


def scores(model, x, y, heads):
    """[heads, T, T] of a sequence, of x and y [T, hidden]."""
    x, y = (part.reshape(len(part), heads, -1).transpose(0, 1) for part in (x, y))
    return x @ y.transpose(1, 2) / x.shape[2]**0.5


def bias_of(model, length):
    if getattr(model.config, "position_embedding_type", "") == "alibi":
        places = torch.arange(length, dtype=torch.float64)
        return -torch.tensor(slopes(model.config.num_attention_heads))[:, None, None] * (places[:, None] - places).abs()
    if model.config.model_type != "mpnet":
        return 0
    return model.encoder.compute_position_bias(torch.zeros(1, length, 1))[0]


def divergence(student, teacher):
    p, q = teacher.log_softmax(2), student.log_softmax(2)
    return (p.exp() * (p - q)).sum(2).mean(0).sum()


def squares(student, teacher):
    return (student - teacher).square().mean(2).mean(0).sum()


def sequence_loss(case, row, length, student, teacher, projection):
    """The sum over the tokens of one sequence."""
    (model, states, parts), (its_model, its_states, its_parts) = student, teacher
    name, layers, its_layers = loss_name(case), case["student"][1], case["teacher"][1]

    def both(layer, its_layer, x, y, heads):
        ours = scores(model, parts[x][layer - 1][row, :length], parts[y][layer - 1][row, :length], heads)
        its = scores(its_model, its_parts[x][its_layer - 1][row, :length], its_parts[y][its_layer - 1][row, :length],
                     heads)
        return tuple(found + (bias_of(of, length) if x != y else 0) for of, found in ((model, ours), (its_model, its)))

    if name == "tinybert":
        chosen = case.get("teacher-layers", [max(1, (2 * i * its_layers + layers) // (2 * layers))
                                             for i in range(1, layers + 1)])
        total = 0
        for layer, its_layer in enumerate([0, *chosen]):
            x, target = states[layer][row, :length], its_states[its_layer][row, :length]
            total = total + (projection(x) - target).square().mean(1).sum()
            if layer:
                total = total + squares(*both(layer, its_layer, "query", "key", case["student"][3]))
        return total
    its_layer = case.get("teacher-layers", [its_layers])[0]
    if name == "minilm-v1":
        relations, heads = [("query", "key"), ("value", "value")], case["student"][3]
    else:
        relations, heads = [("query", "query"), ("key", "key"), ("value", "value")], case.get("relation-heads")
        if heads is None:
            heads = case["teacher"][3] if case["student"][2] % case["teacher"][3] == 0 else case["student"][3]
    return sum(divergence(*both(layers, its_layer, x, y, heads)) for x, y in relations)


def step_loss(case, batch, student, teacher, projection):
    with torch.no_grad():
        its = traced(teacher, batch)
    ours = traced(student, batch)
    total = sum(sequence_loss(case, row, len(ids), (student, *ours), (teacher, *its), projection)
                for row, (ids, _) in enumerate(batch))
    return total / sum(len(ids) for ids, _ in batch)


def run(tool, case, folder, *options):
    """The training log."""
    command = [tool, "-q", "--task", "distill", "-m", "student", "--teacher", "teacher", "--loss", loss_name(case),
               "--no-shuffle", "--log-every", "1", "--batch-size", str(BATCH), "--warmup", "0", "--schedule",
               "constant", "--weight-decay", str(DECAY), "--clip", "0", "--beta1", str(BETA1)]
    if "options" in case:
        command = [part for i, part in enumerate(command) if "--batch-size" not in command[max(0, i - 1):i + 1]]
        command += case["options"]
    if "teacher-layers" in case:
        command += ["--teacher-layers", ",".join(map(str, case["teacher-layers"]))]
    if "relation-heads" in case:
        command += ["--relation-heads", str(case["relation-heads"])]
    output = subprocess.run([*command, *options, "records.jsonl"], cwd=folder, stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def wrong_gradients(case, step, student, projection):
    """Those of the first step are in the first moments. Names of other types than bert are ours."""
    moments = load_file(os.path.join(step, "optimizer.safetensors"))
    expected = dict(student.named_parameters()) if case["student"][0] == "bert" else {}
    if not isinstance(projection, torch.nn.Identity):
        expected |= {"pooled_projection." + name: value for name, value in projection.named_parameters()}
    largest = max(value.grad.abs().max().item() for value in expected.values() if value.grad is not None) if expected else 0
    wrong, worst = 0, 0
    for name, parameter in expected.items():
        if "adam_m." + name not in moments:
            if parameter.grad is not None:
                print(f"{case['name']}: {name} has no gradient")
                wrong += 1
            continue
        found = moments["adam_m." + name].double() / (1 - BETA1)
        grad = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        difference = (found - grad).abs().max().item()
        worst = max(worst, difference / largest)
        if not difference <= MOST * largest:
            print(f"{case['name']}: the gradient of {name} differs by {difference} of at most {grad.abs().max().item()}")
            wrong += 1
    return wrong, worst


def differences(tool, case, folder):
    student = make_model(*case["student"], os.path.join(folder, "student"), 1)
    teacher = make_model(*case["teacher"], os.path.join(folder, "teacher"), 2).eval()
    records = list(make_records(case, STEPS * BATCH, os.path.join(folder, "records.jsonl")))
    dev = list(make_records(case, 17, os.path.join(folder, "dev.jsonl")))
    projection = torch.nn.Identity()
    run(tool, case, folder, "-o", "initial", "--steps", "1", "--lr", "0")
    initial = os.path.join(folder, "initial", "checkpoints", "step-00000001")
    if loss_name(case) == "tinybert" and case["student"][2] != case["teacher"][2]:
        stored = load_file(os.path.join(initial, "model.safetensors"))
        projection = torch.nn.Linear(case["student"][2], case["teacher"][2]).double()
        projection.load_state_dict({name: stored["pooled_projection." + name] for name in ("weight", "bias")})
    found = run(tool, case, folder, "-o", "out", "--lr", str(RATE), "--epochs", "1", "--dev", "dev.jsonl")
    trained = torch.nn.ModuleList([student, projection])
    groups = [{"params": [], "weight_decay": decay} for decay in (DECAY, 0)]
    for name, parameter in trained.named_parameters():
        groups["norm" in name.lower() or "bias" in name]["params"].append(parameter)
    optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(BETA1, 0.999))
    wrong = 0 if len(found) == STEPS + 1 else 1
    worst_gradient = 0
    for step in range(STEPS):
        value = step_loss(case, records[step * BATCH:(step + 1) * BATCH], student, teacher, projection)
        optimizer.zero_grad()
        value.backward()
        if step == 0:
            more, worst_gradient = wrong_gradients(case, initial, student, projection)
            wrong += more
        norm = sum(parameter.grad.square().sum() for parameter in trained.parameters()
                   if parameter.grad is not None).sqrt()
        for key, expected in (("loss", value.item()), ("gradient_norm", norm.item())):
            if not abs(found[step][key] - expected) <= MOST * max(1, abs(expected)):
                print(f"{case['name']}, step {step + 1}: {key} is {found[step][key]}, expected {expected}")
                wrong += 1
        optimizer.step()
    with torch.no_grad():
        expected = step_loss(case, dev, student, teacher, projection).item()
    if not abs(found[-1]["dev_loss"] - expected) <= MOST * max(1, abs(expected)):
        print(f"{case['name']}: dev_loss is {found[-1]['dev_loss']}, expected {expected}")
        wrong += 1
    names = load_file(os.path.join(folder, "out", "model.safetensors")).keys()
    if any("pooler" in name or "projection" in name and "embeddings" not in name and "mapping" not in name
           for name in names):
        print(f"{case['name']}: the model has {sorted(names)}")
        wrong += 1
    print(f"{case['name']}: {wrong} differences; gradients differ by at most {worst_gradient:.1e}; losses are "
          f"{found[0]['loss']:.4f} to {found[-2]['loss']:.4f}")
    return wrong


def main():
    tool = os.path.abspath(os.path.join(sys.argv[1], "bert-train"))
    wrong = 0
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            wrong += differences(tool, case, folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    tf.logging.set_verbosity_error()
    tf.logging.disable_progress_bar()
    sys.exit(main())
