// SQuAD files that are valid, split, truncated or corrupted: the records match those of a reader that parses
// the whole file, or the file is rejected with a one-line error.
#include <doctest/doctest.h>

#include "fuzz.h"
#include "golden/golden.h"
#include "io/record_cutter.h"
#include "io/stream_run.h"
#include "reference/slow_squad.h"

using namespace bert;
using namespace bert::io;

namespace {

constexpr std::string_view kFile = R"({"version": "v2.0", "data": [
  {"title": "K\u00f6nige", "paragraphs": [
    {"context": "The \"old\" k\u00f6nig, [of] {Paris}\\.", "qas": [
      {"id": "a1", "question": "Who?", "answers": [{"text": "old", "answer_start": 5}], "is_impossible": false},
      {"answers": [], "is_impossible": true, "question": "Where?", "id": 2, "plausible_answers": [{}]}]},
    {"qas": [], "context": "not asked"}]},
  {"paragraphs": []},

  {"title": "Rivers", "paragraphs": [{"qas": [{"question": "What?", "id": "b1"}], "context": "the river"}]}
], "more": {"]": [1, "}"]}, "n": 7, "data": []}
)";

struct Cuts {
  std::vector<std::string> records;
  std::vector<int64_t> lines;
  std::vector<size_t> sizes;  // records per chunk
  std::string failure;
};

Cuts cut(const std::string& path, ChunkLimits limits = {.bytes = 1 << 20, .records = 1000}) {
  Cuts found;
  constexpr int kNeverStopped = -1;
  Input input(path, kNeverStopped);
  const Source source{.name = path, .format = InputFormat::squad, .columns = {}};
  const auto cutter = make_squad_cutter({.input = input, .source = source, .line = 1, .limits = limits});
  Chunk chunk;
  while (cutter->fill(chunk)) {
    for (const Cut& cut : chunk.cuts) {
      found.records.push_back(chunk.data.substr(cut.begin, cut.size));
      found.lines.push_back(cut.line);
    }
    REQUIRE(chunk.data.size() == chunk.data_size + bert::json::kPadding);
    if (!chunk.cuts.empty()) found.sizes.push_back(chunk.cuts.size());
    if (chunk.failure) {
      found.failure = *chunk.failure;
      break;
    }
    chunk.clear();
  }
  return found;
}

// Returns the error message without the path, or "" for a valid SQuAD file. Valid files are compared with the
// slow reader; a rejected file may have produced the records before the fault.
std::string answer_of(const TemporaryDirectory& directory, std::string_view bytes) {
  const auto path = directory.write("in.json", bytes);
  const auto found = cut(path);
  std::vector<std::string> expected;
  bool refused = false;
  try {
    expected = reference::slow_squad(bytes);
  } catch (const std::exception&) {  // bert::Error, or an empty optional
    refused = true;
  }
  CHECK(found.failure.empty() == !refused);
  if (!refused) CHECK(found.records == expected);
  if (!refused || found.failure.empty()) return "";
  CHECK(found.failure.find('\n') == std::string::npos);
  CHECK(found.failure.size() < 1000);
  REQUIRE(found.failure.starts_with(path + ":"));
  return found.failure.substr(path.size() + 1);
}

}  // namespace

TEST_CASE("a SQuAD file becomes one record per question, with the line number of its article") {
  const TemporaryDirectory directory;
  const auto found = cut(directory.write("in.json", kFile));
  CHECK(found.failure == "");
  REQUIRE(found.records.size() == 3);
  CHECK(found.records[0] ==
        R"({"id":"a1","title":"Könige","context":"The \"old\" könig, [of] {Paris}\\.","question":"Who?",)"
        R"("answers":{"text":["old"],"answer_start":[5]},"is_impossible":false})");
  CHECK(found.records[1] ==
        R"({"id":2,"title":"Könige","context":"The \"old\" könig, [of] {Paris}\\.","question":"Where?",)"
        R"("answers":{"text":[],"answer_start":[]},"is_impossible":true})");
  CHECK(found.records[2] == R"({"id":"b1","title":"Rivers","context":"the river","question":"What?"})");
  CHECK(found.lines == std::vector<int64_t>{2, 2, 9});
}

TEST_CASE("records of a SQuAD file do not depend on how it is split or on the chunk size") {
  const TemporaryDirectory directory;
  const auto whole = cut(directory.write("in.json", kFile));
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Fifo fifo(directory / ("fifo" + std::to_string(seed)), std::string(kFile), 1 + seed, seed);
    const auto subwords = cut(directory / ("fifo" + std::to_string(seed)));
    CHECK(subwords.records == whole.records);
    CHECK(subwords.lines == whole.lines);
    CHECK(subwords.failure == "");
  }
  for (const size_t records : {1, 2}) {
    const auto chunks = cut(directory / "in.json", {.bytes = 1 << 20, .records = records});
    CHECK(chunks.records == whole.records);
    CHECK(std::ranges::max(chunks.sizes) == records);
  }
  CHECK(cut(directory / "in.json", {.bytes = 1, .records = 1000}).sizes == std::vector<size_t>{1, 1, 1});
}

TEST_CASE("a file of white space only is a SQuAD file without questions") {
  const TemporaryDirectory directory;
  for (const auto* bytes : {"", " \n\t\r\n", R"({"data":[]})", R"({"data":[],"data":[]})"})
    CHECK(answer_of(directory, bytes) == "");
}

TEST_CASE("errors in a SQuAD file name the line where they were found") {
  const TemporaryDirectory directory;
  const auto no_file = [](const std::string& what) {
    return "is not a SQuAD file: " + what + ", expected {\"data\": [{\"paragraphs\": …}, …]}";
  };
  CHECK(answer_of(directory, "\n[]") == "2: " + no_file("it does not start with {"));
  CHECK(answer_of(directory, "{\"data\"\n,[]}") == "2: " + no_file("a key has no value"));
  CHECK(answer_of(directory, "{\n\n\"data\":{}}") == "3: " + no_file("\"data\" is not an array"));
  CHECK(answer_of(directory, R"({"data":[[]]})") ==
        "1: " + no_file("an element of \"data\" is not an object"));
  CHECK(answer_of(directory, R"({"data":[],})") == "1: " + no_file("a key is missing"));
  CHECK(answer_of(directory, R"({,"data":[]})") == "1: " + no_file("a key is missing"));
  CHECK(answer_of(directory, "{\"data\":[]}\n{}") == "2: " + no_file("something follows the object"));
  CHECK(answer_of(directory, "{}") == "1: " + no_file("it has no \"data\""));
  CHECK(answer_of(directory, "{\n\"version\":1}") == "2: " + no_file("it has no \"data\""));
  CHECK(answer_of(directory, "{\"data\":[\n") == "2: ends in the middle of the JSON object");
  CHECK(answer_of(directory, R"({"data":[{"paragraphs":[]},{}]})") ==
        "1: article 2 of \"data\": has no \"paragraphs\"");
  CHECK(answer_of(directory, R"({"data":[{"paragraphs":[{"qas":[{"id":null}]}]}]})") ==
        "1: article 1 of \"data\": \"id\" is null");
  CHECK(answer_of(directory, R"({"data":[{"paragraphs":[{"qas":[{"id":"x","answers":[{}]}]}]}]})") ==
        "1: article 1 of \"data\": question \"x\": has no \"text\"");
  CHECK(answer_of(directory, R"({"data":[{"paragraphs":[{"qas":[{"answers":[{"text":"a"}]}]}]}]})") ==
        "1: article 1 of \"data\": has no \"answer_start\"");
}

TEST_CASE("a truncated SQuAD file is rejected with a one-line error") {
  const TemporaryDirectory directory;
  const size_t end = kFile.rfind('}');
  for (size_t length = 1; length <= end; ++length) {
    CAPTURE(length);
    CHECK(answer_of(directory, kFile.substr(0, length)).ends_with("ends in the middle of the JSON object"));
  }
}

TEST_CASE("a corrupted SQuAD file is read or rejected exactly as the slow reader does") {
  const TemporaryDirectory directory;
  std::mt19937 random(7);
  int count = 0;
  for (int round = 0; round < fuzz::rounds(); ++round) {
    const auto bytes = fuzz::mutated(std::string(kFile), random);
    CAPTURE(bytes);
    const auto answer = answer_of(directory, bytes);
    count += answer.empty();
    fuzz::keep("squad.json", bytes, answer);
  }
  CHECK(count > fuzz::rounds() / 20);
  CHECK(count < fuzz::rounds() / 2);
}

TEST_CASE("the SQuAD corpus is read exactly as the slow reader does") {
  const TemporaryDirectory directory;
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden::directory() / "../io/corpus")) {
    CAPTURE(entry.path());
    answer_of(directory, read_file(entry.path().string()));
    ++count;
  }
  CHECK(count >= 10);
}
