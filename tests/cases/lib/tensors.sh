# Makes functions that read the tensors of a safetensors FILE.
# tensors FILE: prints the metadata, and name, dtype and shape of each tensor. The header is JSON, after its
# length.
tensors() {
  python3 -c '
import json, struct, sys
file = open(sys.argv[1], "rb")
header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
print("metadata", header.pop("__metadata__"))
for name in sorted(header): print(name, header[name]["dtype"], *header[name]["shape"])' "$1"
}
# tensor FILE NAME: prints the numbers of a tensor, in binary.
tensor() {
  header=$(od -An -N8 -tu8 "$1" | tr -d ' ')
  range=$(head -c $((8 + header)) "$1" | tail -c "$header" | sed "s/.*\"$2\"[^]]*\][^[]*\[\([0-9]*\),\([0-9]*\)\].*/\1 \2/")
  tail -c +$((9 + header + ${range% *})) "$1" | head -c $((${range#* } - ${range% *}))
}
