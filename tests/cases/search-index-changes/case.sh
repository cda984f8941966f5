# An index that changes during the search ends it, before results that mix two states are written.
rows() { printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }"; printf "$1"; }
rows '\000\000\200\077\000\000\200\277' >rows.npy
rows '\000\000\200\277\000\000\200\077' >others.npy
printf 'one\ntwo\n' >records.txt
mkfifo queries
# search_and CHANGE OPTION...: a query before the change, and one after it.
search_and() {
  change=$1
  shift
  : >out
  bert-search --line-buffered -k 1 --keep neighbors "$@" queries >out &
  exec 3>queries
  echo '{"embedding":[1]}' >&3
  until [ -s out ]; do sleep 0.05; done
  eval "$change"
  echo '{"embedding":[1]}' >&3
  exec 3>&-
  wait $!
  echo "exit $?"
  cat out
}
search_and : --index rows.npy
search_and 'cat others.npy >rows.npy' --index rows.npy
search_and 'mv others.npy rows.npy' --index rows.npy
search_and 'printf "two\none\n" >records.txt' --index rows.npy --records records.txt --with text
echo '{"embedding":[1]}' >rows.jsonl
search_and 'echo "{\"embedding\":[2]}" >rows.jsonl' --index rows.jsonl
