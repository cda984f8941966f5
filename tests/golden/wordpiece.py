"""WordPiece from its definition, for ASCII text that is lower-cased (Devlin et al. 2018; Wu et al. 2016)."""
import os
import re

SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")


class Tokenizer:
    def __init__(self, directory):
        with open(os.path.join(directory, "vocab.txt"), encoding="utf-8") as file:
            self.pieces = file.read().split("\n")[:-1]
        self.ids = {piece: number for number, piece in enumerate(self.pieces)}

    def split_word(self, word):
        """Repeatedly takes the longest match; a word that cannot be split completely is [UNK]."""
        found = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in self.ids:
                    break
            else:
                return ["[UNK]"]
            found.append(piece)
            start = end
        return found

    def tokens(self, text):
        assert text.isascii(), text
        found = []
        for part in SPECIAL.split(text):
            if SPECIAL.fullmatch(part):  # kept whole, as in Hugging Face's tokenizer
                found.append(part)
                continue
            for word in re.findall(r"[a-z0-9]+|[^\sa-z0-9]", part.lower()):
                found += self.split_word(word)
        return found

    def encode(self, text, pair=None):
        """(ids, token types) with [CLS] and [SEP]."""
        first = ["[CLS]", *self.tokens(text), "[SEP]"]
        second = [] if pair is None else [*self.tokens(pair), "[SEP]"]
        ids = [self.ids[token] for token in first + second]
        return ids, [0] * len(first) + [1] * len(second)
