#include "options/stream_options.h"

#include <doctest/doctest.h>

#include "cli/run_app.h"

using bert::cli::App;
using bert::cmd::StreamOptions;
using bert::test::Outcome;
using bert::test::run;
using bert::test::usage_error;
namespace io = bert::io;

namespace {

struct Read {
  Outcome outcome;
  io::StreamOptions settings;
  bool text_field_given = false;
  int threads = 0;
};

Read read(std::vector<const char*> arguments, const StreamOptions::Uses& uses = {}) {
  Read result;
  std::unique_ptr<StreamOptions> stream;
  result.outcome =
      run([&](App& app) { stream = std::make_unique<StreamOptions>(app, uses); }, std::move(arguments),
          [&] {
            result.settings = stream->settings;
            result.text_field_given = stream->text_field_given();
            result.threads = stream->pool().size();
          });
  return result;
}

}  // namespace

TEST_CASE("without options a filter reads stdin and writes stdout") {
  const Read result = read({});
  CHECK(result.outcome.code == 0);
  CHECK(result.settings.files.empty());
  CHECK(result.settings.output == "-");
  CHECK(result.settings.input_format == io::InputFormat::automatic);
  CHECK(result.settings.text_field == "text");
  CHECK(result.settings.pair_field == "text_pair");
  CHECK_FALSE(result.text_field_given);
  CHECK(result.threads == bert::available_threads());
}

TEST_CASE("each stream option sets its own field") {
  const Read result =
      read({"a", "-o", "out", "b", "--input-format=tsv", "--columns", "id,body", "--text-field", "body",
            "--pair-field=more", "--drop", "x,y", "--drop=z", "-j3", "--on-error", "skip",
            "--invalid-utf8=replace", "--line-buffered", "--progress=never"});
  CHECK(result.outcome.err == "");
  const io::StreamOptions& settings = result.settings;
  CHECK(settings.files == std::vector<std::string>{"a", "b"});
  CHECK(settings.output == "out");
  CHECK(settings.input_format == io::InputFormat::tsv);
  CHECK(settings.columns == std::vector<std::string>{"id", "body"});
  CHECK(settings.text_field == "body");
  CHECK(result.text_field_given);
  CHECK(settings.pair_field == "more");
  CHECK(settings.drop.names() == std::vector<std::string>{"x", "y", "z"});
  CHECK(settings.on_error == io::OnError::skip);
  CHECK(settings.invalid_utf8 == io::InvalidUtf8::replace);
  CHECK(settings.line_buffered);
  CHECK(settings.progress == io::ShowProgress::never);
  CHECK(result.threads == 3);
}

TEST_CASE("a filter that runs a network reads small chunks") {
  const Read network = read({}, {.load = StreamOptions::Load::network});
  CHECK(network.settings.chunk_bytes == io::kNetworkChunkBytes);
  CHECK(network.settings.chunk_bytes < read({}).settings.chunk_bytes);
}

TEST_CASE("bad values of stream options are usage errors") {
  CHECK(read({"-j", "0"}).outcome.err == usage_error("--threads must be at least 1"));
  CHECK(read({"-o", ""}).outcome.err == usage_error("--output has an empty name"));
  CHECK(read({"--input-format", "xml"}).outcome.err ==
        usage_error("--input-format must be auto, text, paragraphs, file, jsonl, tsv or csv, not \"xml\""));
  CHECK(read({"--drop", "a,"}).outcome.err == usage_error("--drop has an empty item in \"a,\""));
}
