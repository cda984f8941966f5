# gzip, bzip2, xz and zstd are read through their programs, from FILEs and stdin.
tokenize() { bert-tokenize -m "$MODELS/bare" --keep text "$@"; echo "exit $?"; }
printf 'label,text\na,king\nb,queen\n' >t.csv
for program in gzip bzip2 xz zstd; do
  command -v $program >/dev/null || { echo "# $program is not installed" >&2; exit 1; }
  $program -c t.csv >"t.csv.$program"
done
mv t.csv.gzip t.csv.gz; mv t.csv.bzip2 t.csv.bz2; mv t.csv.zstd t.csv.zst
for suffix in gz bz2 xz zst; do tokenize "t.csv.$suffix"; tokenize - <"t.csv.$suffix"; done
echo '--- the suffix below decides; an empty file'
printf 'sentence,text of it\nx,y\n' | gzip >h.csv.gz
tokenize h.csv.gz
printf '' | gzip | tokenize
printf '' | bzip2 | tokenize
printf 'BZh9 is text\n' | tokenize
echo '--- damaged'
said() { sed 's/decompressed: .*/decompressed: .../'; }
head -c 40 t.csv.gz >cut.csv.gz
tokenize cut.csv.gz 2>&1 | said
printf 'junk' | cat t.csv.xz - | tokenize 2>&1 | said
printf '\037\213more' | tokenize 2>&1 | said
awk 'BEGIN { for (i = 0; i < 200000; ++i) print "king " i }' >many
zstd -qc many | head -c 50000 >many.zst
bert-tokenize -m "$MODELS/bare" --keep text many.zst >out 2>messages
echo "exit $?"
said <messages
[ -s out ] && echo 'what precedes was written'
echo '--- a missing program'
mkdir bin
ln -s "$(command -v bert-tokenize)" bin
(PATH=$PWD/bin; bert-tokenize -m "$MODELS/bare" t.csv.zst)
echo '--- a reader that leaves: no child stays'
gzip -c many >many.gz
bert-tokenize -m "$MODELS/bare" --keep text many.gz | head -n 1
bert-tokenize -m "$MODELS/bare" --line-buffered --keep text - <many.gz | head -n 1
sleep 0.2
for process in /proc/[0-9]*; do
  [ "$(readlink "$process/cwd" 2>/dev/null)" = "$PWD" ] && [ "$(cat "$process/comm" 2>/dev/null)" = gzip ] && echo "$process"
done
echo '--- same output, several epochs, gold labels'
bert-tokenize -m "$MODELS/bare" many | cksum >expected
bert-tokenize -m "$MODELS/bare" many.gz | cksum | cmp - expected && echo same
train() { bert-train --task classify -m "$MODELS/bare" --epochs 3 --batch-size 1 -o "$1" "$2" >"$1.log"; }
train plain t.csv
train packed t.csv.gz
cmp plain/model.safetensors packed/model.safetensors && echo same
printf '{"id":1,"prediction":"a"}\n' | gzip >p.gz
printf '{"id":1,"label":"a"}\n' | xz >g.jsonl.xz
bert-score --task classify --metric accuracy --gold g.jsonl.xz p.gz
