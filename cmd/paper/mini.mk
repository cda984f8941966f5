# Settings of cmd/paper/Makefile for two cores.

# Pre-training: the shape of BERT-mini, LAYERS-HIDDEN-HEADS; 4 million tokens. Position embeddings and heads that
# attend to neighbouring tokens from the start replace the many steps that larger models take to find them. Without
# masked tokens that stay the same, models learn more slowly: with next sentence prediction, too, or at a rate of 1e-3,
# they do not use the words around a masked one for a long time. So the models of table 8 ($(1) is a model's name) are
# without it, at half the rate.
SHAPE = 4-256-4
SIZES = 2-128-2 4-128-2 2-256-4 4-256-4
LENGTH = 128
STEPS = 1000
FIRST_STEPS = 0
MASKING_NSP =
MASKINGS = 80-10-10 100-0-0 80-20-0
PREPARE_OPTIONS = HELD_OUT=4 SHARD=128
VOCAB_OPTIONS = --size 8192 --alphabet-limit 100
PRETRAIN_OPTIONS = --batch-tokens 4096 --max-length $(LENGTH) --lr $(if $(filter mask-%,$(1)),5e-4,1e-3) --warmup 100 --beta2 0.98 --dropout 0
INITIAL = --init-positions neighbours

# Fine-tuning.
# CoLA has short sentences, and a question of OpenBookQA four texts.
EXAMPLES = 2500
EXAMPLES.cola = 8551
EXAMPLES.ner = 5000
EXAMPLES.swag = 1000
SQUAD_TRAIN_EVERY = 40
SQUAD_DEV_EVERY = 10
SQUAD2_EVERY = 5
BATCH_SIZES = 16
RATES = 3e-4
EPOCHS = 3
# In more than one epoch, models learn these questions by heart and answer others worse.
SQUAD_EPOCHS = 1
# Only with more sentences, more epochs and dropout does a model learn to use the other sentences of a document.
NER_EPOCHS = 4
NER_OPTIONS = --dropout 0.1
SQUAD2_BATCH_SIZE = 16
SQUAD2_RATE = 3e-4
SQUAD2_EPOCHS = 1
BILSTM = UNITS=64 EPOCHS=8
