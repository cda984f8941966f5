#!/usr/bin/env python3
"""Changes each key of the config classes of transformers, one after another, and compares bert-embed with transformers.

Usage: check_config_keys.py TOOLS_DIRECTORY [TYPE...]      (needs torch and transformers 5)

For each type of make_types.py, models with random weights are made with another value of one key, in evaluation mode as
bert-embed reads them. Where the key changes the last hidden states, bert-embed must give the same, or refuse the file.
Keys that transformers itself does not accept, or that change nothing there, are counted only.
"""
import dataclasses
import json
import os
import subprocess
import sys
import tempfile

try:
    import torch
    import transformers as tf

    from make_types import TYPES, VOCAB
except (ImportError, AttributeError) as error:  # AttributeError: transformers before 5 lacks some types
    print("skipped:", error)
    sys.exit(77)

IDS = [[5, 9, 7, 30, 31, 12], [8, 6, 20, 21, 22, 23, 24, 25, 26, 13, 14, 15, 40]]
OTHERS = {"hidden_act": ["relu", "silu"], "hidden_activation": ["relu"], "position_embedding_type": ["relative_key"],
          "layer_types": [["full_attention"] * 3, ["sliding_attention", "full_attention", "sliding_attention"]],
          "pos_att_type": [["c2p"], ["p2c"], None], "rope_parameters": [], "classifier_pooling": ["mean"], "conv_act": ["gelu"],
          "norm_rel_ebd": ["none"], "pooler_hidden_act": ["tanh"]}
MORE = {"deberta-v2": {"position_buckets": 6, "norm_rel_ebd": "none", "share_att_key": False, "conv_kernel_size": 3,
                       "conv_groups": 3, "embedding_size": [12, 23], "attention_head_size": 8, "pooler_hidden_size": 12,
                       "z_steps": 2, "max_relative_positions": 7}}
LEFT_OUT = ("transformers_version", "architectures", "id2label", "label2id", "dtype", "torch_dtype", "output_hidden_states",
            "output_attentions", "return_dict", "_name_or_path", "vocab_size", "model_type", "problem_type",
            "chunk_size_feed_forward", "is_encoder_decoder", "base_config_key", "attn_implementation")


def values(key, value):
    if key in OTHERS:
        return OTHERS[key]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value * 2] if value > 0 else [1]
    if isinstance(value, float):
        return [0.25] if value < 1e-3 else [value / 2]
    return []


def states_of(model):
    rows = []
    with torch.no_grad():
        for ids in IDS:
            rows.append(model(input_ids=torch.tensor([ids])).last_hidden_state[0])
    return torch.cat(rows)


def make(name, changes, folder):
    config_class, prefix, keys = TYPES[name]
    config = config_class(**keys | changes)
    config._attn_implementation = "eager"
    torch.manual_seed(3)
    model = getattr(tf, prefix + "Model")(config).eval()
    if folder is not None:
        model.save_pretrained(folder)
        with open(os.path.join(folder, "vocab.txt"), "w", encoding="utf-8") as file:
            words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"w{i}" for i in range(VOCAB - 5)]
            file.write("\n".join(words) + "\n")
    return model


def ours(tools, folder):
    """The states, or the message of a refusal."""
    records = "".join(json.dumps({"input_ids": ids}) + "\n" for ids in IDS)
    done = subprocess.run([os.path.join(tools, "bert-embed"), "-q", "-m", folder, "--pooling", "none", "--format", "f32"],
                          input=records.encode(), capture_output=True)
    if done.returncode:
        return done.stderr.decode().strip()
    return torch.frombuffer(bytearray(done.stdout), dtype=torch.float32)


def main():
    tools, names = sys.argv[1], sys.argv[2:] or TYPES
    wrong, counts = 0, {"equal": 0, "refused": 0, "without effect": 0, "not accepted": 0}
    for name in names:
        keys = TYPES[name][2]
        base_config = TYPES[name][0](**keys)
        base = states_of(make(name, {}, None))
        fields = {field.name for field in dataclasses.fields(base_config)} | set(base_config.to_dict())
        tried = {key: values(key, getattr(base_config, key, None)) for key in sorted(fields) if key not in LEFT_OUT}
        for key, value in MORE.get(name, {}).items():
            tried[key] = value if isinstance(value, list) else [value]
        for key, others in [("", [None]), *tried.items()]:
            for value in others:
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        model = make(name, {key: value} if key else {}, folder)
                        states = states_of(model)
                    except Exception:  # whatever transformers says of such a value
                        counts["not accepted"] += 1
                        continue
                    found = ours(tools, folder)
                same = states.shape == base.shape and torch.allclose(states, base, atol=1e-6)
                if isinstance(found, str):
                    counts["refused"] += 1
                    if same and key not in found:
                        print(f"{name}: {key} = {value} changes nothing, but is refused: {found}")
                    continue
                error = (found.reshape(states.shape) - states).abs().max() if found.numel() == states.numel() else 9e9
                counts["without effect" if same and key else "equal"] += 1
                if error > 2e-5:
                    wrong += 1
                    print(f"{name}: {key} = {value}: off by {error}")
    print(", ".join(f"{count} {what}" for what, count in counts.items()) + f"; {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    tf.logging.set_verbosity_error()
    tf.logging.disable_progress_bar()
    main()
