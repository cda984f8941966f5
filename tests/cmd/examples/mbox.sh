#!/bin/sh
# mbox.py reads mail archives: encoded headers, character sets, HTML, quoted lines, signatures, attachments, damage.
# Usage: mbox.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/common.sh"
need python3
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
: >log

cat >mails.mbox <<'END_OF_MAILS'
From ada@example.org Mon Mar  2 10:00:00 2026
Message-ID: <1@example.org>
Date: Mon, 02 Mar 2026 10:00:00 +0100
From: =?utf-8?q?Ad=C3=A4?= <ada@example.org>
Subject: The bridge over
 the river
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

The br=FCcke is closed until May.
> Is it open?
>From here you take the ferry.

From Monday 10:00 until May 2026 the road is closed, too.

-- 
Ada

From bob@example.org Tue Mar  3 11:00:00 2026
Message-ID: <2@example.org>
Date: sometime
From: Bob
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: text/html; charset=x-unknown

<html><head><style>p {}</style></head><body><p>The <b>ferry</b> leaves&nbsp;at
nine.</p><p>Bring coffee.</p></body></html>
--b
Content-Type: text/plain
Content-Disposition: attachment; filename=x.txt

secret
--b--
From here on it is the same message, as there is no empty line.

From x
Subject: =?bad?x?y?=

END_OF_MAILS
cat >expected <<'END_OF_RECORDS'
{"id": "<1@example.org>", "date": "2026-03-02T10:00:00+01:00", "from": "Adä <ada@example.org>", "subject": "The bridge over the river", "text": "The brücke is closed until May.\nFrom here you take the ferry.\n\nFrom Monday 10:00 until May 2026 the road is closed, too."}
{"id": "<2@example.org>", "date": "sometime", "from": "Bob", "text": "The ferry leaves at nine.\n\nBring coffee."}
{"subject": "=?bad?x?y?=", "text": ""}
END_OF_RECORDS
python3 "$examples/mbox.py" mails.mbox >records 2>log || fail 'mails'
sed 's/\xc2\xa0/ /g' records | diff expected - || fail 'other records'
sed 's/$/\r/' mails.mbox | python3 "$examples/mbox.py" | sed 's/\xc2\xa0/ /g' | diff expected - || fail 'other records of lines that end with CR LF'
PATH=$tools:$PATH
bert-embed --drop text --dim 1 records >vectors 2>log || fail 'bert-embed'
[ "$(wc -l <vectors)" = 3 ] || fail 'a record is lost'

# A line of the text that begins like a separator; compressed archives, single mails, Maildirs.
printf 'From a@b Mon Mar  2 10:00:00 2026\nSubject: one\n\nHello,\n\nFrom here you can see the sea.\n\nBye\n' >one.mbox
one='{"subject": "one", "text": "Hello,\n\nFrom here you can see the sea.\n\nBye"}'
gzip -k one.mbox
mkdir -p mails/new mails/tmp
tail -n +2 one.mbox >mails/new/1.host
mkdir -p mails/.Sent/cur many/.Old/cur
for input in one.mbox one.mbox.gz mails/new/1.host mails; do
  [ "$(python3 "$examples/mbox.py" "$input")" = "$one" ] || fail "$input"
done

printf 'Subject: two\n\nDear all,\n\nFrom 10:00 on Friday, 5 May 2023, it is closed.\n' >many/.Old/cur/2
two='{"subject": "two", "text": "Dear all,\n\nFrom 10:00 on Friday, 5 May 2023, it is closed."}'
[ "$(python3 "$examples/mbox.py" many)" = "$two" ] || fail 'a folder below a Maildir'

# Alternatives of which the plain one is blank; a footer that a mailing list has added to HTML; files beside a Maildir.
mixed() {
  printf 'MIME-Version: 1.0\nContent-Type: multipart/%s; boundary=B\n\n--B\nContent-Type: text/plain\n\n%s\n--B\nContent-Type: text/html\n\n<p>The ferry leaves.</p>\n--B--\n' "$@"
}
[ "$(mixed alternative ' ' | python3 "$examples/mbox.py")" = '{"text": "The ferry leaves."}' ] || fail 'a blank alternative'
[ "$(mixed alternative Plain | python3 "$examples/mbox.py")" = '{"text": "Plain"}' ] || fail 'alternatives'
[ "$(mixed mixed 'The list' | python3 "$examples/mbox.py")" = '{"text": "The list\n\nThe ferry leaves."}' ] || fail 'mixed parts'
: >many/.Old/cur/.DS_Store
: >many/saved.eml
[ "$(python3 "$examples/mbox.py" many 2>log)" = "$two" ] && grep -q 'not read: 1' log || fail 'a file beside a Maildir'

# Messages marked as deleted: by Thunderbird in an mbox, by a flag of a Maildir.
{ cat one.mbox; printf '\nFrom a@b Mon Mar  2 10:00:00 2026\nX-Mozilla-Status: 0009\nSubject: gone\n\nGone\n'; } >deleted.mbox
mkdir -p trashed/cur
cp mails/new/1.host 'trashed/cur/1.host:2,RS'
cp mails/new/1.host 'trashed/cur/2.host:2,ST'
for input in deleted.mbox trashed; do
  [ "$(python3 "$examples/mbox.py" "$input" 2>log)" = "$one" ] && grep -qx 'mbox.py: messages marked as deleted, which were left out: 1' log ||
    fail "a deleted message in $input"
done
[ "$(sed 's/0009/0001/' deleted.mbox | python3 "$examples/mbox.py" | wc -l)" = 2 ] || fail 'a read message'

refused() {
  if python3 "$examples/mbox.py" "$2" >out 2>log; then fail "accepted: $2"; fi
  grep -qF -e "mbox.py: $1" log && [ "$(wc -l <log)" = 1 ] || fail "does not say: $1"
}
echo 'one text' >text
refused 'text: found b'\''one text\n'\'', expected a mail or an mbox' text
refused 'absent: No such file' absent
mkdir empty
refused 'empty: is a directory without cur or new' empty
refused 'a FILE has an empty name' ''
cp one.mbox plain.gz
refused 'plain.gz: cannot be decompressed' plain.gz
gzip -c one.mbox | head -c 50 >short.gz
refused 'short.gz: cannot be decompressed' short.gz
[ "$(python3 "$examples/mbox.py" </dev/null)" = '' ] || fail 'an empty archive'

# Damaged archives never end with a traceback, and what is written is UTF-8.
python3 - "$examples/mbox.py" <<'END_OF_PYTHON' || fail 'damage'
import random, runpy, sys
module = runpy.run_path(sys.argv[1])
whole = open("mails.mbox", "rb").read()
draw = random.Random(1)
for _ in range(2000):
    data = bytearray(whole)
    for _ in range(draw.randrange(1, 30)):
        place = draw.randrange(len(data))
        data[place:place + draw.randrange(3)] = draw.choice([b"\xff", b"=?", b"\n", b"\n\n", b":", b"<", b"&#x110000;", b"<!", b"<![", b"--b", b"\0", b"base64"])
    module["record"](bytes(data))
END_OF_PYTHON

cat >forwarded.eml <<'END_OF_MAIL'
From: a
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

See below
-- 
Ada

--b
Content-Type: message/rfc822

From: c

Inner text

--b--
END_OF_MAIL
printf '%s\n' '{"from": "a", "text": "See below\n\nInner text"}' >expected
gzip -c forwarded.eml | python3 "$examples/mbox.py" | diff expected - || fail 'a signature before another part'
