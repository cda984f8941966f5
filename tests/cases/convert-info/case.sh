# The description of directories by --info.
bert-convert "$MODELS/classify" --info
bert-convert "$MODELS/sentence-old" --info
bert-convert "$MODELS/../checkpoints/tensorflow" --info --verify
bert-convert "$MODELS/sharded" --info
