"""Jina's BERT (https://huggingface.co/jinaai/jina-bert-implementation), which transformers loads from the Hub only, in
PyTorch: attention with linear biases instead of positions (Press et al. 2022), and gated feed-forward parts.
Heads are those of transformers' BERT. That of code (jina-bert-v2-qk-post-norm) also normalizes queries and keys, all
heads together, and adds a layer's input once more after attention."""
import math

import torch
import transformers as tf
from torch import nn
from transformers.models.bert import modeling_bert

ACTIVATIONS = {"geglu": nn.GELU, "reglu": nn.ReLU}


def slopes(heads):
    """That of each head; for counts that are not powers of two as in Press et al.'s code."""
    below = 2 ** int(math.log2(heads))
    first = [2 ** (-8 * (i + 1) / below) for i in range(below)]
    return first + [2 ** (-8 * (i + 1) / (2 * below)) for i in range(2 * below)][::2][:heads - below]


class Embeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=config.pad_token_id)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, input_ids=None, token_type_ids=None, **_):
        types = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        return self.dropout(self.LayerNorm(self.word_embeddings(input_ids) + self.token_type_embeddings(types)))


class SelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads, width = config.num_attention_heads, config.hidden_size
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def rows(self, states):
        return self.query(states), self.key(states), self.value(states)

    def forward(self, states, mask):
        query, key, value = (rows.unflatten(-1, (self.heads, -1)).transpose(1, 2) for rows in self.rows(states))
        places = torch.arange(states.shape[1])
        distances = (places[:, None] - places).abs()
        bias = -torch.tensor(slopes(self.heads), dtype=states.dtype)[:, None, None] * distances
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1]) + bias
        if mask is not None:  # as for PyTorch's own attention, or to be added
            scores = scores.masked_fill(~mask, float("-inf")) if mask.dtype == torch.bool else scores + mask
        probabilities = scores.softmax(-1)
        return (self.dropout(probabilities) @ value).transpose(1, 2).flatten(2), probabilities


class CodeSelfAttention(SelfAttention):
    def __init__(self, config):
        super().__init__(config)
        self.layer_norm_q, self.layer_norm_k = (nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps) for _ in range(2))

    def rows(self, states):
        query, key, value = super().rows(states)
        return self.layer_norm_q(query), self.layer_norm_k(key), value


class Attention(nn.Module):
    def __init__(self, config, of_self=SelfAttention):
        super().__init__()
        self.self = of_self(config)
        self.output = modeling_bert.BertSelfOutput(config)


class GatedPart(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.gated_layers = nn.Linear(config.hidden_size, 2 * config.intermediate_size, bias=False)
        self.act = ACTIVATIONS[config.feed_forward_type]()
        self.wo = nn.Linear(config.intermediate_size, config.hidden_size)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.layernorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, states):
        gate, factor = self.gated_layers(states).chunk(2, -1)
        return self.layernorm(states + self.wo(self.dropout(self.act(gate) * factor)))


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention = Attention(config)
        self.mlp = GatedPart(config)

    def forward(self, states, mask=None, *_, **__):
        found, _ = self.attention.self(states, mask)
        return self.mlp(self.attention.output(found, states))


class CodeGatedPart(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.up_gated_layer = nn.Linear(config.hidden_size, 2 * config.intermediate_size, bias=False)
        self.act = ACTIVATIONS[config.feed_forward_type]()
        self.down_layer = nn.Linear(config.intermediate_size, config.hidden_size)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, states):
        factor, gate = self.up_gated_layer(states).chunk(2, -1)
        return self.down_layer(self.dropout(factor * self.act(gate)))


class CodeLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention = Attention(config, CodeSelfAttention)
        self.mlp = CodeGatedPart(config)
        self.layer_norm_1, self.layer_norm_2 = (nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps) for _ in range(2))

    def forward(self, states, mask=None, *_, **__):
        found, _ = self.attention.self(states, mask)
        attended = self.layer_norm_1(states + self.attention.output(found, states))
        return self.layer_norm_2(attended + self.mlp(attended))


def jina(base, layer=Layer, of_self=SelfAttention):
    """The class of transformers' BERT with this name, "ForMaskedLM", with Jina's encoder."""
    parent = getattr(tf, "Bert" + base)

    class Made(parent):
        _can_record_outputs = {"hidden_states": layer, "attentions": of_self}

        def __init__(self, config, **arguments):
            super().__init__(config, **arguments)
            if base == "Model":
                self.embeddings = Embeddings(config)
                self.encoder.layer = nn.ModuleList(layer(config) for _ in range(config.num_hidden_layers))
            else:
                self.bert = jina("Model", layer, of_self)(config, add_pooling_layer=self.bert.pooler is not None)
            self.post_init()

    Made.__name__ = Made.__qualname__ = "JinaBert" + base
    return Made


def jina_code(base):
    return jina(base, CodeLayer, CodeSelfAttention)
