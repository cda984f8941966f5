# Only bert-train shares work: several processes of another tool are refused, with one message.
ranks() {
  for rank in 0 1; do
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=$rank "$@"
    echo "exit $?"
  done
}
echo 'the king' >texts.txt
ranks bert-tokenize -m "$MODELS/bare" texts.txt
ranks bert-convert -o new "$MODELS/bare"
for tool in 'bert-embed -m' 'bert-predict -m' 'bert-mask -m' 'bert-nsp-pairs -m' 'bert-search --index' 'bert-vocab --counts' \
  'bert-score --task answer --gold'; do
  SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 $tool "$MODELS/pretraining" texts.txt
  echo "exit $?"
done
echo '--- one process'
OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0 bert-tokenize -m "$MODELS/bare" texts.txt
SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=1 bert-tokenize -m "$MODELS/bare" texts.txt
OMPI_COMM_WORLD_SIZE=2 bert-tokenize --help | head -n 1
