#!/bin/sh
# bf16 products: nearly the losses of f32, and equal bits for any number of threads and after a resume; an
# error if the processor cannot multiply bf16.
golden=$MODELS/../training
train() { bert-train --task pretrain -m "$golden/narrow" --batch-size 6 --lr 2e-3 --no-shuffle --log-every 1 --out "$@"; }
if ! grep -qw avx512_bf16 /proc/cpuinfo || ! bert-train --version | grep -q AVX-512; then
  train out --steps 8 --dtype bf16 "$golden/records.jsonl" 2>said
  echo "exit $?" >>said
  printf '%s\n' 'bert-train: --dtype bf16: this processor does not multiply bf16 (AVX512_BF16)' 'exit 1' | diff - said &&
    echo as it should be
  exit
fi
exec 3>&1 >log 2>&1
train f32 --steps 8 "$golden/records.jsonl" >f32.jsonl
train bf16 --steps 8 --dtype bf16 -j 1 "$golden/records.jsonl" >bf16.jsonl
losses() { sed 's/.*"loss":\([0-9.]*\).*/\1/' "$1"; }
losses f32.jsonl >a
losses bf16.jsonl >b
paste a b | awk '
  { d = $1 - $2; if (d < 0) d = -d; if (d > 0.02 * $1) print "step " NR ": " $1 " and " $2; if (d > 0) differ = 1 }
  END { if (NR != 8) print NR " steps"; if (!differ) print "bf16 is f32" }'
train threads --steps 8 --dtype bf16 -j 3 "$golden/records.jsonl" >/dev/null
cmp bf16/model.safetensors threads/model.safetensors
head -n 24 "$golden/records.jsonl" | train parts --steps 8 --dtype bf16 --schedule constant >/dev/null 2>&1
train parts --steps 8 --schedule constant --resume <"$golden/records.jsonl" 2>said >/dev/null && echo 'resumed in f32'
grep -q -e '--dtype: bf16, now not set' said || cat said
train parts --steps 8 --dtype bf16 --schedule constant --resume <"$golden/records.jsonl" >/dev/null
train whole --steps 8 --dtype bf16 --schedule constant <"$golden/records.jsonl" >/dev/null
cmp parts/model.safetensors whole/model.safetensors
exec >&3
[ -s log ] && cat log || echo as it should be
