#!/usr/bin/python3
"""Prints how often the paragraph of a SQuAD question is among the ten nearest: by bert-search and by words (Markdown).

    /usr/bin/python3 tests/bench/retrieval.py BUILD_DIR SQUAD.json [-m MODEL]... [--words 90] [--work DIR]

Every distinct paragraph of the file is a document, and every question a query. For bert-search, a paragraph is also
divided into overlapping windows of --words words, of which the nearest counts. Needs Debian's python3-sklearn and, for
stems, python3-snowballstemmer.
"""
import argparse
import json
import math
import re
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer

from bench import row, table

WORD = re.compile(r"\w+")
NEAREST = 10


def words_of(text):
    return WORD.findall(text.lower())


def stems_of():
    import snowballstemmer
    stemmer = snowballstemmer.stemmer("english")
    return lambda text: stemmer.stemWords([word for word in words_of(text) if word not in ENGLISH_STOP_WORDS])


def recall(ranked, gold):
    """Percentage of rows of `ranked` (ids, nearest first) that contain the id in `gold`."""
    return 100 * sum(answer in ids for ids, answer in zip(ranked, gold)) / len(gold)


def nearest(scores):
    return np.argsort(-scores, axis=1, kind="stable")[:, :NEAREST]


def tfidf(analyzer, paragraphs, questions):
    vectors = TfidfVectorizer(analyzer=analyzer, sublinear_tf=True).fit(paragraphs + questions)
    return nearest(vectors.transform(questions).dot(vectors.transform(paragraphs).T).toarray())


def bm25(analyzer, paragraphs, questions, k1=1.2, b=0.75):
    """Robertson and Zaragoza (2009), with the IDF of Lucene, which is never negative."""
    counts = [Counter(analyzer(text)) for text in paragraphs]
    lengths = np.array([sum(count.values()) for count in counts])
    documents = Counter(word for count in counts for word in count)
    column = {word: i for i, word in enumerate(documents)}
    idf = {word: math.log(1 + (len(counts) - n + 0.5) / (n + 0.5)) for word, n in documents.items()}
    rows, columns, values = [], [], []
    for i, count in enumerate(counts):
        for word, n in count.items():
            rows.append(column[word])
            columns.append(i)
            values.append(idf[word] * n * (k1 + 1) / (n + k1 * (1 - b + b * lengths[i] / lengths.mean())))
    weights = csr_matrix((values, (rows, columns)), (len(column), len(counts)))
    asked = [[column[word] for word in set(analyzer(text)) if word in column] for text in questions]
    terms = csr_matrix((np.ones(sum(map(len, asked))), np.concatenate(asked).astype(int),
                        np.concatenate([[0], np.cumsum([len(words) for words in asked])])), (len(asked), len(column)))
    return nearest(terms.dot(weights).toarray())


def windows(text, size):
    words = text.split()
    begins = range(0, max(1, len(words) - size // 2), size // 2)
    return [" ".join(words[begin:begin + size]) for begin in begins]


class Search:
    def __init__(self, options, paragraphs, questions):
        self.tools, self.work = Path(options.build).resolve() / "cmd", Path(options.work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.questions = self.file("questions", questions)
        whole = list(enumerate(paragraphs))
        parts = [(i, part) for i, text in whole for part in windows(text, options.words)]
        self.indexes = {"": whole, f", windows of {options.words} words": parts}

    def file(self, name, texts):
        path = self.work / f"{name}.jsonl"
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
        return path

    def ranked(self, model, documents):
        """For each question, the ten nearest paragraphs; a paragraph counts once."""
        named = ["-m", model] if model else []
        index, texts = self.work / "index.npy", self.file("documents", [text for _, text in documents])
        subprocess.run([self.tools / "bert-embed", "-q", *named, "--normalize", "--format", "npy", "-o", index, texts], check=True)
        out = subprocess.run([self.tools / "bert-search", "-q", *named, "--index", index, "-k", str(8 * NEAREST),
                              "--keep", "neighbors", self.questions], check=True, stdout=subprocess.PIPE).stdout
        for line in out.splitlines():
            found = [documents[neighbor["id"]][0] for neighbor in json.loads(line)["neighbors"]]
            yield list(dict.fromkeys(found))[:NEAREST]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("squad")
    parser.add_argument("-m", "--model", action="append", help="model of vectors (default: that of bert-embed)")
    parser.add_argument("--words", type=int, default=90)
    parser.add_argument("--work", default="/tmp/bert-retrieval")
    options = parser.parse_args()
    data = json.loads(Path(options.squad).read_text(encoding="utf-8"))["data"]
    asked = [(paragraph["context"], qa["question"]) for article in data for paragraph in article["paragraphs"]
             for qa in paragraph["qas"]]
    paragraphs = list(dict.fromkeys(context for context, _ in asked))
    ids = {context: i for i, context in enumerate(paragraphs)}
    gold = [ids[context] for context, _ in asked]
    questions = [question for _, question in asked]
    print(f"{len(questions)} questions, {len(paragraphs)} paragraphs\n")
    table("", f"recall@{NEAREST}")
    analyzers = {"words": words_of, "stems without stop words": stems_of()}
    for name, analyzer in analyzers.items():
        row(f"cosine of TF-IDF, {name}", f"{recall(tfidf(analyzer, paragraphs, questions), gold):.1f}")
        row(f"BM25, {name}", f"{recall(bm25(analyzer, paragraphs, questions), gold):.1f}")
    search = Search(options, paragraphs, questions)
    for model in options.model or [None]:
        for name, documents in search.indexes.items():
            ranked = list(search.ranked(model, documents))
            row(f"bert-search, {model or 'default model'}{name}", f"{recall(ranked, gold):.1f}")


if __name__ == "__main__":
    main()
