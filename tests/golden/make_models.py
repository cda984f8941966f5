#!/usr/bin/python3
"""Writes the small models of the tests into tests/golden/models; the bytes are the same every time.

Each model is a complete Hugging Face directory that covers something a reader of such directories may get
wrong: heads, names, number formats, shards, odd sizes, activations, sentence-transformers' formats. All
weights are random; see random_model.py.
"""
import os
import shutil
import sys

import numpy as np

import tensor_file
from random_model import (config_of, encoder_shapes, head_shapes, random_tensors, with_prefix, write_directory,
                          write_json)
from sentence_reference import OLD_KEYS
from vocabulary import small_vocabulary

VOCABULARY = small_vocabulary()
# Seeds whose models do not give the same label to every text of make_tool_goldens.py.
SEEDS = {"classify": "classify 12", "multilabel": "multilabel 11", "next": "next 8", "pretraining": "pretraining 11"}
OLD_TYPE = "sentence_transformers.models."
NEW_TYPES = {
    "Transformer": "sentence_transformers.base.modules.transformer.Transformer",
    "Pooling": "sentence_transformers.sentence_transformer.modules.pooling.Pooling",
    "Normalize": "sentence_transformers.base.modules.normalize.Normalize",
    "Dense": "sentence_transformers.base.modules.dense.Dense",
}


def labels(*names):
    return {"id2label": {str(number): name for number, name in enumerate(names)},
            "label2id": {name: number for number, name in enumerate(names)}}


def small_config(architecture, size, **rest):
    """size: layers, hidden, heads, feed-forward."""
    return config_of(*size, vocab_size=len(VOCABULARY), architectures=[architecture],
                     max_position_embeddings=rest.pop("positions", 48), **rest)


def random_weights(name, config, heads):
    label_count = len(config.get("id2label", {})) or 1
    return random_tensors(SEEDS.get(name, name), encoder_shapes(config) | head_shapes(config, heads, label_count))


def write_headed(root, name, config, heads, store="F32"):
    """A model with heads, saved under the "bert." prefix."""
    write_directory(os.path.join(root, name), config, VOCABULARY,
                    with_prefix(random_weights(name, config, heads)), store)


def write_pretraining(root):
    write_headed(root, "pretraining", small_config("BertForPreTraining", (2, 32, 4, 64), positions=128),
                 ["pooler", "mlm", "nsp"])
    config = small_config("BertForMaskedLM", (2, 24, 3, 50), hidden_act="gelu_new", layer_norm_eps=1e-5,
                          tie_word_embeddings=False)
    tensors = with_prefix(random_weights("masked-lm", config, ["mlm", "decoder"]))
    tensors["cls.predictions.decoder.bias"] = tensors["cls.predictions.bias"]  # an alias, stored twice
    write_directory(os.path.join(root, "masked-lm"), config, VOCABULARY, tensors)
    write_headed(root, "causal", small_config("BertForPreTraining", (2, 24, 3, 50), positions=120, is_decoder=True),
                 ["pooler", "mlm", "nsp"])
    write_headed(root, "next", small_config("BertForNextSentencePrediction", (1, 16, 2, 40)), ["pooler", "nsp"])


def write_text_heads(root):
    heads = ["pooler", "classifier"]
    kind = "BertForSequenceClassification"
    write_headed(root, "classify", small_config(kind, (2, 24, 4, 64), **labels("negative", "neutral", "positive"),
                                                problem_type="single_label_classification"), heads)
    write_headed(root, "regress", small_config(kind, (2, 24, 3, 50), **labels("LABEL_0"), hidden_act="relu",
                                               problem_type="regression"), heads)
    write_headed(root, "weighted", small_config(kind, (3, 24, 2, 40), **labels("no", "yes"),
                                                use_weighted_layer_sum=True), [*heads, "mix"])
    topics = labels("music", "film", "travel", "weather")
    write_headed(root, "multilabel", small_config(kind, (2, 24, 2, 56), **topics, hidden_act="silu",
                                                  problem_type="multi_label_classification"), heads)
    activation = {"activation_fn": "torch.nn.modules.activation.Sigmoid", "version": "5.0.0"}
    write_headed(root, "rank", small_config(kind, (1, 24, 2, 64), **labels("LABEL_0"),
                                            sentence_transformers=activation), heads)
    legacy = "torch.nn.modules.linear.Identity"
    write_headed(root, "rank-legacy", small_config(kind, (1, 16, 2, 32), **labels("LABEL_0"),
                                                   sbert_ce_default_activation_function=legacy), heads)


def write_span_heads(root):
    tags = labels("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
    write_headed(root, "tag", small_config("BertForTokenClassification", (1, 24, 3, 48), **tags), ["classifier"])
    write_headed(root, "answer", small_config("BertForQuestionAnswering", (1, 24, 3, 48)), ["qa"])
    write_headed(root, "choose", small_config("BertForMultipleChoice", (1, 24, 3, 48)), ["pooler", "classifier"])


def write_encoders(root):
    """Bare encoders without prefix: TinyBERT's head size 26, number formats, old names, shards."""
    config = small_config("BertModel", (1, 52, 2, 100), layer_norm_eps=1e-6)
    write_directory(os.path.join(root, "bare"), config, VOCABULARY, random_weights("bare", config, ["pooler"]))
    write_headed(root, "half", small_config("BertForPreTraining", (2, 24, 2, 64)), ["pooler", "mlm", "nsp"], "F16")
    write_headed(root, "brain", small_config("BertForPreTraining", (2, 24, 2, 64)), ["pooler", "mlm", "nsp"], "BF16")

    config = small_config("BertForMaskedLM", (2, 24, 3, 52))
    tensors = with_prefix(random_weights("legacy-names", config, ["mlm"]))
    # Tied, but stored.
    tensors["cls.predictions.decoder.weight"] = tensors["bert.embeddings.word_embeddings.weight"]
    tensors = {name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): array
               for name, array in tensors.items()}
    # A buffer in old versions.
    tensors["bert.embeddings.position_ids"] = np.arange(config["max_position_embeddings"])[None]
    write_directory(os.path.join(root, "legacy-names"), config, VOCABULARY, tensors)
    write_sharded(os.path.join(root, "sharded"))


def write_sharded(directory):
    config = small_config("BertModel", (2, 24, 3, 40))
    tensors = random_weights("sharded", config, ["pooler"])
    write_directory(directory, config, VOCABULARY, tensors)
    os.remove(os.path.join(directory, "model.safetensors"))
    names = sorted(tensors)
    weight_map = {}
    for number, part in enumerate((names[::2], names[1::2]), 1):  # every layer is in both shards
        file = f"model-{number:05}-of-00002.safetensors"
        tensor_file.write_file(os.path.join(directory, file), {name: tensors[name] for name in part})
        weight_map |= dict.fromkeys(part, file)
    size = sum(array.nbytes for array in tensors.values())
    write_json(directory, "model.safetensors.index.json", {"metadata": {"total_size": size}, "weight_map": weight_map})


def write_modules(directory, types, *modules):
    """modules: (kind, path); types: a prefix (old format) or a table (new format)."""
    entries = []
    for number, (kind, path) in enumerate(modules):
        name = types + kind if isinstance(types, str) else types[kind]
        entries.append({"idx": number, "name": str(number), "path": path, "type": name})
    write_json(directory, "modules.json", entries)


def old_pooling(width, *modes):
    return {"word_embedding_dimension": width} | {key: mode in modes for mode, key in OLD_KEYS.items()}


def write_sentence_old(root):
    """Mean and Normalize, as in all-MiniLM; and three modes together over a transformer in a subfolder."""
    directory = os.path.join(root, "sentence-old")
    config = small_config("BertModel", (2, 24, 2, 48))
    write_directory(directory, config, VOCABULARY, random_weights("sentence-old", config, ["pooler"]))
    write_modules(directory, OLD_TYPE, ("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize"))
    write_json(directory, "sentence_bert_config.json", {"max_seq_length": 32, "do_lower_case": False})
    write_json(directory, "1_Pooling/config.json", old_pooling(24, "mean"))

    directory = os.path.join(root, "sentence-modes")
    config = small_config("BertModel", (1, 16, 2, 32))
    write_directory(os.path.join(directory, "0_BERT"), config, VOCABULARY,
                    random_weights("sentence-modes", config, []))
    write_modules(directory, OLD_TYPE, ("Transformer", "0_BERT"), ("Pooling", "1_Pooling"))
    write_json(directory, "1_Pooling/config.json", old_pooling(16, "mean", "cls", "max", "mean_sqrt_len_tokens"))


def write_sentence_new(root):
    """cls, Dense with Tanh and prompts; and two modes that exclude the prompt from pooling."""
    directory = os.path.join(root, "sentence-new")
    config = small_config("BertModel", (2, 24, 2, 48))
    write_directory(directory, config, VOCABULARY, random_weights("sentence-new", config, []))
    write_modules(directory, NEW_TYPES, ("Transformer", ""), ("Pooling", "1_Pooling"), ("Dense", "2_Dense"),
                  ("Normalize", "3_Normalize"))
    write_json(directory, "1_Pooling/config.json",
               {"embedding_dimension": 24, "pooling_mode": "cls", "include_prompt": True})
    write_json(directory, "2_Dense/config.json",
               {"in_features": 24, "out_features": 20, "bias": True,
                "activation_function": "torch.nn.modules.activation.Tanh"})
    tensor_file.write_file(os.path.join(directory, "2_Dense/model.safetensors"), random_tensors(
        "sentence-new dense", {"linear.weight": (20, 24), "linear.bias": (20,)}))
    write_json(directory, "config_sentence_transformers.json",
               {"prompts": {"query": "find: ", "document": ""}, "default_prompt_name": "query",
                "similarity_fn_name": "cosine"})

    directory = os.path.join(root, "sentence-prompt")
    config = small_config("BertModel", (1, 16, 2, 32))
    write_directory(directory, config, VOCABULARY, random_weights("sentence-prompt", config, []))
    write_modules(directory, NEW_TYPES, ("Transformer", ""), ("Pooling", "1_Pooling"))
    write_json(directory, "1_Pooling/config.json",
               {"embedding_dimension": 16, "pooling_mode": ["lasttoken", "weightedmean", "mean"],
                "include_prompt": False})
    write_json(directory, "config_sentence_transformers.json",
               {"prompts": {"query": "look for the book: "}, "default_prompt_name": None,
                "similarity_fn_name": "dot"})


def make_models(root):
    shutil.rmtree(root, ignore_errors=True)
    for write in (write_pretraining, write_text_heads, write_span_heads, write_encoders, write_sentence_old,
                  write_sentence_new):
        write(root)


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    make_models(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "models"))
