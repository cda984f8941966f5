# Results that 32-bit numbers cannot hold: the records are named, and with --on-error skip left out.
printf '{"id":"%s","embedding":[%s]}\n' a 1,0 b 1e30,0 c 1,1 d 1e30,1 >large.jsonl
printf '{"id":"%s","embedding":[%s]}\n' a 1e38,0 b 3e38,3e38 c -3e38,-3e38 d 0,1 >far.jsonl
echo '{"embedding":[1e30,0]}' >numbers.jsonl
for policy in stop skip; do
  echo "-- $policy"
  bert-search --pairs 1 --metric dot --on-error $policy large.jsonl
  echo "exit $?"
  cat numbers.jsonl numbers.jsonl | bert-search --pairs 1 --metric dot --on-error $policy
  echo "exit $?"
  bert-search --dedup 1 --metric dot --on-error $policy large.jsonl
  echo "exit $?"
  bert-search --cluster 1 --metric l2 --on-error $policy --keep id,rank far.jsonl
  echo "exit $?"
  bert-search --index far.jsonl -k 1 --metric dot --on-error $policy --keep id,neighbors far.jsonl
  echo "exit $?"
done
