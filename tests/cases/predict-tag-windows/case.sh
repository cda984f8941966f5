#!/bin/sh
# Each word of a long text has one tag, whatever the windows, even if it is longer than a window.
tag() { bert-predict -m "$MODELS/tag" --precision 3 "$@"; }
echo 'the old king and the queen said abcdefghijklmnopqrstuvwxyz it was a good year' >long
for options in '' '--max-length 6 --overlap 2' '--max-length 3 --overlap 0' '--max-length 12'; do
  for aggregate in first mean max; do
    tag --aggregate $aggregate $options long | grep -o '"words":\[.*\],"ent'
  done
done | sort | uniq -c
