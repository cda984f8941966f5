"""The part of a sentence-transformers model after the encoder: pooling, Dense, Normalize, and its prompts.

Source: sentence-transformers' modules Pooling, Dense and Normalize. Modules are identified by the last
component of their type, which is the same in the old and the new format.
"""
import os

import torch

import tensor_file
from bert_reference import Bert, read_json

OLD_KEYS = {  # in the order in which enabled modes are concatenated
    "cls": "pooling_mode_cls_token",
    "max": "pooling_mode_max_tokens",
    "mean": "pooling_mode_mean_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}
DENSE_ACTIVATIONS = {"Tanh": torch.tanh, "Identity": lambda x: x, "ReLU": torch.relu, "Sigmoid": torch.sigmoid}


def modes_of(config):
    """The modes of a 1_Pooling/config.json in the order of concatenation; the new format gives its own
    order."""
    if "pooling_mode" in config:
        wanted = config["pooling_mode"]
        return [wanted] if isinstance(wanted, str) else wanted
    return [mode for mode, key in OLD_KEYS.items() if config.get(key)]


def pool(mode, last, skip=0):
    """[T,H] -> [1,H]; the first `skip` positions (a prompt) are excluded, but not for cls."""
    if mode == "cls":
        return last[:1]
    rows = last[skip:]
    if mode == "max":
        return rows.max(0, keepdim=True).values
    if mode == "mean":
        return rows.sum(0, keepdim=True) / len(rows)
    if mode == "mean_sqrt_len_tokens":
        return rows.sum(0, keepdim=True) / len(rows) ** 0.5
    if mode == "weightedmean":  # weights are positions in the whole text, from 1
        weights = torch.arange(skip + 1, len(last) + 1, dtype=last.dtype)[:, None]
        return (rows * weights).sum(0, keepdim=True) / weights.sum()
    return rows[-1:]


class SentenceModel:
    def __init__(self, directory, dtype=torch.float64):
        modules = read_json(directory, "modules.json")
        self.encoder = Bert.load(os.path.join(directory, modules[0]["path"]), dtype)
        self.modules = []
        for module in modules[1:]:
            kind = module["type"].rpartition(".")[2]
            path = os.path.join(directory, module["path"])
            config_file = os.path.join(path, "config.json")
            config = read_json(config_file) if os.path.exists(config_file) else {}
            tensors = tensor_file.read_directory(path) if kind == "Dense" else {}
            weights = {name: torch.from_numpy(array.copy()).to(dtype) for name, array in tensors.items()}
            self.modules.append((kind, config, weights))

    def embedding(self, ids, prompt_length=0):
        """[1,D]; prompt_length counts [CLS] and the prompt's tokens; it is 0 without a prompt."""
        last = self.encoder.hidden_states(ids)[-1]
        vector = None
        for kind, config, weights in self.modules:
            if kind == "Pooling":
                skip = 0 if config.get("include_prompt", True) else prompt_length
                vector = torch.cat([pool(mode, last, skip) for mode in modes_of(config)], 1)
            elif kind == "Dense":
                activation = DENSE_ACTIVATIONS[config["activation_function"].rpartition(".")[2]]
                vector = vector @ weights["linear.weight"].T
                vector = activation(vector + weights["linear.bias"] if config["bias"] else vector)
            elif kind == "Normalize":
                vector = vector / vector.norm()
            else:
                raise ValueError(f"unknown module {kind}")
        return vector
