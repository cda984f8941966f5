#!/bin/sh
# Gold labels that are numbers and predictions that are names are reported, except with -q.
printf '{"label":%d,"prediction":"%s"}\n' 0 negative 1 positive | bert-score --task classify --metric accuracy
printf '{"label":%d,"prediction":"%s"}\n' 0 negative 1 positive | bert-score --task classify --metric accuracy -q
echo "exit $?"
