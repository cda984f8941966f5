#!/usr/bin/env python3
"""Opens the cards and settings that bert-train writes with huggingface_hub, transformers and sentence-transformers.

usage: check_cards.py DIRECTORY_OF_THE_TOOLS     (needs these three)

Every warning is an error. The metrics of a card must be those of the training log, to the 4 digits that it has.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
tools = pathlib.Path(sys.argv[1]).resolve()
models = pathlib.Path(__file__).resolve().parent / "models"
try:
    import huggingface_hub
    import transformers
    from sentence_transformers import CrossEncoder, SentenceTransformer
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

SENTENCES = ["it works well", "the king is old", "the river is cold", "a book on the table"]
PAIRS = [{"text": text, "text_pair": SENTENCES[i - 1]} for i, text in enumerate(SENTENCES)]
TASKS = {
    "classify": [{**pair, "label": "ab"[i % 2]} for i, pair in enumerate(PAIRS)],
    "regress": [{"text": text, "label": i / 2} for i, text in enumerate(SENTENCES)],
    "multilabel": [{"text": text, "label": ["a", "b"][: 1 + i % 2]} for i, text in enumerate(SENTENCES)],
    "tag": [{"words": text.split(), "tags": ["B-X"] + ["O"] * (len(text.split()) - 1)} for text in SENTENCES],
    "answer": [{"id": str(i), "question": "what", "context": text, "answers": {"text": [text[:2]], "answer_start": [0]}}
               for i, text in enumerate(SENTENCES)],
    "choose": [{"text": text, "choices": SENTENCES[:2], "label": i % 2} for i, text in enumerate(SENTENCES)],
    "embed": PAIRS,
    "rank": [{**pair, "label": i % 2} for i, pair in enumerate(PAIRS)],
}
CLASSES = {"classify": "SequenceClassification", "regress": "SequenceClassification", "multilabel": "SequenceClassification",
           "tag": "TokenClassification", "answer": "QuestionAnswering", "choose": "MultipleChoice"}


def check(task, records, folder):
    data = folder / f"{task}.jsonl"
    data.write_text("".join(json.dumps(record) + "\n" for record in records))
    options = ["--license", "apache-2.0", "--language", "en,de"] if task != "tag" else []
    log = subprocess.run([tools / "bert-train", "--task", task, "-m", models / "bare", "--steps", "2", "--dev", data, "-q",
                          "-o", folder / task, *options, data], check=True, capture_output=True, text=True).stdout
    dev = {name.removeprefix("dev_"): value for name, value in json.loads(log.splitlines()[-1]).items() if name.startswith("dev_")}
    card = huggingface_hub.ModelCard.load(folder / task / "README.md")
    results = {result.metric_type: result.metric_value for result in card.data.eval_results}
    assert results.keys() == dev.keys(), (task, results, dev)
    for name, value in dev.items():
        assert abs(results[name] - value) <= 6e-4 * abs(value), (task, name, results[name], value)
    assert card.data.license == ("apache-2.0" if options else None)
    assert card.data.language == (["en", "de"] if options else None)
    assert card.data.pipeline_tag in ("text-classification", "token-classification", "question-answering", "multiple-choice",
                                      "sentence-similarity", "text-ranking")
    if task in CLASSES:
        assert card.data.library_name == "transformers"
        getattr(transformers, "AutoModelFor" + CLASSES[task]).from_pretrained(folder / task)
        transformers.AutoTokenizer.from_pretrained(folder / task)
    else:
        assert card.data.library_name == "sentence-transformers"
        (SentenceTransformer if task == "embed" else CrossEncoder)(str(folder / task), device="cpu")
    # The library that writes cards reads and writes ours without a change of what it says.
    card.save(folder / "again.md")
    assert huggingface_hub.ModelCard.load(folder / "again.md").data.to_dict() == card.data.to_dict()
    print(task, "has", len(results), "metrics")


with warnings.catch_warnings(), tempfile.TemporaryDirectory() as name:
    warnings.simplefilter("error")
    for task, records in TASKS.items():
        check(task, records, pathlib.Path(name))
