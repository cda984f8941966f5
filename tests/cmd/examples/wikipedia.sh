#!/bin/sh
# wikipedia.py writes the paragraphs of articles, without lists, tables, headings and templates, in constant
# memory, with the same result for any number of processes. Usage: wikipedia.sh TOOLS_DIRECTORY
# EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/common.sh"
need bzip2 gzip
for python in python3 /usr/bin/python3 none; do
  "$python" -c 'import mwparserfromhell' 2>/dev/null && break
done
[ "$python" != none ] || { echo 'skipped: mwparserfromhell is absent'; exit 77; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
PATH=$tools:$PATH
: >log
passages() { timeout 60 "$python" "$examples/wikipedia.py" "$@" 2>log; }

cat >dump.xml <<'END'
<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xml:lang="en">
  <siteinfo><namespaces><namespace key="0" /><namespace key="6">Bild</namespace><namespace key="14">Thema</namespace></namespaces></siteinfo>
  <page><title>Old river</title><ns>0</ns><id>1</id><revision><id>11</id><model>wikitext</model><text xml:space="preserve">{{Infobox river
| name = Old river
| length = {{convert|5|km}}
}}
[[File:River.jpg|thumb|The river [[at night|by night]].]] The '''Old river''' ({{IPA|x}}; 1815) is {{convert|5|km|mi}} long&amp;nbsp;and ''cold''.&lt;ref name="a"&gt;A book.&lt;/ref&gt; It flows
past [[Town (north)|the town]] to the [[sea]].&lt;ref name="a" /&gt;

== History ==
&lt;!-- a comment --&gt;
Kings came &amp;amp; went&amp;mdash;twice{{ndash}}once. See [http://example.org the page].

* a list item with a [[link]]
* another
: indented
# numbered

{| class="wikitable"
! head
|-
| cell || {{template}}
|}
There are three parts:
* one

&lt;math&gt;x&lt;/math&gt; The queen said "yes".

[[Bild:King.jpg|thumb|A king.]]
[[Thema:Rivers]]
[[Category:Rivers]]
[[de:Alter Fluss]]
[[:Category:Rivers|All rivers]] are old. The ''[[river]]''s end in the sea.
</text></revision></page>
  <page><title>River, old</title><ns>0</ns><id>2</id><redirect title="Old river" /><revision><text>#REDIRECT [[Old river]]</text></revision></page>
  <page><title>Talk:Old river</title><ns>1</ns><id>3</id><revision><text>We talk.</text></revision></page>
  <page><title>Köln</title><ns>0</ns><id>4</id><revision><text>Köln ist alt. 东京 also.
__NOTOC__
Next line. &lt;small&gt;Not large.&lt;/small&gt;

Only * stars.</text></revision></page>
  <page><title>Empty</title><ns>0</ns><id>5</id><revision><text>* only a list</text></revision></page>
  <page><title>Script</title><ns>0</ns><id>6</id><revision><model>javascript</model><text>alert(1)</text></revision></page>
  <page><title>Nothing</title><ns>0</ns><id>7</id><revision><text /></revision></page>
</mediawiki>
END
cat >expected <<'END'
The Old river (1815) is 5 km long and cold. It flows past the town to the sea.
Kings came & went—twice–once. See the page.
The queen said "yes".
All rivers are old. The rivers end in the sea.

Köln ist alt. 东京 also. Next line. Not large.
Only * stars.
END
passages dump.xml >came || fail "a dump"
cmp came expected || fail "other passages: $(cat came)"
bzip2 -k dump.xml
passages -j 1 <dump.xml.bz2 | cmp - expected || fail "a compressed dump in a pipe gives other passages"
{ cat expected; echo; cat expected; } >twice
passages dump.xml.bz2 dump.xml | cmp - twice || fail "two dumps give other passages"
passages --jsonl dump.xml >came
[ "$(wc -l <came)" = 2 ] || fail "not a record for each article: $(cat came)"
tail -n 1 came | grep -qFx '{"id":"4","title":"Köln","text":"Köln ist alt. 东京 also. Next line. Not large.\nOnly * stars."}' ||
  fail "another record: $(tail -n 1 came)"
passages --min-words 4 dump.xml | tail -n 1 | grep -q '^Köln' || fail "a short paragraph was kept"

# Each article is a document of bert-tokenize, with its sentences.
passages dump.xml | bert-tokenize -m "$here/../../golden/models/bare" --input-format paragraphs --sentences >came
[ "$(grep -o '\],\[' came | wc -l)" -ge 6 ] && [ "$(wc -l <came)" = 2 ] || fail "not two documents of sentences: $(cat came)"

# A dump that ends too early: the articles before are written, then an error.
head -c 1500 dump.xml >cut.xml
passages cut.xml >came && fail "accepted: a dump that is cut"
head -n 4 expected | cmp - came || fail "the articles before the error are missing: $(cat came)"
grep -q '^wikipedia.py: cut.xml: ' log || fail "the error does not name the dump"
head -c 300 dump.xml.bz2 >cut.bz2
passages cut.bz2 >came && fail "accepted: a compressed dump that is cut"
passages none.xml >came && fail "accepted: no dump"
grep -q 'none.xml: No such file' log || fail "another error"

# page TITLE NS TEXT: a dump of one page. refused NAME MESSAGE: the message is one line.
page() { printf '<mediawiki><page><title>%s</title>%s<id>1</id><revision><text>%s</text></revision></page></mediawiki>\n' "$@"; }
refused() {
  passages "$1" >came && fail "accepted: $1"
  [ "$(cat log)" = "wikipedia.py: $1: $2" ] || fail "does not say: $1: $2"
}
gzip -c dump.xml >dump.xml.gz
passages dump.xml.gz | cmp - expected || fail "a dump compressed with gzip gives other passages"
passages - <dump.xml.gz | cmp - expected || fail "a dump in a pipe that is compressed with gzip gives other passages"
head -c 300 dump.xml.gz >cut.gz
refused cut.gz 'Compressed file ended before the end-of-stream marker was reached'
{ head -c 200 dump.xml.gz; head -c 400 /dev/zero | tr '\0' '\377'; } >bad.gz
passages bad.gz >came && fail "accepted: a damaged file"
[ "$(wc -l <log)" = 1 ] && grep -q '^wikipedia.py: bad.gz: ' log || fail "another error for a damaged file"
printf '7z\274\257\047\034' >dump.7z
refused dump.7z 'expected a dump in XML, plain or compressed with bzip2 or gzip, found: not well-formed (invalid token): line 1, column 2'
: >empty.xml
refused empty.xml 'expected a dump in XML, plain or compressed with bzip2 or gzip, found: no element found: line 1, column 0'
echo '<html xmlns="http://www.w3.org/1999/xhtml"><p>The king.</p></html>' >page.html
refused page.html 'expected a dump with the root element mediawiki, found html'
page 'Old king' '' 'The king.' >old.xml
refused old.xml 'page "Old king": expected the number of its namespace in ns, found none'
page Talk '<ns>1</ns>' 'We talk.' >talk.xml
passages talk.xml >came && [ ! -s came ] || fail "a dump without articles"
[ "$(cat log)" = 'wikipedia.py: talk.xml: no article has text' ] || fail "does not say that no article has text"
if passages dump.xml >/dev/full; then fail "accepted: a full disk"; fi
[ "$(cat log)" = 'wikipedia.py: stdout: No space left on device' ] || fail "another error for a full disk"

# Tables that mwparserfromhell leaves as text, since they are indented or not closed.
page Tables '<ns>0</ns>' 'The king.

:{| class="wikitable"
| cell
text in a cell
|}
The queen.

{|
| cell
text in a cell
{|
| inner
|}

more in a cell
== History ==
The river.

{|
| cell
text in a cell' >tables.xml
printf 'The king.\nThe queen.\nThe river.\n' >expected
passages tables.xml | cmp - expected || fail "text of a table is kept: $(passages tables.xml)"

# generate ARTICLES: a dump of articles of 10 kB, and as many talk pages.
generate() {
  awk -v articles="$1" 'BEGIN {
    for (i = 0; i < 140; i++) text = text "The king was old and the river ran to the sea, again and again.\n" (i % 7 ? "" : "\n")
    print "<mediawiki>"
    for (n = 0; n < 2 * articles; n++)
      print "<page><title>T</title><ns>" n % 2 "</ns><id>" n "</id><revision><text>" text "</text></revision></page>"
    print "</mediawiki>"
  }'
}
# The memory of the largest process does not grow with the dump.
cat >memory.py <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=open("out", "w"))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
generate 30 >small.xml
generate 1500 >large.xml
small=$("$python" memory.py timeout 60 "$python" "$examples/wikipedia.py" -j 2 small.xml)
large=$("$python" memory.py timeout 60 "$python" "$examples/wikipedia.py" -j 2 large.xml)
[ "$(grep -c '^$' out)" = 1499 ] || fail "not all articles of the large dump"
[ "$large" -lt $((small + 10000)) ] || fail "memory grows with the dump: $small kB, then $large kB"
