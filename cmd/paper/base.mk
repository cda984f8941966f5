# Settings of cmd/paper/Makefile as in the paper (appendices A.2 and A.3; section 5.2 for the sizes), except that the
# learning rate is constant for the first nine tenths of the steps, with short sequences, and falls for the rest.

SHAPE = 12-768-12
SIZES = 3-768-12 6-768-3 6-768-12 12-768-12 12-1024-16 24-1024-16
LENGTH = 512
STEPS = 1000000
FIRST_STEPS = 900000
FIRST_LENGTH = 128
FIRST_NSP = yes
MASKING_NSP = yes
# `bert` has the masking 80-10-10.
MASKINGS = 100-0-0 80-0-20 80-20-0 0-20-80 0-0-100
PREPARE_OPTIONS = HELD_OUT=1% SHARD=4096
VOCAB_OPTIONS = --size 30000
PRETRAIN_OPTIONS = --batch-size 256 --max-length $(LENGTH) --lr 1e-4 --warmup 10000 --weight-decay 0.01

# All examples of all tasks.
EXAMPLES =
SQUAD_TRAIN_EVERY = 1
SQUAD_DEV_EVERY = 1
SQUAD2_EVERY = 1
BATCH_SIZES = 32
RATES = 5e-5 4e-5 3e-5 2e-5
EPOCHS = 3
SQUAD_EPOCHS = $(EPOCHS)
NER_EPOCHS = $(EPOCHS)
NER_OPTIONS =
SQUAD2_BATCH_SIZE = 48
SQUAD2_RATE = 5e-5
SQUAD2_EPOCHS = 2
BILSTM = UNITS=768 EPOCHS=10
