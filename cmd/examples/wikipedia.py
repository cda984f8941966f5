#!/usr/bin/env python3
"""Writes the text passages of a Wikipedia dump: paragraphs without lists, tables, headings and references.

  python3 wikipedia.py enwiki-latest-pages-articles.xml.bz2 > wikipedia.txt
  bert-tokenize --input-format paragraphs --sentences wikipedia.txt | bert-nsp-pairs | bert-mask > train.jsonl

Each paragraph is a line; blank lines separate articles. With --jsonl, each article is a record with id, title and
text. Redirects and pages outside the article namespace are skipped. Dumps are read as a stream, plain or compressed
with bzip2 or gzip, in memory that depends on the largest page only. Without FILE, or with -, standard input is read.

Needs Python 3.9 and mwparserfromhell (Debian: python3-mwparserfromhell).
"""

import argparse
import bz2
import collections
import concurrent.futures
import gzip
import html
import json
import multiprocessing
import multiprocessing.connection
import os
import re
import signal
import sys
import threading
import xml.etree.ElementTree
import zlib

try:
    import mwparserfromhell
    from mwparserfromhell import nodes
except ImportError:
    sys.exit("wikipedia.py: mwparserfromhell is missing; on Debian, install python3-mwparserfromhell")

# Marks a line to drop in the text of a page. Wikitext cannot contain it.
DROP = "\0"

# A line that ends a table without |}. Wikitext cannot contain it either.
HEADING = "\1"

# Tags whose content is not text of the passage.
SKIPPED_TAGS = {
    "ref", "references", "table", "gallery", "math", "chem", "score", "timeline", "imagemap", "pre", "code",
    "syntaxhighlight", "source", "templatestyles", "section", "graph", "hiero", "mapframe", "maplink", "ul", "ol",
    "dl", "h1", "h2", "h3", "h4", "h5", "h6",
}

# Templates that are part of a sentence, with the parameters to write. All others are removed.
KEPT_TEMPLATES = {
    "lang": ["2"], "transl": ["2"], "nowrap": ["1"], "nobr": ["1"], "convert": ["1", "2"], "cvt": ["1", "2"],
}
DASHES = {"ndash", "mdash", "snd", "spnd", "spaced ndash", "en dash", "em dash"}

BATCH = 1 << 18  # characters of wikitext


class DumpError(Exception):
    """A file that is not a dump of articles."""


# What ends a dump before its end.
ERRORS = (OSError, EOFError, zlib.error, xml.etree.ElementTree.ParseError, DumpError)


def render(wikicode, media):
    """The text of parsed wikitext. Lines to drop contain DROP."""
    parts = []
    for node in wikicode.nodes:
        if isinstance(node, nodes.Text):
            parts.append(node.value)
        elif isinstance(node, nodes.Wikilink):
            parts.append(render_link(node, media))
        elif isinstance(node, nodes.Template):
            parts.append(render_template(node, media))
        elif isinstance(node, nodes.Tag):
            name = str(node.tag).strip().lower()
            if name in ("li", "dd", "dt", "hr"):
                parts.append(DROP)
            elif name == "br":
                parts.append(" ")
            elif name not in SKIPPED_TAGS and node.contents is not None:
                parts.append(render(node.contents, media))
        elif isinstance(node, nodes.Heading):
            parts.append("\n" + HEADING + "\n")
        elif isinstance(node, nodes.ExternalLink):
            if node.title is not None:
                parts.append(render(node.title, media))
        elif isinstance(node, nodes.HTMLEntity):
            parts.append(html.unescape(str(node)))
    return "".join(parts)


def render_link(link, media):
    title = str(link.title).strip()
    prefix = title.split(":", 1)[0].strip().lower().replace("_", " ") if ":" in title else ""
    if not title.startswith(":"):
        if prefix in media or (link.text is None and re.fullmatch(r"[a-z]{2,3}(-[a-z]+)*", prefix)):
            return ""
    return render(link.text, media) if link.text is not None else title.lstrip(":")


def render_template(template, media):
    name = str(template.name).strip().lower().replace("_", " ")
    if name in DASHES:
        return "\u2013"
    kept = [template.get(key) for key in KEPT_TEMPLATES.get(name, []) if template.has(key)]
    return " ".join(render(parameter.value, media).strip() for parameter in kept)


def tidy(text):
    """Removes what is left of quotation marks for bold text, of removed templates, and white space."""
    text = re.sub(r"'{2,}|__[A-Z]+__", "", text)
    text = re.sub(r"\(\s*(?:[,;:]\s*)+", "(", text)
    text = re.sub(r"(?:\s*[,;:])+\s*\)", ")", text)
    text = re.sub(r"\s*\(\s*\)", "", text)
    text = re.sub(r"\s+", " ", text)
    return re.sub(r" ([,.;:)])(?=[\s)]|$)", r"\1", text).strip()


def passages(wikitext, media):
    """The paragraphs of a page. A paragraph that ends with a colon introduced a list and is left out.

    mwparserfromhell finds tables that begin at the start of a line and are closed. Others are left out here, to the
    next heading if they are not closed."""
    rendered = render(mwparserfromhell.parse(wikitext.replace(DROP, ""), skip_style_tags=True), media)
    paragraphs, lines, tables = [], [], 0
    for line in rendered.split("\n") + [""]:
        start = line.lstrip(DROP + " \t")
        if line == HEADING:
            tables = 0
        elif start.startswith("{|"):
            tables += 1
        dropped = tables or DROP in line or line == HEADING or start.startswith(("|", "!", "}}"))
        if start.startswith("|}"):
            tables = max(0, tables - 1)
        if line.strip() and not dropped:
            lines.append(line)
            continue
        paragraph = tidy(" ".join(lines))
        lines = []
        if re.search(r"\w", paragraph) and not paragraph.endswith(":"):
            paragraphs.append(paragraph)
    return paragraphs


def elements(stream):
    """Yields the start and end of each element of XML."""
    found = False
    try:
        for event in xml.etree.ElementTree.iterparse(stream, events=("start", "end")):
            found = True
            yield event
    except xml.etree.ElementTree.ParseError as error:
        if found:
            raise
        raise DumpError(f"expected a dump in XML, plain or compressed with bzip2 or gzip, found: {error}") from None


def pages(stream):
    """Yields (id, title, wikitext, namespaces of files and categories) for each article of a dump."""
    media, root = {"file", "image", "media", "category"}, None
    for event, element in elements(stream):
        name = element.tag.rsplit("}", 1)[-1]
        if root is None:
            root = element
            if name != "mediawiki":
                raise DumpError(f"expected a dump with the root element mediawiki, found {name}")
        if event == "start":
            continue
        if name == "namespace" and element.get("key") in ("-2", "6", "14"):
            media.add((element.text or "").lower())
        if name != "page":
            continue
        namespace = element.findtext("{*}ns")
        if namespace is None:
            title = element.findtext("{*}title")
            raise DumpError(f'page "{title}": expected the number of its namespace in ns, found none')
        text = element.findtext("{*}revision/{*}text")
        model = element.findtext("{*}revision/{*}model", "wikitext")
        if namespace == "0" and element.find("{*}redirect") is None and text and model == "wikitext":
            yield element.findtext("{*}id"), element.findtext("{*}title"), text, frozenset(media)
        root.clear()


def extract(batch):
    """The passages of some pages."""
    return [(page, title, passages(text, media)) for page, title, text, media in batch]


def batches(stream):
    """Yields lists of pages, and at the end None or the error that ended the dump."""
    batch, size, failure = [], 0, None
    try:
        for page in pages(stream):
            batch.append(page)
            size += len(page[2])
            if size >= BATCH:
                yield batch
                batch, size = [], 0
    except ERRORS as error:
        failure = error
    yield batch
    yield failure


def end_with_parent():
    """Ends a process of the pool when the main process has ended for any reason."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process().sentinel

    def wait():
        multiprocessing.connection.wait([parent])
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def results(stream, jobs):
    """The passages of all pages, in order, computed by processes. Few batches wait at a time. An error in the dump
    is raised after the pages before it."""
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(jobs, context, end_with_parent) as pool:
        waiting, failure = collections.deque(), None
        for batch in batches(stream):
            if not isinstance(batch, list):
                failure = batch
                break
            waiting.append(pool.submit(extract, batch))
            if len(waiting) > 3 * jobs:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
        if failure:
            raise failure


def open_dump(name):
    stream = sys.stdin.buffer if name == "-" else open(name, "rb")
    begin = stream.peek(3)
    if begin[:3] == b"BZh":
        return bz2.BZ2File(stream)
    return gzip.GzipFile(fileobj=stream) if begin[:2] == b"\x1f\x8b" else stream


def write(text):
    """Writes to stdout, whose errors are not those of a dump."""
    try:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    except OSError as error:
        print(f"wikipedia.py: stdout: {error.strerror}", file=sys.stderr)
        os._exit(1)  # without another attempt to write


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("files", nargs="*", default=["-"], metavar="FILE")
    parser.add_argument("--jsonl", action="store_true", help="write records with id, title and text")
    parser.add_argument("--min-words", type=int, default=1, metavar="N", help="leave out shorter paragraphs")
    parser.add_argument("-j", "--threads", type=int, default=len(os.sched_getaffinity(0)), metavar="N",
                        help="number of processes (default: all cores)")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    first = True
    for name in options.files:
        articles = 0
        try:
            with open_dump(name) as stream:
                for page, title, paragraphs in results(stream, max(1, options.threads)):
                    articles += 1
                    paragraphs = [text for text in paragraphs if len(text.split()) >= options.min_words]
                    if not paragraphs:
                        continue
                    text = "\n".join(paragraphs)
                    if options.jsonl:
                        record = {"id": page, "title": title, "text": text}
                        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
                    elif not first:
                        text = "\n" + text
                    write(text + "\n")
                    first = False
        except ERRORS as error:
            sys.exit(f"wikipedia.py: {name}: {getattr(error, 'strerror', None) or error}")
        if not articles:
            print(f"wikipedia.py: {name}: no article has text", file=sys.stderr)


if __name__ == "__main__":
    main()
