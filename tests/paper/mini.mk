# Settings of tests/paper/Makefile for two cores.

# Pre-training: the shape of BERT-mini, LAYERS-HIDDEN-HEADS; 5 million tokens. Position embeddings and heads that
# attend to neighbouring tokens from the start replace the many steps that larger models take to find them.
SHAPE = 4-256-4
SIZES = 2-128-2 4-128-2 2-256-4 4-256-4 4-384-6
LENGTH = 128
STEPS = 1200
PREPARE_OPTIONS = HELD_OUT=4 SHARD=128
VOCAB_OPTIONS = --size 8192 --alphabet-limit 100
PRETRAIN_OPTIONS = --batch-tokens 4096 --max-length $(LENGTH) --lr 2e-3 --warmup 100 --beta2 0.98 --weight-decay 0.2 --dropout 0 \
  --init-positions neighbours

# Fine-tuning.
EXAMPLES = 2000
SQUAD_TRAIN_EVERY = 40
SQUAD_DEV_EVERY = 10
BATCH_SIZES = 16
RATES = 3e-4
EPOCHS = 3
