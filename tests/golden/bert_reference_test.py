#!/usr/bin/python3
"""The reference compared with PyTorch's own encoder layer, its GELU, and formulas computed by hand."""
import os
import sys
import unittest

try:
    import torch
except ImportError:
    print("skipped: python3-torch is not installed")
    sys.exit(77)

import numpy as np

import tensor_file
from bert_reference import ACTIVATIONS, Bert, canonical_name
from sentence_reference import pool
from wordpiece import Tokenizer

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")


def pytorch_layer(bert, number):
    """torch.nn's encoder layer with the same weights; it stores query, key and value in one matrix."""
    config, weights = bert.config, bert.weights
    prefix = f"encoder.layer.{number}."
    layer = torch.nn.TransformerEncoderLayer(
        config["hidden_size"], config["num_attention_heads"], config["intermediate_size"], dropout=0,
        activation="gelu", layer_norm_eps=config["layer_norm_eps"], batch_first=True, dtype=bert.dtype)
    theirs = {"linear1": "intermediate.dense", "linear2": "output.dense", "norm2": "output.LayerNorm",
              "norm1": "attention.output.LayerNorm", "self_attn.out_proj": "attention.output.dense"}
    state = {}
    for end in ("weight", "bias"):
        parts = [weights[f"{prefix}attention.self.{part}.{end}"] for part in ("query", "key", "value")]
        state["self_attn.in_proj_" + end] = torch.cat(parts)
        state |= {f"{name}.{end}": weights[f"{prefix}{ours}.{end}"] for name, ours in theirs.items()}
    layer.load_state_dict(state)
    return layer.train()  # avoids its fast path, which differs between versions


class ReferenceTest(unittest.TestCase):
    def test_layers_agree_with_pytorchs(self):
        with torch.no_grad():
            for name in ("pretraining", "bare", "legacy-names", "sharded"):
                bert = Bert.load(os.path.join(MODELS, name))
                states = bert.hidden_states(list(range(5, 45)), [0] * 20 + [1] * 20)
                for number in range(bert.layers):
                    theirs = pytorch_layer(bert, number)(states[number][None])[0]
                    self.assertLess(float((theirs - states[number + 1]).norm() / theirs.norm()), 1e-13)

    def test_activations_agree_with_pytorchs(self):
        x = torch.linspace(-8, 8, 1001, dtype=torch.float64)
        theirs = {"gelu": torch.nn.GELU(), "gelu_new": torch.nn.GELU("tanh"), "silu": torch.nn.SiLU()}
        for name, function in theirs.items():
            self.assertLess(float((ACTIVATIONS[name](x) - function(x)).abs().max()), 1e-14)

    def test_embeddings_are_the_normalised_sum(self):
        bert = Bert.load(os.path.join(MODELS, "masked-lm"))
        weights = {name: array.numpy() for name, array in bert.weights.items() if name.startswith("embeddings")}
        total = (weights["embeddings.word_embeddings.weight"][[9, 7]]
                 + weights["embeddings.position_embeddings.weight"][[0, 1]]
                 + weights["embeddings.token_type_embeddings.weight"][[0, 1]])
        mean = total.mean(1, keepdims=True)
        variance = ((total - mean) ** 2).mean(1, keepdims=True)
        expected = ((total - mean) / np.sqrt(variance + 1e-5) * weights["embeddings.LayerNorm.weight"]
                    + weights["embeddings.LayerNorm.bias"])
        self.assertLess(np.abs(bert.hidden_states([9, 7], [0, 1])[0].numpy() - expected).max(), 1e-13)

    def test_attention_of_the_small_models_is_far_from_uniform(self):
        bert = Bert.load(os.path.join(MODELS, "pretraining"))
        x = bert.hidden_states(list(range(5, 105)))[0]
        query, key = (bert.linear("encoder.layer.0.attention.self." + part, x).view(100, 4, 8).transpose(0, 1)
                      for part in ("query", "key"))
        scores = query @ key.transpose(1, 2) / 8**0.5
        self.assertGreater(float(torch.softmax(scores, -1).max(-1).values.mean()), 0.1)  # uniform: 0.01

    def test_legacy_names_become_present_ones(self):
        self.assertEqual(canonical_name("bert.embeddings.LayerNorm.gamma"), "embeddings.LayerNorm.weight")
        self.assertEqual(canonical_name("bert.gamma.beta"), "gamma.beta")

    def test_poolings_leave_the_prompt_out(self):
        last = torch.tensor([[1.0], [2.0], [4.0], [3.0]])
        expected = {"cls": 1, "max": 4, "mean": 3.5, "mean_sqrt_len_tokens": 7 / 2**0.5, "lasttoken": 3,
                    "weightedmean": (3 * 4 + 4 * 3) / 7}
        for mode, value in expected.items():
            self.assertAlmostEqual(float(pool(mode, last, 2)), value, 5)


class FilesTest(unittest.TestCase):
    def test_bf16_rounds_to_nearest_even(self):
        bits = np.array([0x3F808000, 0x3F818000, 0x3F808001, 0x3F807FFF], "<u4")
        self.assertEqual([hex(value) for value in tensor_file.round_to_bf16(bits.view("<f4"))],
                         ["0x3f80", "0x3f82", "0x3f81", "0x3f80"])

    def test_half_formats_read_back_near_the_stored_numbers(self):
        for name in ("half", "brain"):
            tensors = tensor_file.read_directory(os.path.join(MODELS, name))
            gains = tensors["bert.embeddings.LayerNorm.weight"].astype("f8")
            self.assertTrue(((gains > 0.49) & (gains < 1.51)).all())

    def test_words_split_into_the_longest_pieces(self):
        tokenizer = Tokenizer(os.path.join(MODELS, "bare"))
        self.assertEqual(tokenizer.tokens("The queens, [MASK] looking~"),
                         ["the", "queen", "##s", ",", "[MASK]", "look", "##ing", "[UNK]"])


if __name__ == "__main__":
    unittest.main()
