#!/usr/bin/env python3
"""Writes tests/golden/type-models: small models with random weights and tokenizers of their own kind, a
RoBERTa with byte-level BPE, an XLM-R and a DeBERTa v3 with Unigram, an MPNet with WordPiece, and a ModernBERT with BPE that has
tokens for runs of spaces, as transformers saves them, MPNet also with its vocab.txt. expected.jsonl in each has texts with their ids, the mean of the last hidden states and, for texts with <mask>, the three best tokens, computed by
transformers in float64. The tokenizers are those in the tree, since the trainers of tokenizers choose differently in
each run; new ones are trained where they are missing. Needs torch and transformers 5."""
import json
import os
import shutil

import torch
import transformers as tf
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "type-models")
CORPUS = ["The king and the queen said it was a good year for the old castle.",
          "Snow fell on the mountains, and the river was cold.", "A naïve café in Zürich isn't far: 12 km.",
          "Where was the king? He was in the castle, reading 1 book."] * 4
TEXTS = [("The king was in the castle.", None), ("naïve café — Zürich 🙂", None), ("  two   spaces\tand a tab ", None),
         ("the old <mask> said", None), ("Where was the king?", "In the castle, of course."), ("isn't  it", "")]
SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]
MASK = AddedToken("<mask>", lstrip=True, special=True, normalized=False)


def kept_or(name, train):
    path = os.path.join(OUT, name, "tokenizer.json")
    return Tokenizer.from_file(path) if os.path.exists(path) else train()


def byte_bpe():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=330, special_tokens=SPECIALS, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.add_special_tokens([MASK])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return tokenizer


def unigram():
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.train_from_iterator(CORPUS, trainers.UnigramTrainer(
        vocab_size=90, special_tokens=SPECIALS, unk_token="<unk>", show_progress=False))
    tokenizer.add_special_tokens([MASK])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return tokenizer


def modern_bpe():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=330, special_tokens=["|||IP_ADDRESS|||", "<|padding|>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.add_tokens([AddedToken(" " * count, normalized=True) for count in (4, 3, 2)])
    tokenizer.add_tokens([AddedToken("|||EMAIL_ADDRESS|||", normalized=True)])
    tokenizer.add_special_tokens(["<|endoftext|>", "[UNK]", "[CLS]", "[SEP]", "[PAD]",
                                  AddedToken("[MASK]", lstrip=True, special=True, normalized=False)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]",
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")])
    return tokenizer


def deberta_unigram():
    """As DebertaV2Converter of transformers 4 makes it of spm.model."""
    names = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.Strip(), normalizers.NFKC(),
                                                 normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.train_from_iterator(CORPUS, trainers.UnigramTrainer(
        vocab_size=90, special_tokens=names, unk_token="[UNK]", show_progress=False))
    tokenizer.add_special_tokens([AddedToken("[MASK]", special=True, normalized=False)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")])
    return tokenizer


def deberta_tokenizer(tokenizer):
    return tf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]",
                                      unk_token="[UNK]", mask_token="[MASK]", model_max_length=40)


def modern_tokenizer(tokenizer):
    return tf.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]", unk_token="[UNK]",
        mask_token=AddedToken("[MASK]", lstrip=True, special=True, normalized=False), model_max_length=40,
        model_input_names=["input_ids", "attention_mask"])


def fast_tokenizer(tokenizer):
    return tf.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", cls_token="<s>", sep_token="</s>",
        pad_token="<pad>", unk_token="<unk>", mask_token=MASK, model_max_length=40)


def wordpiece():
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(CORPUS, trainers.WordPieceTrainer(
        vocab_size=110, special_tokens=[*SPECIALS, "[UNK]"], show_progress=False))
    tokenizer.add_special_tokens(["<mask>"])
    return tokenizer


def mpnet_tokenizer(tokenizer):
    vocab = dict(sorted(tokenizer.get_vocab().items(), key=lambda item: item[1]))
    return tf.MPNetTokenizer(vocab=vocab, model_max_length=40)


def make(folder, fast, config_class, model_class):
    shutil.rmtree(folder, ignore_errors=True)
    torch.manual_seed(7)
    sizes = dict(vocab_size=len(fast), hidden_size=16, num_attention_heads=2, intermediate_size=24, initializer_range=0.3)
    if config_class is tf.ModernBertConfig:
        first, last = fast.cls_token_id, fast.sep_token_id
        config = config_class(**sizes, num_hidden_layers=3, local_attention=6, max_position_embeddings=42,
                              pad_token_id=fast.pad_token_id, bos_token_id=first, eos_token_id=last, cls_token_id=first,
                              sep_token_id=last)
    elif config_class is tf.DebertaV2Config:
        config = config_class(**sizes, num_hidden_layers=2, max_position_embeddings=42, pad_token_id=fast.pad_token_id,
                              type_vocab_size=0, relative_attention=True, position_buckets=8, norm_rel_ebd="layer_norm",
                              share_att_key=True, pos_att_type="p2c|c2p", position_biased_input=False)
    else:
        types = {} if config_class is tf.MPNetConfig else {"type_vocab_size": 1}
        config = config_class(**sizes, num_hidden_layers=2, max_position_embeddings=42, **types, pad_token_id=1,
                              bos_token_id=0, eos_token_id=2, layer_norm_eps=1e-5)
    model_class(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    model = model_class.from_pretrained(folder).double().eval()
    with open(os.path.join(folder, "expected.jsonl"), "w", encoding="utf-8") as out, torch.no_grad():
        for text, pair in TEXTS:
            text = text.replace("<mask>", fast.mask_token)
            inputs = fast([text], None if pair is None else [pair], return_tensors="pt")
            output = model(input_ids=inputs["input_ids"], output_hidden_states=True)
            record = {"text": text} | ({} if pair is None else {"text_pair": pair})
            record["ids"] = inputs["input_ids"][0].tolist()
            record["mean"] = output.hidden_states[-1][0].mean(0).float().tolist()
            masks = (inputs["input_ids"][0] == fast.mask_token_id).nonzero().flatten()
            if len(masks):
                record["best"] = fast.convert_ids_to_tokens(output.logits[0, masks[0]].topk(3).indices.tolist())
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    if os.path.exists(path := os.path.join(folder, "generation_config.json")):
        os.remove(path)


def main():
    make(os.path.join(OUT, "modernbert"), modern_tokenizer(kept_or("modernbert", modern_bpe)), tf.ModernBertConfig,
         tf.ModernBertForMaskedLM)
    make(os.path.join(OUT, "deberta-v2"), deberta_tokenizer(kept_or("deberta-v2", deberta_unigram)), tf.DebertaV2Config,
         tf.DebertaV2ForMaskedLM)
    make(os.path.join(OUT, "roberta"), fast_tokenizer(kept_or("roberta", byte_bpe)), tf.RobertaConfig,
         tf.RobertaForMaskedLM)
    make(os.path.join(OUT, "xlm-roberta"), fast_tokenizer(kept_or("xlm-roberta", unigram)), tf.XLMRobertaConfig,
         tf.XLMRobertaForMaskedLM)
    mpnet = mpnet_tokenizer(kept_or("mpnet", wordpiece))
    make(os.path.join(OUT, "mpnet"), mpnet, tf.MPNetConfig, tf.MPNetForMaskedLM)
    subwords = sorted(mpnet.get_vocab().items(), key=lambda item: item[1])
    with open(os.path.join(OUT, "mpnet", "vocab.txt"), "w", encoding="utf-8") as file:
        file.write("".join(token + "\n" for token, _ in subwords))


if __name__ == "__main__":
    tf.logging.set_verbosity_error()
    tf.logging.disable_progress_bar()
    main()
