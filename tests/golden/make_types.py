#!/usr/bin/env python3
"""Writes tests/golden/types: for each type of model and head a small directory with random weights of a fixed
seed, as transformers saves it, and what transformers computes of it in float64 from a padded batch:
hidden states, logits, and the loss and its gradients. Each type has a directory for each head, and one for each
of SHAPES with one of the heads; mpnet and both of jina_bert, whose attention depends on distances, have all heads with long
sequences. Types with rotary positions have ROTARY_SHAPES instead, deberta-v2 has DISENTANGLED_SHAPES and
PROJECTED_SHAPES. The head of replaced_reference.py stands for the one of deberta-v2 that transformers lacks, the encoder of
jina_reference.py for those of jina_bert. With names of types as arguments, only their directories are written.
Needs torch and transformers 5.

expected.safetensors has: input_ids and token_type_ids of all sequences on end, offsets [B+1]; hidden.0 to
hidden.L [M,H]; attention.L.S of these types, [A,T,T] of sequence S, from layer 1; logits [R,K] at the rows that the head reads; for masked words their positions and gold; for
replaced tokens the labels [M], 1 for a replaced token; for rows of logits f32_error, the largest relative error of a row
in PyTorch's float32; and grad.NAME for each tensor NAME of the file. The loss
is the mean of masked words' cross-entropies; 50 times the binary cross-entropy of replaced tokens; or else the
sum of all logits times coefficients [R,K].
"""
import os
import shutil
import sys

import torch
import transformers as tf
from safetensors.torch import save_file

import replaced_reference
from jina_reference import jina, jina_code

HERE = os.path.dirname(os.path.abspath(__file__))
VOCAB, LENGTHS, LABELS = 41, [1, 9, 14], 3
BERT_KEYS = dict(vocab_size=VOCAB, hidden_size=18, num_hidden_layers=2, num_attention_heads=3,
                 intermediate_size=28, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
                 initializer_range=0.2)
ROBERTA_KEYS = BERT_KEYS | dict(max_position_embeddings=22, type_vocab_size=1, pad_token_id=1, bos_token_id=0,
                                eos_token_id=2, layer_norm_eps=1e-5)
TYPES = {
    "roberta": (tf.RobertaConfig, "Roberta", ROBERTA_KEYS),
    "xlm-roberta": (tf.XLMRobertaConfig, "XLMRoberta", ROBERTA_KEYS | dict(num_attention_heads=2)),
    "camembert": (tf.CamembertConfig, "Camembert", ROBERTA_KEYS | dict(num_hidden_layers=3)),
    "distilbert": (tf.DistilBertConfig, "DistilBert",
                   dict(vocab_size=VOCAB, dim=18, n_layers=2, n_heads=3, hidden_dim=28, dropout=0.0,
                        attention_dropout=0.0, seq_classif_dropout=0.0, qa_dropout=0.0,
                        max_position_embeddings=20, initializer_range=0.2)),
    "electra": (tf.ElectraConfig, "Electra",
                BERT_KEYS | dict(embedding_size=10, max_position_embeddings=20, summary_last_dropout=0.0)),
    "albert": (tf.AlbertConfig, "Albert",
               BERT_KEYS | dict(embedding_size=10, num_hidden_layers=4, num_hidden_groups=2,
                                max_position_embeddings=20, classifier_dropout_prob=0.0)),
    "mpnet": (tf.MPNetConfig, "MPNet",
              BERT_KEYS | dict(max_position_embeddings=22, layer_norm_eps=1e-5, relative_attention_num_buckets=32)),
    "jina_bert": (tf.BertConfig, "JinaBert",
                  BERT_KEYS | dict(position_embedding_type="alibi", feed_forward_type="geglu",
                                   max_position_embeddings=20)),
    "deberta-v2": (tf.DebertaV2Config, "DebertaV2",
                   BERT_KEYS | dict(type_vocab_size=0, relative_attention=True, position_buckets=8,
                                    max_relative_positions=-1, norm_rel_ebd="layer_norm", share_att_key=True,
                                    pos_att_type="p2c|c2p", position_biased_input=False, pooler_dropout=0,
                                    pooler_hidden_act="gelu", max_position_embeddings=20)),
    "nomic_bert": (tf.NomicBertConfig, "NomicBert", BERT_KEYS | dict(max_position_embeddings=20)),
    "gte": (tf.GteConfig, "Gte", BERT_KEYS | dict(max_position_embeddings=20)),
    "modernbert": (tf.ModernBertConfig, "ModernBert",
                   dict(vocab_size=VOCAB, hidden_size=18, num_hidden_layers=3, num_attention_heads=3,
                        intermediate_size=28, initializer_range=0.2, max_position_embeddings=20, local_attention=6,
                        layer_types=["full_attention", "sliding_attention", "sliding_attention"], pad_token_id=0,
                        bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2)),
    "jina_bert_code": (tf.BertConfig, "JinaBert",
                       BERT_KEYS | dict(position_embedding_type="alibi", feed_forward_type="geglu", max_position_embeddings=20,
                                        auto_map={"AutoModel": "jinaai/jina-bert-v2-qk-post-norm--modeling_bert.JinaBertModel"})),
}
HEADS = {"bare": "Model", "fill": "ForMaskedLM", "classify": "ForSequenceClassification",
         "tag": "ForTokenClassification", "answer": "ForQuestionAnswering", "choose": "ForMultipleChoice"}
ONLY_OF = {name: {"replaced": "ForPreTraining"} for name in ("electra", "deberta-v2")}
ROTARY = {"nomic_bert": ["bare", "fill", "classify", "tag"], "gte": ["bare", "fill", "classify", "tag"],
          "modernbert": list(HEADS)}
# hidden_size, num_attention_heads, num_hidden_layers, intermediate_size, hidden_act, lengths, labels.
SHAPES = {
    "one": (7, 1, 1, 5, "gelu", [2, 3], 1),
    "five": (5, 5, 3, 33, "gelu_new", [4, 1, 11], 2),
    "four": (20, 4, 1, 17, "relu", [8, 15, 16], 4),
    "twelve": (24, 2, 2, 40, "gelu", [17, 16, 3], 2),
    "seventeen": (34, 2, 1, 34, "silu", [13, 5], 5),
    "eight": (16, 8, 2, 31, "gelu", [129, 128, 127], 2),
    "long": (12, 2, 2, 20, "gelu", [1, 150, 300], 2),
}
LONGEST_OF_OTHERS = 40
BY_DISTANCE = ["mpnet", "jina_bert", "jina_bert_code"]
# The same, with the scaling of positions, None or (type, factor, trained length), and the window and the layers that
# see all tokens, of types with windows.
ROTARY_SHAPES = {
    "one": (6, 1, 1, 5, "gelu", [2, 3], 1, None, 2, 1),
    "five": (10, 5, 3, 33, "gelu_new", [4, 1, 11], 2, None, 4, 2),
    "four": (24, 4, 2, 17, "relu", [8, 15, 16], 4, ("linear", 2.5, 64), 128, 3),
    "twelve": (24, 2, 3, 40, "gelu", [17, 16, 3], 2, ("dynamic", 2.0, 32), 0, 3),
    "seventeen": (36, 2, 2, 34, "silu", [13, 5], 5, ("dynamic", 4.0, 13), 8, 2),
    "eight": (32, 8, 2, 31, "gelu", [129, 128, 127], 2, None, 128, 2),
    "long": (12, 2, 4, 20, "gelu", [1, 150, 300], 2, None, 64, 2),
    "scaled": (12, 2, 2, 20, "silu", [200], 2, ("dynamic", 8.0, 50), 200, 3),
}
# The same, with other settings of attention.
DISENTANGLED_SHAPES = {
    "one": (7, 1, 1, 5, "gelu", [2, 3], 1, dict(position_buckets=-1, max_relative_positions=2, pos_att_type=["c2p"])),
    "five": (5, 5, 3, 33, "gelu_new", [4, 1, 11], 2, dict(position_buckets=4, max_relative_positions=7,
                                                         pos_att_type=["p2c"], share_att_key=False)),
    "four": (20, 4, 2, 17, "relu", [8, 15, 16], 4, dict(share_att_key=False, conv_kernel_size=3, conv_act="gelu")),
    "twelve": (24, 2, 2, 40, "gelu", [17, 16, 3], 2, dict(relative_attention=False, pos_att_type=None,
                                                         position_biased_input=True, type_vocab_size=2)),
    "seventeen": (34, 2, 2, 34, "silu", [13, 5], 5, dict(position_buckets=-1, norm_rel_ebd="none", max_relative_positions=9,
                                                        position_biased_input=True)),
    "eight": (16, 8, 2, 31, "gelu", [129, 128, 127], 2, dict(position_buckets=32, share_att_key=False)),
    "long": (12, 2, 2, 20, "gelu", [1, 150, 300], 2, dict(position_buckets=64, max_relative_positions=200)),
    "convolved": (12, 2, 3, 20, "gelu", [1, 40, 3], 4, dict(conv_kernel_size=5, norm_rel_ebd="none")),
}
# Those whose embeddings have a width of their own, with their heads.
PROJECTED_SHAPES = {
    "narrow": (15, 3, 2, 20, "gelu", [4, 1, 11], 2, dict(embedding_size=9), ["fill", "replaced"]),
    "narrow-biased": (14, 2, 2, 20, "relu", [5, 3], 3, dict(embedding_size=5, position_biased_input=True), ["fill", "tag"]),
    "wide-types": (10, 5, 2, 21, "gelu", [7, 9, 2], 2, dict(embedding_size=23, type_vocab_size=2, conv_kernel_size=3),
                   ["fill", "choose"]),
    "wide-both": (7, 1, 3, 9, "gelu_new", [12, 1], 2, dict(embedding_size=8, position_biased_input=True, type_vocab_size=3,
                                                          share_att_key=False), ["fill", "classify"]),
}
REPLACED_SHAPES = ("five", "four", "twelve", "seventeen")  # of DISENTANGLED_SHAPES
DISTILBERT_NAMES = {"hidden_size": "dim", "num_attention_heads": "n_heads", "num_hidden_layers": "n_layers",
                    "intermediate_size": "hidden_dim", "hidden_act": "activation"}
GROUPS = {1: 1, 2: 1, 3: 3}  # of ALBERT's layers


def keys_of(name, shape):
    """The keys of a type's config.json for a shape."""
    hidden, heads, layers, inner, activation, lengths, _ = shape
    keys = dict(hidden_size=hidden, num_attention_heads=heads, num_hidden_layers=layers, intermediate_size=inner,
                hidden_act=activation)
    if name.startswith("jina_bert"):
        keys |= {"feed_forward_type": "reglu" if activation == "relu" else "geglu", "hidden_act": "gelu"}
    if name == "distilbert":
        activation = activation if activation in ("gelu", "relu") else "gelu"
        keys = {DISTILBERT_NAMES[key]: value for key, value in (keys | {"hidden_act": activation}).items()}
    if name in ("electra", "albert"):
        keys["embedding_size"] = {7: 9, 5: 5}.get(hidden, hidden // 2 + 1)
    if name == "albert":
        keys["num_hidden_groups"] = GROUPS[layers]
    if name == "mpnet" and activation == "relu":
        keys["relative_attention_num_buckets"] = 40  # transformers uses the first 32
    return TYPES[name][2] | keys | dict(max_position_embeddings=max(lengths) + 3)


def rotary_keys_of(name, shape):
    hidden, heads, layers, inner, activation, lengths, _, scaling, window, every = shape
    keys = dict(hidden_size=hidden, num_attention_heads=heads, num_hidden_layers=layers, intermediate_size=inner,
                hidden_act=activation, max_position_embeddings=max(lengths) + 3)
    parameters = {"rope_theta": 300.0}
    if scaling:
        parameters |= {"rope_type": scaling[0], "factor": scaling[1]}
        keys["max_position_embeddings"] = scaling[2]
    if name == "modernbert":
        keys["hidden_activation"] = keys.pop("hidden_act")
        keys |= dict(local_attention=window, layer_types=["sliding_attention" if layer % every else "full_attention"
                                                          for layer in range(layers)],
                     norm_bias=layers == 2, attention_bias=layers == 2, mlp_bias=layers > 2,
                     classifier_bias=layers == 3, norm_eps=1e-4,
                     classifier_pooling="cls" if hidden == 12 else "mean")
        parameters = {"full_attention": parameters, "sliding_attention": {"rope_theta": 90.0}}
    return TYPES[name][2] | keys | {"rope_parameters": parameters}


def gradients(model):
    """By name; those that are several tensors here are divided."""
    for name, parameter in model.named_parameters():
        parts = {"attn.Wqkv.": ["self_attn.q_proj.", "self_attn.k_proj.", "self_attn.v_proj."],
                 "mlp.Wi.": ["mlp.gate_proj.", "mlp.up_proj."],
                 "mlp.gated_layers.": ["mlp.gate_proj.", "mlp.up_proj."],
                 "mlp.up_gated_layer.": ["mlp.up_proj.", "mlp.gate_proj."]}
        found = [(fused, names) for fused, names in parts.items() if fused in name]
        if parameter.grad is None:
            continue
        if not found:
            yield name, parameter.grad.float()
        for fused, names in found:
            for part, values in zip(names, parameter.grad.float().chunk(len(names))):
                yield name.replace(fused, part), values


def class_of(name, head):
    prefix, suffix = TYPES[name][1], (HEADS | ONLY_OF.get(name, {}))[head]
    if name.startswith("jina_bert"):
        return (jina_code if name == "jina_bert_code" else jina)(suffix)
    return getattr(tf, prefix + suffix, None) or getattr(replaced_reference, prefix + suffix)


def make_batch(pad, first, types, lengths):
    generator = torch.Generator().manual_seed(5)
    width = max(lengths)
    ids = torch.full((len(lengths), width), pad)
    kinds = torch.zeros_like(ids)
    mask = torch.zeros_like(ids)
    for row, length in enumerate(lengths):
        ids[row, :length] = torch.randint(first, VOCAB, (length,), generator=generator)
        mask[row, :length] = 1
        if types > 1:
            kinds[row, length // 2:length] = 1
    return ids, kinds, mask


def outputs_of(model, head, batch, takes_types):
    """What the head gives, [B,T,K] or [B,K], with the hidden states."""
    ids, kinds, mask = batch
    inputs = {"input_ids": ids, "attention_mask": mask}
    if takes_types:
        inputs["token_type_ids"] = kinds
    if head == "choose":
        inputs = {key: value[None] for key, value in inputs.items()}
    output = model(**inputs, output_hidden_states=True)
    if head == "answer":
        return output.hidden_states, torch.stack([output.start_logits, output.end_logits], -1)
    if head == "choose":
        return output.hidden_states, output.logits.T
    return output.hidden_states, None if head == "bare" else output.logits


def outputs_of_each(model, head, batch):
    """The same, of one sequence after another: where padding has no key in its window, transformers computes NaN."""
    width = batch[0].shape[1]
    hidden, logits = [], []
    for ids, kinds, mask in zip(*batch):
        length = int(mask.sum())
        states, of_head = outputs_of(model, head, (ids[None, :length], kinds[None, :length], mask[None, :length]), False)
        def padded(values):
            return torch.nn.functional.pad(values, (0, 0, 0, width - length)) if values.dim() == 3 else values
        hidden.append([padded(state) for state in states])
        logits.append(of_head if of_head is None else padded(of_head))
    return [torch.cat(states) for states in zip(*hidden)], None if head == "bare" else torch.cat(logits)


def make(folder, name, head, keys, lengths=LENGTHS, labels=LABELS):
    config_class, *_ = TYPES[name]
    torch.manual_seed(3)
    labels = {"num_labels": labels} if head in ("classify", "tag") else {}
    config = config_class(**keys, **labels)
    config._attn_implementation = "eager"
    model_class = class_of(name, head)
    arguments = {"add_pooling_layer": False} if head == "bare" and "roberta" in name else {}
    model = model_class(config, **arguments).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape) * 0.1)
    model.save_pretrained(folder)
    model = model_class.from_pretrained(folder, attn_implementation="eager", **arguments).double().eval()

    takes_types = name not in ("distilbert", "mpnet", "modernbert")
    batch = make_batch(config.pad_token_id, 3, getattr(config, "type_vocab_size", 0), lengths)
    real = batch[2].bool()
    alone = name == "modernbert"
    hidden, logits = outputs_of_each(model, head, batch) if alone else outputs_of(model, head, batch, takes_types)
    expected = {"input_ids": batch[0][real].int(), "token_type_ids": batch[1][real].int(),
                "offsets": torch.tensor([0, *torch.tensor(lengths).cumsum(0)]).int()}
    for layer, states in enumerate(hidden):
        expected[f"hidden.{layer}"] = states.reshape(*real.shape, -1)[real].float()
    if name in (*ROTARY, "deberta-v2", "jina_bert", "jina_bert_code") and head == "bare":
        for row, length in enumerate(lengths):
            own = (part[row:row + 1, :length] for part in batch)
            inputs = dict(zip(("input_ids", "token_type_ids", "attention_mask"), own))
            if not takes_types:
                del inputs["token_type_ids"]
            for layer, weights in enumerate(model(**inputs, output_attentions=True).attentions):
                expected[f"attention.{layer + 1}.{row}"] = weights[0].float()
    if head != "bare":
        if head in ("fill", "tag", "answer"):
            logits = logits[real]
        if head == "fill":
            count = len(logits)
            rows = torch.tensor(sorted({0, 2, count * 3 // 10, count // 2 - 2, count - 1}))
            gold = torch.tensor([4, 9, 11, 40, 8])[:len(rows)]
            logits = logits[rows]
            loss = torch.nn.functional.cross_entropy(logits, gold)
            expected |= {"positions": rows.int(), "gold": gold.int()}
        elif head == "replaced":
            labels = (torch.arange(batch[0].numel()).reshape(batch[0].shape) % 5 == 2).long()
            output = model(input_ids=batch[0], token_type_ids=batch[1], attention_mask=batch[2], labels=labels)
            loss = 50 * output.loss
            logits = output.logits[real][:, None]
            expected["labels"] = labels[real].int()
        else:
            coefficients = (torch.randn(logits.shape) * 64).round() / 64  # sums are exact
            if head in ("answer", "choose"):  # the sums are 0, as of a loss that compares rows
                coefficients[-1] -= coefficients.sum(0)
            loss = (logits * coefficients).sum()
            expected["coefficients"] = coefficients
        loss.backward()
        expected |= {"logits": logits.float(), "loss": loss.reshape(1).float()}
        if head in ("classify", "tag", "fill") and not alone:
            with torch.no_grad():
                rounded = outputs_of(model.float(), head, batch, takes_types)[1]
            rounded = rounded if head == "classify" else rounded[real]
            rounded = rounded[rows] if head == "fill" else rounded
            error = ((rounded - logits).norm(dim=-1) / logits.norm(dim=-1)).max()
            expected["f32_error"] = error.reshape(1).float()
            model.double()
        expected |= {"grad." + key: value for key, value in gradients(model)}
    if os.path.exists(left := os.path.join(folder, "generation_config.json")):
        os.remove(left)
    save_file({key: value.detach().contiguous() for key, value in expected.items()},
              os.path.join(folder, "expected.safetensors"))


def make_rotary(out):
    for name, heads in ROTARY.items():
        for head in heads:
            make(os.path.join(out, f"{name}-{head}"), name, head, TYPES[name][2])
        for place, (title, shape) in enumerate(ROTARY_SHAPES.items()):
            head = heads[1 + place % (len(heads) - 1)]
            make(os.path.join(out, f"{name}-{head}-{title}"), name, head, rotary_keys_of(name, shape), *shape[5:7])


def make_disentangled(out):
    name = "deberta-v2"
    for head in [*HEADS, *ONLY_OF[name]]:
        make(os.path.join(out, f"{name}-{head}"), name, head, TYPES[name][2])
    shapes = {title: (*shape, [list(HEADS)[1 + place % (len(HEADS) - 1)]] + ["replaced"] * (title in REPLACED_SHAPES))
              for place, (title, shape) in enumerate(DISENTANGLED_SHAPES.items())}
    for title, shape in (shapes | PROJECTED_SHAPES).items():
        hidden, heads, layers, inner, activation, lengths, labels, settings, titles = shape
        keys = dict(hidden_size=hidden, num_attention_heads=heads, num_hidden_layers=layers, intermediate_size=inner,
                    hidden_act=activation, max_position_embeddings=max(lengths) + 3)
        for head in titles:
            make(os.path.join(out, f"{name}-{head}-{title}"), name, head, TYPES[name][2] | keys | settings, lengths, labels)


def main():
    out = os.path.join(HERE, "types")
    asked = sys.argv[1:]  # types that have SHAPES
    if not asked:
        shutil.rmtree(out, ignore_errors=True)
        make_rotary(out)
        make_disentangled(out)
    others = [name for name in TYPES if name not in (*ROTARY, "deberta-v2")]
    for number, name in enumerate(others):
        if asked and name not in asked:
            continue
        for head in [*HEADS, *ONLY_OF.get(name, {})]:
            make(os.path.join(out, f"{name}-{head}"), name, head, TYPES[name][2])
        for place, (title, shape) in enumerate(SHAPES.items()):
            if name not in BY_DISTANCE:
                *shape, lengths, labels = shape
                shape = (*shape, [min(length, LONGEST_OF_OTHERS) for length in lengths], labels)
            heads = list(HEADS) if name in BY_DISTANCE and title == "long" else [
                list(HEADS)[1 + (number + place) % (len(HEADS) - 1)]]
            if title in ("one", "five", "seventeen"):
                heads += ONLY_OF.get(name, {})
            for head in heads:
                make(os.path.join(out, f"{name}-{head}-{title}"), name, head, keys_of(name, shape), *shape[-2:])


if __name__ == "__main__":
    tf.logging.set_verbosity_error()
    tf.logging.disable_progress_bar()
    main()
