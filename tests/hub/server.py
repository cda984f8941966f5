#!/usr/bin/python3
"""Serves model directories as the Hugging Face Hub does, on a free port of this machine, which it prints.

Usage: server.py NAME=DIRECTORY... [--token TOKEN] [--fault cut|wrong|path|redirect]

cut: the first answer with a file's content ends in its middle. wrong: one byte of each weight file differs.
path: the listing has a file outside the model. redirect: files are at another address, which must not get the
token."""
import argparse
import hashlib
import http.server
import json
import re
import sys
import urllib.parse
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
parser = argparse.ArgumentParser()
parser.add_argument("models", nargs="+")
parser.add_argument("--token")
parser.add_argument("--fault")
options = parser.parse_args()
models = {name: Path(directory) for name, directory in (model.split("=", 1) for model in options.models)}
cut = set()


def listing(directory):
    files = []
    for path in sorted(p for p in directory.rglob("*") if p.is_file()):
        data = path.read_bytes()
        entry = {"rfilename": path.relative_to(directory).as_posix(), "size": len(data),
                 "blobId": hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()}
        if path.suffix in (".safetensors", ".bin"):
            entry["lfs"] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}
        files.append(entry)
    if options.fault == "path":
        files.append({"rfilename": "../outside.json", "size": 1, "blobId": "0" * 40})
    return files


class Hub(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, code, body=b"", headers=()):
        self.send_response(code)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        moved = path.startswith("/elsewhere")
        if moved and self.headers.get("Authorization"):
            return self.answer(400)
        if options.token and not moved and self.headers.get("Authorization") != "Bearer " + options.token:
            return self.answer(401)
        api = re.fullmatch(r"/api/models/(.+)/revision/(.+)", path)
        if api:
            directory = models.get(api[1])
            if not directory or api[2] not in ("main", "v1/old", COMMIT):
                return self.answer(404)
            return self.answer(200, json.dumps({"sha": COMMIT, "siblings": listing(directory)}).encode())
        file = re.fullmatch(r"(?:/elsewhere)?/(.+?)/resolve/([0-9a-f]{40})/(.+)", path)
        directory = models.get(file[1]) if file else None
        if not directory or not (directory / file[3]).is_file():
            return self.answer(404)
        if options.fault == "redirect" and not moved:
            host = "localhost:%d" % self.server.server_port
            return self.answer(302, headers=[("Location", "http://%s/elsewhere%s" % (host, self.path))])
        data = (directory / file[3]).read_bytes()
        if options.fault == "wrong" and file[3].endswith(".safetensors"):
            data = bytes([data[0] ^ 1]) + data[1:]
        begin = 0
        span = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if span:
            begin = int(span[1])
            if begin >= len(data):
                return self.answer(416)
        if options.fault == "cut" and len(data) > 1000 and file[3] not in cut:
            cut.add(file[3])
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2])
            self.close_connection = True
            return None
        extra = [("Content-Range", "bytes %d-%d/%d" % (begin, len(data) - 1, len(data)))] if span else []
        return self.answer(206 if span else 200, data[begin:], extra)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
print(server.server_port, flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    sys.exit(0)
