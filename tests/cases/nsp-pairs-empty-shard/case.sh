#!/bin/sh
# A shard may have no documents: the second of three.
. "$CASE/../lib/documents.sh"
documents 1 1 | head -n 16 >first
documents 1 0 | head -n 16 >second
documents 2 1 | head -n 16 >third
cat first second third | pairs --pool 8 >whole 2>/dev/null
{ pairs --pool 8 first; pairs --pool 8 --first-record 16 second; pairs --pool 8 --first-record 32 third; } 2>/dev/null | cmp - whole
