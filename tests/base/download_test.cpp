#include "base/download.h"

#include <doctest/doctest.h>

#include "base/error.h"

using bert::Error;

TEST_CASE("pages of web sites and Git LFS pointers are not the files of a model") {
  for (const auto* page : {"<!DOCTYPE html><html></html>", "\n <HTML lang=\"en\">", "Entry not found"})
    CHECK_THROWS_WITH_AS(
        bert::refuse_failed_download("m/vocab.txt", page),
        "m/vocab.txt: is a page of a web site, not the file; download it again with curl -fL", Error);
  CHECK_THROWS_WITH_AS(
      bert::refuse_failed_download("m/vocab.txt", "version https://git-lfs.github.com/spec/v1\n"),
      "m/vocab.txt: is a Git LFS pointer; fetch the file with git lfs pull", Error);
  for (const auto* text : {"", "{}", "[PAD]\n[UNK]\n", "entry\nnot\nfound\n"})
    CHECK_NOTHROW(bert::refuse_failed_download("m/vocab.txt", text));
}

TEST_CASE("a text file that is compressed by gzip is named") {
  CHECK_THROWS_WITH_AS(bert::refuse_gzip("vocab.txt", "\x1f\x8b\x08"),
                       "vocab.txt: is compressed by gzip; decompress it first, as gzip -dc does", Error);
  CHECK_NOTHROW(bert::refuse_gzip("vocab.txt", "[PAD]\n"));
}
