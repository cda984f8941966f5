#!/bin/sh
# -o writes a file only after success; a full disk is an error.
echo '{"label":1,"prediction":1}' | bert-score --task regress -o out.json; cat out.json
echo '{"label":"a"}' | bert-score --task classify -o none; ls
echo '{"label":"a","prediction":"b"}' | bert-score --task classify -o /dev/full
echo "exit $?"
