"""The larger models used by check_large.py and their inputs. None is stored in the repository.

Seeded: Google's sizes from tiny to base, with random weights. Trained: mini-novels unchanged, and TinyBERT's
encoder with seeded word embeddings, which its file lacks; both from the shared data.
"""
import os

import numpy as np

import tensor_file
from bert_reference import read_json
from random_model import (config_of, encoder_shapes, head_shapes, random_tensor, random_tensors, with_prefix,
                          write_directory)
from vocabulary import SPECIALS, numbered_vocabulary
from wordpiece import Tokenizer

SIZES = {  # layers, hidden, heads, feed-forward, vocabulary
    "tiny": (2, 128, 2, 512, 1000),
    "mini": (4, 256, 4, 1024, 5000),
    "small": (4, 512, 8, 2048, 5000),
    "medium": (8, 512, 8, 2048, 5000),
    "minilm": (6, 384, 12, 1536, 5000),
    "base": (12, 768, 12, 3072, 30522),
}
LENGTHS = [1, 2, 3, 16, 17, 64, 127, 255, 384, 512]
PAIRS = [(10, 9), (64, 64), (200, 312), (300, 5)]  # tokens of each part, special tokens included
PAD, UNK, CLS, SEP, MASK = range(5)


HEADS = {"BertForPreTraining": ["pooler", "mlm", "nsp"], "BertForTokenClassification": ["classifier"],
         "BertForQuestionAnswering": ["qa"]}


def write_seeded(directory, size, architecture="BertForPreTraining", labels=0):
    """A model of this architecture; a classifier has `labels` labels."""
    *sizes, vocabulary = SIZES[size]
    config = config_of(*sizes, vocab_size=vocabulary, max_position_embeddings=512, architectures=[architecture])
    heads = HEADS.get(architecture, ["pooler", "classifier"])
    if labels:
        names = [f"B-{label}" if architecture == "BertForTokenClassification" else f"label {label}"
                 for label in range(labels)]
        config |= {"id2label": dict(zip(map(str, range(labels)), names)), "label2id": dict(zip(names, range(labels)))}
    tensors = random_tensors(size, encoder_shapes(config) | head_shapes(config, heads, labels))
    write_directory(directory, config, numbered_vocabulary(vocabulary), with_prefix(tensors))


def write_tinybert(directory, shared, seed):
    """The worst error depends on the embeddings: a trained encoder has ill-conditioned neurons that few texts
    reach."""
    source = os.path.join(shared, "data/weights/tinybert-4l-312-encoder-only")
    config = read_json(source, "config.json") | {"architectures": ["BertModel"]}
    tensors = dict(tensor_file.read_file(os.path.join(source, "model_partial.safetensors")))
    name = "embeddings.word_embeddings.weight"
    words = random_tensor(f"tinybert {seed}", name, (config["vocab_size"], config["hidden_size"]))
    tensors["bert." + name] = words / words.std() * np.float32(0.05)  # the standard deviation of BERT's own
    write_directory(directory, config, numbered_vocabulary(config["vocab_size"]), tensors)


def pieces_of(directory):
    with open(os.path.join(directory, "vocab.txt"), encoding="utf-8") as file:
        return file.read().splitlines()


def mask_some(ids, special):
    """Masks three ordinary tokens, or all if there are fewer."""
    places = [len(ids) // 5, len(ids) // 2, len(ids) - 2]
    masked = sorted({place for place in places if 0 < place < len(ids) and ids[place] not in special})
    for place in masked:
        ids[place] = special[MASK]
    return masked


def make_case(words, first, second, special):
    """`words` yields ordinary ids; `first` and `second` count tokens, [CLS] and [SEP] included."""
    ids = [special[CLS], *(next(words) for _ in range(first - 2)), special[SEP]][:first]
    if second:
        ids += [next(words) for _ in range(second - 1)] + [special[SEP]]
    return {"input_ids": ids, "token_type_ids": [0] * first + [1] * second, "masked": mask_some(ids, special)}


def make_cases(words, limit, special=(PAD, UNK, CLS, SEP, MASK)):
    cases = [make_case(words, length, 0, special) for length in LENGTHS if length <= limit]
    if limit < 512:
        cases.append(make_case(words, limit, 0, special))
    return cases + [make_case(words, *pair, special) for pair in PAIRS if sum(pair) <= limit]


def random_words(vocabulary, seed=7):
    generator = np.random.RandomState(seed)
    while True:
        yield len(SPECIALS) + int(generator.random_sample() * (vocabulary - len(SPECIALS)))


def words_of_text(tokenizer, path):
    """The ids of a file's ASCII lines one after another, repeated endlessly."""
    while True:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.isascii():
                    yield from (tokenizer.ids[token] for token in tokenizer.tokens(line))


def text_cases(directory, shared, limit):
    tokenizer = Tokenizer(directory)
    special = [tokenizer.ids[token] for token in SPECIALS]
    words = words_of_text(tokenizer, os.path.join(shared, "peers/sentences.txt"))
    return make_cases(words, limit, special)
