# Vectors as arrays of numbers, base64, npy and f32; records in any format, CRLF included.
printf '{"embedding":[%s]}\n' 1,0 0,1 1,1 >points.jsonl
printf '\000\000\200\077\000\000\000\000\000\000\000\000\000\000\200\077\000\000\200\077\000\000\200\077' >points.f32
{
  printf '\223NUMPY\001\000\166\000'
  printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }"
  cat points.f32
} >points.npy
for index in points.npy points.f32 points.jsonl; do
  echo "$index:"
  bert-search --index $index --dim 2 -k 2 --precision 3 points.jsonl
done
echo "queries:"
bert-search --index points.npy -k 1 points.npy | tee rows
bert-search --index points.npy -k 1 --dim 2 points.f32 | cmp - rows && echo "f32 as npy"
bert-search --index points.npy -k 1 --dim 2 --input-format f32 <points.f32
bert-search --index points.npy -k 1 <points.npy
echo '{"embedding":"AACAPwAAAAA="}' | bert-search --index points.npy -k 1 --keep neighbors
printf 'one\r\ntwo\r\nthree\r\n' >points.txt
printf 'name\tid\none\tA\ntwo\tB\nthree\tC\n' >points.tsv
printf '{"embedding":[0,5]}\r\n' | bert-search --index points.npy --records points.txt --with text -k 2 --keep neighbors --precision 3
printf '{"embedding":[0,5]}' | bert-search --index points.npy --records points.tsv --with name -k 2 --keep neighbors --precision 3
echo "nothing:"
bert-search --index points.npy </dev/null
: >empty.f32
bert-search --index empty.f32 --dim 2 --keep neighbors points.jsonl
