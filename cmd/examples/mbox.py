#!/usr/bin/env python3
"""Writes the messages of mail archives as JSONL, a record for each message: id, date, from, subject and text.

  python3 mbox.py archive.mbox | bert-embed -o mails.jsonl
  python3 mbox.py 2026-*.mbox.gz Maildir > mails.jsonl

Reads mbox FILEs, single mails, and the mails of Maildirs and of the folders below them, or standard input without FILE
or for -, in memory that depends on the longest message only; FILEs that end in .gz, .bz2 or .xz are decompressed. The
text is the plain text of a message, or that of its HTML, without attachments, quoted lines (> ...) and what follows
the separator of a signature ("-- ") in a part. Messages marked as deleted (X-Mozilla-Status 0008, Maildir's flag T)
are left out. Bytes that are not of a message's character set become U+FFFD.
"""
import bz2
import email
import email.errors
import email.header
import email.policy
import email.utils
import gzip
import html.parser
import json
import lzma
import os
import re
import signal
import sys
import zlib

# Python's form of a byte that is not UTF-8, which JSON cannot hold.
SURROGATE = re.compile("[\ud800-\udfff]")
ZONE = rb"(?:[-+]\d{4}|[A-Z]{1,5})"
DATE = re.compile(rb" \d?\d:\d\d(?::\d\d)? +(?:" + ZONE + rb" +)?\d{4}(?: +" + ZONE + rb")?\s*$")
FIELD = re.compile(rb"[!-9;-~]+:")
GZIP = b"\x1f\x8b"
TRASHED = re.compile(":2,[A-Za-z]*T")
EXPUNGED = 0x0008  # in X-Mozilla-Status, with which Thunderbird marks what it removes when it compacts a folder
OPEN = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def messages(file, name):
    """The messages of an mbox as bytes, or the only one of a FILE that begins with a header field.

    In an mbox, each begins after a line "From ADDRESS DATE", which follows an empty line. Without a date, such a line
    is one of the text unless a header field follows.
    """
    lines, after_empty, following = None, True, file.readline()
    while following and not following.strip():
        following = file.readline()
    if FIELD.match(following):
        yield following + file.read()
        return
    while line := following:
        following = file.readline()
        if after_empty and line.startswith(b"From ") and (DATE.search(line) or FIELD.match(following)):
            if lines is not None:
                yield b"".join(lines)
            lines = []
        elif lines is not None:
            lines.append(line[1:] if line.lstrip(b">").startswith(b"From ") and line.startswith(b">") else line)
        else:
            raise ValueError(f'{name}: found {line[:20]!r}, expected a mail or an mbox, which begins with "From "')
        after_empty = not line.strip()
    if lines is not None:
        yield b"".join(lines)


def paths_of(name):
    """The files of a FILE: itself, or the mails of a Maildir and of the folders below it, with a note about other files."""
    if not os.path.isdir(name):
        return [name]
    mails, others, is_maildir = [], 0, False
    for folder, below, files in os.walk(name, followlinks=True):
        below.sort()
        is_mails = os.path.basename(folder) in ("cur", "new")
        is_maildir = is_maildir or is_mails
        seen = sorted(file for file in files if not file.startswith("."))
        mails += [os.path.join(folder, file) for file in seen] if is_mails else []
        others += 0 if is_mails else sum(not re.match("dovecot|maildir|subscriptions", file) for file in seen)
    if not is_maildir:
        raise ValueError(f"{name}: is a directory without cur or new, which a Maildir has; name its files")
    if others:
        print(f"mbox.py: {name}: files outside of cur and new, which were not read: {others}", file=sys.stderr)
    return mails


def opened(name):
    """(file, its name) of each mailbox or mail."""
    if not name:
        raise ValueError("a FILE has an empty name")
    if name == "-":
        begin = sys.stdin.buffer.peek(len(GZIP))[:len(GZIP)]
        yield gzip.open(sys.stdin.buffer) if begin == GZIP else sys.stdin.buffer, name
        return
    for path in paths_of(name):
        with OPEN.get(os.path.splitext(path)[1], open)(path, "rb") as file:
            yield file, path


class Text(html.parser.HTMLParser):
    """Collects the text of HTML; elements that are not part of a line end it."""

    INLINE = {"a", "abbr", "b", "code", "em", "font", "i", "img", "s", "small", "span", "strong", "sub", "sup", "u"}
    HIDDEN = {"head", "script", "style", "title"}

    def __init__(self):
        super().__init__()
        self.parts, self.hidden = [], 0

    def handle_starttag(self, tag, attrs):
        self.hidden += tag in self.HIDDEN
        if tag not in self.INLINE:
            self.parts.append("\n")

    def handle_endtag(self, tag):
        self.hidden = max(0, self.hidden - (tag in self.HIDDEN))
        if tag not in self.INLINE:
            self.parts.append("\n")

    def handle_data(self, data):
        if not self.hidden:
            self.parts.append(re.sub("[ \t\r\n]+", " ", data))


def content_of(part):
    """A part's text; if its character set is unknown, as UTF-8."""
    payload = part.get_payload(decode=True) or b""
    try:
        return payload.decode(part.get_content_charset("utf-8"), "replace")
    except (LookupError, ValueError):
        return payload.decode("utf-8", "replace")


def written(text):
    """What the sender of a part has written: without quoted lines and signature."""
    lines = []
    for line in text.splitlines():
        if line == "-- ":
            break
        if not line.startswith(">") and (line.strip() or lines and lines[-1]):
            lines.append(line.rstrip())
    return "\n".join(lines).strip()


def body_of(part):
    """The text of a message or of a part of one: of alternatives, that of the first one that has any."""
    if part.is_multipart():
        bodies = [body for body in map(body_of, part.get_payload()) if body.strip()]
        return "\n\n".join(bodies[:1] if part.get_content_subtype() == "alternative" else bodies)
    if part.get_content_disposition() == "attachment" or part.get_content_type() not in ("text/plain", "text/html"):
        return ""
    if part.get_content_type() == "text/plain":
        return written(content_of(part))
    parser = Text()
    parser.feed(content_of(part))
    parser.close()
    return written(re.sub(" *\n *", "\n", "".join(parser.parts)))


def header(message, name):
    """A header's text, decoded; None if there is none."""
    value = message.get(name)
    if value is None:
        return None
    try:
        value = str(email.header.make_header(email.header.decode_header(str(value))))
    except (LookupError, ValueError, email.errors.MessageError):
        value = str(value)
    return " ".join(value.split())


def is_deleted(message, name):
    status = str(message.get("X-Mozilla-Status", "0")).strip()
    return bool(TRASHED.search(os.path.basename(name)) or re.fullmatch("[0-9A-Fa-f]+", status) and int(status, 16) & EXPUNGED)


def record(data, name=""):
    """The fields of a message; None if it is marked as deleted."""
    message = email.message_from_bytes(data, policy=email.policy.compat32)
    if is_deleted(message, name):
        return None
    fields = {"id": header(message, "Message-ID"), "date": header(message, "Date"), "from": header(message, "From"),
              "subject": header(message, "Subject")}
    try:
        fields["date"] = email.utils.parsedate_to_datetime(fields["date"]).isoformat()
    except (TypeError, ValueError):
        pass  # as it is
    fields["text"] = body_of(message)
    return {name: value for name, value in fields.items() if value is not None}


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if sys.stdout is None:
        sys.exit("mbox.py: stdout is closed")
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return
    name, deleted = "", 0
    try:
        for file, name in (pair for argument in sys.argv[1:] or ["-"] for pair in opened(argument)):
            for data in messages(file, name):
                fields = record(data, name)
                if fields is None:
                    deleted += 1
                    continue
                line = SURROGATE.sub("\ufffd", json.dumps(fields, ensure_ascii=False))
                sys.stdout.buffer.write(line.encode() + b"\n")
        sys.stdout.buffer.flush()
        if deleted:
            print(f"mbox.py: messages marked as deleted, which were left out: {deleted}", file=sys.stderr)
    except (gzip.BadGzipFile, lzma.LZMAError, EOFError, zlib.error) as error:
        sys.exit(f"mbox.py: {name}: cannot be decompressed: {error}")
    except ValueError as error:
        sys.exit(f"mbox.py: {error}")
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python reports at its end that it cannot write what is left
        sys.exit(f"mbox.py: {error.filename or 'stdout'}: {error.strerror}")


if __name__ == "__main__":
    main()
