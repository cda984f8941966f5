# Makes labels.jsonl, three predictions with scores, and gnuplot in bin/ if the system has none.
cat >labels.jsonl <<'END'
{"id":1,"label":"good","prediction":"good","scores":{"bad":0.25,"good":0.75}}
{"id":2,"label":"bad","prediction":"good","scores":{"bad":0.45,"good":0.55}}
{"id":3,"label":"bad","prediction":"bad","scores":{"bad":1,"good":0}}
END
mkdir bin
command -v gnuplot >/dev/null || { printf '#!/bin/sh\ncat >script; echo gnuplot; cat script; echo "</svg>"\n' >bin/gnuplot; chmod +x bin/gnuplot; }
PATH=$PWD/bin:$PATH
