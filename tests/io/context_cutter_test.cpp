// The words around each sentence, for generated documents in both formats, next to a slow reference.
#include "io/context_cutter.h"

#include <doctest/doctest.h>

#include "io/record_index.h"
#include "io/stream_run.h"
#include "sanitized.h"

using namespace bert;
using namespace bert::io;

namespace {

using Words = std::vector<std::string>;

struct Sentence {
  int document = 0;
  Words words;
};

Words strings_of(const std::vector<ContextWord>& context) {
  Words words;
  for (const auto& word : context) words.push_back(word.word);
  return words;
}

Words strings_of(const json::Value& array) {
  Words words;
  for (const auto word : array.strings()) words.emplace_back(word);
  return words;
}

std::string text_of(const Words& words) {
  std::string text = "[";
  for (const auto& word : words) text += word + " ";
  return text + "]";
}

// Each record as "LINE [before] [words] [after]", or its message.
class ContextFilter : public Filter {
 public:
  void prepare(const Fields& fields, Record& record) const override {
    auto text = std::make_unique<Text>();
    const auto& context = fields.context();
    text->line = text_of(strings_of(context.before)) + text_of(strings_of(*fields.json("words"))) +
                 text_of(strings_of(context.after)) + std::string(record.raw());
    record.work = std::move(text);
  }
  void finish(Record& record, Output& out) const override {
    out.text() += std::to_string(record.line()) + record.work_as<Text>().line + '\n';
  }

 private:
  struct Text : Work {
    std::string line;
  };
};

std::vector<Sentence> random_sentences(std::mt19937_64& random) {
  std::vector<Sentence> sentences;
  int document = 0;
  for (uint64_t count = random() % 40; count > 0; --count) {
    if (random() % 6 == 0) ++document;
    Sentence sentence{.document = document, .words = {}};
    for (uint64_t words = 1 + random() % 7; words > 0; --words)
      sentence.words.push_back("w" + std::to_string(random() % 1000));
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

// All words of the document before and after sentence `i`, then the nearest `most` of each.
std::pair<Words, Words> slow_context(const std::vector<Sentence>& sentences, size_t i, size_t most) {
  Words before, after;
  for (size_t k = 0; k < sentences.size(); ++k) {
    if (sentences[k].document != sentences[i].document || k == i) continue;
    Words& side = k < i ? before : after;
    side.insert(side.end(), sentences[k].words.begin(), sentences[k].words.end());
  }
  while (before.size() > most) before.erase(before.begin());
  while (after.size() > most) after.pop_back();
  return {before, after};
}

std::string json_of(const Words& words) {
  std::string json = "[";
  for (const auto& word : words) json += (json.size() > 1 ? ",\"" : "\"") + word + "\"";
  return json + "]";
}

struct File {
  std::string name, bytes, expected;
};

File conll_of(const std::vector<Sentence>& sentences, size_t most) {
  File file{.name = "x.conll", .bytes = {}, .expected = {}};
  int line = 1, document = -1;
  for (size_t i = 0; i < sentences.size(); ++i) {
    if (sentences[i].document != document) {
      if (document >= 0) file.bytes += "-DOCSTART- O\n\n", line += 2;
      document = sentences[i].document;
    }
    const auto [before, after] = slow_context(sentences, i, most);
    file.expected += std::to_string(line) + text_of(before) + text_of(sentences[i].words) + text_of(after) +
                     "{\"words\":" + json_of(sentences[i].words) + ",\"tags\":[";
    for (const auto& word : sentences[i].words) {
      file.bytes += word + " O\n";
      file.expected += &word == &sentences[i].words.front() ? "\"O\"" : ",\"O\"";
      ++line;
    }
    file.expected += "]}\n";
    file.bytes += '\n';
    ++line;
  }
  return file;
}

File jsonl_of(const std::vector<Sentence>& sentences, size_t most) {
  File file{.name = "x.jsonl", .bytes = {}, .expected = {}};
  for (size_t i = 0; i < sentences.size(); ++i) {
    const auto [before, after] = slow_context(sentences, i, most);
    const auto record = "{\"document\":" + std::to_string(sentences[i].document) +
                        ",\"words\":" + json_of(sentences[i].words) + "}";
    file.bytes += record + "\n";
    file.expected += std::to_string(i + 1) + text_of(before) + text_of(sentences[i].words) + text_of(after) +
                     record + "\n";
  }
  return file;
}

StreamOptions options_of(const std::string& name, int64_t most) {
  StreamOptions options;
  options.files = {name};
  options.context_words = most;
  options.more = {InputFormat::conll};
  return options;
}

Ran run(const TemporaryDirectory& directory, const std::string& name, const std::string& bytes,
        OnError on_error = OnError::stop) {
  auto options = options_of(directory.write(name, bytes), 3);
  options.on_error = on_error;
  ContextFilter filter;
  return run_and_catch(options, 2, filter);
}

}  // namespace

TEST_CASE("each sentence has the words around it in its document") {
  const TemporaryDirectory directory;
  std::mt19937_64 random(1);
  for (int round = 0; round < tried(200); ++round) {
    const auto sentences = random_sentences(random);
    const size_t most = 1 + random() % 20;
    for (const auto& file : {conll_of(sentences, most), jsonl_of(sentences, most)}) {
      auto options = options_of(directory.write(file.name, file.bytes), static_cast<int64_t>(most));
      options.input_format = file.name == "x.conll" ? InputFormat::conll : InputFormat::jsonl;
      options.chunk_records = 1 + random() % 5;
      options.chunk_bytes = 1 + random() % 200;
      ContextFilter filter;
      const auto ran = run_and_catch(options, 2, filter);
      CHECK(ran.out == file.expected);
      CHECK(ran.failure.empty());

      // In any order, as training reads them.
      const RecordIndex index(options);
      REQUIRE(index.size() == static_cast<int64_t>(sentences.size()));
      RawRecordReader reader(InvalidUtf8::error, OnError::stop);
      for (auto i = index.size(); i-- > 0;) {
        auto raw = index.read(i);
        reader.read(raw, [&](const Fields& fields, const Record&) {
          const auto [before, after] = slow_context(sentences, static_cast<size_t>(i), most);
          CHECK(strings_of(fields.context().before) == before);
          CHECK(strings_of(fields.context().after) == after);
        });
      }
    }
  }
}

TEST_CASE("the words around a sentence have their tags in BIO, or none if they cannot be read") {
  const TemporaryDirectory directory;
  std::mt19937_64 random(2);
  const Words kTags = {"\"O\"", "\"I-PER\"", "\"I-LOC\"", "\"B-LOC\""};
  int unknown = 0;
  for (int round = 0; round < 100; ++round) {
    const auto sentences = random_sentences(random);
    const size_t most = 1 + random() % 20;
    std::string records;
    auto tagged = sentences;  // with the tags instead of the words, as JSON
    for (size_t i = 0; i < sentences.size(); ++i) {
      Words tags;
      for (size_t w = 0; w < sentences[i].words.size(); ++w) tags.push_back(kTags[random() % kTags.size()]);
      const uint64_t fault = random() % 10;
      if (fault == 0) tags.push_back("\"O\"");
      if (fault == 1) tags.back() = "3";
      std::string array;
      for (const auto& tag : tags) array += (array.empty() ? "" : ",") + tag;
      records += "{\"document\":" + std::to_string(sentences[i].document) +
                 ",\"words\":" + json_of(sentences[i].words) +
                 (fault == 2 ? "" : ",\"tags\":[" + array + "]") + "}\n";
      // I- after another type, or at the beginning, begins an entity.
      std::string before = "\"O\"";
      for (size_t w = 0; w < sentences[i].words.size(); ++w) {
        const auto tag = tags[w];
        const bool begins =
            tag.starts_with("\"I") && (before == "\"O\"" || before.substr(2) != tag.substr(2));
        tagged[i].words[w] = fault <= 2 ? "null" : begins ? "\"B" + tag.substr(2) : tag;
        before = tag;
      }
      unknown += fault <= 2;
    }
    auto options = options_of(directory.write("x.jsonl", records), static_cast<int64_t>(most));
    options.context_tags = "tags";
    const RecordIndex index(options);
    RawRecordReader reader(InvalidUtf8::error, OnError::stop);
    for (int64_t i = 0; i < index.size(); ++i) {
      auto raw = index.read(i);
      reader.read(raw, [&](const Fields& fields, const Record&) {
        const auto& context = fields.context();
        const auto shown = [](const std::vector<ContextWord>& words) {
          Words tags;
          for (const auto& word : words) tags.push_back(word.tag.empty() ? "null" : '"' + word.tag + '"');
          return tags;
        };
        const auto [before, after] = slow_context(tagged, static_cast<size_t>(i), most);
        CHECK(shown(context.before) == before);
        CHECK(shown(context.after) == after);
        CHECK(strings_of(context.before) == slow_context(sentences, static_cast<size_t>(i), most).first);
      });
    }
  }
  CHECK(unknown > 100);
}

TEST_CASE("records without words or document separate documents and are errors of their own") {
  const TemporaryDirectory directory;
  const std::string records =
      "{\"document\":1,\"words\":[\"a\"]}\n{\"words\":[\"b\"]}\n{\"document\":1,\"words\":[\"c\"]}\nbad\n"
      "{\"document\":1,\"words\":[\"d\"]}\n{\"document\":1,\"words\":[\"e\",3]}\n{\"document\":1,\"text\":"
      "\"f\"}\n"
      "{\"document\":[],\"words\":[\"g\"]}\n{\"document\":1,\"document\":2,\"words\":[\"h\"]}\n";
  const auto ran = run(directory, "x.jsonl", records, OnError::skip);
  CHECK(ran.out ==
        "1[][a ][]{\"document\":1,\"words\":[\"a\"]}\n3[][c ][]{\"document\":1,\"words\":[\"c\"]}\n"
        "5[][d ][]{\"document\":1,\"words\":[\"d\"]}\n");
  for (const auto* message :
       {"x.jsonl:2: field \"document\" is missing",
        "x.jsonl:4: ", "x.jsonl:6: field \"words\" has a number at index 1, expected strings",
        "x.jsonl:7: field \"words\" is missing", "x.jsonl:9: field \"document\" appears twice",
        "x.jsonl:8: field \"document\" is an array, expected "})
    CHECK_MESSAGE(ran.messages.find(message) != std::string::npos, ran.messages);
  // The same when they are read again.
  const RecordIndex index(options_of(directory.write("x.jsonl", records), 3));
  RawRecordReader reader(InvalidUtf8::error, OnError::skip);
  int bad = 0;
  for (int64_t i = 0; i < index.size(); ++i) {
    auto raw = index.read(i);
    const auto message = reader.read(raw, [](const Fields& fields, const Record&) { fields.context(); });
    CHECK((!message || ran.messages.find(*message + "\n") != std::string::npos));
    bad += message.has_value();
  }
  CHECK(bad == 6);
  const auto stopped = run(directory, "x.conll", "a O\n\nb O\nc\n\nd O\n");
  CHECK(stopped.out == "1[][a ][]{\"words\":[\"a\"],\"tags\":[\"O\"]}\n");
  CHECK(stopped.failure.find("x.conll:4: has 1 column, expected 2") != std::string::npos);
  CHECK(run(directory, "x.txt", "plain text\n").failure.find("x.txt: is read as text, but documents need") !=
        std::string::npos);
}

TEST_CASE("the context is of the field with the words, and of repaired text") {
  const TemporaryDirectory directory;
  ContextFilter filter;
  auto options = options_of(directory.write("x.jsonl",
                                            "{\"document\":1,\"words\":[\"a\"],\"other\":[\"b\"]}\n"
                                            "\f{\"document\":1,\"words\":[\"c\"],\"other\":[\"d\xff\"]}\n"),
                            3);
  options.invalid_utf8 = InvalidUtf8::replace;
  const auto usual = run_and_catch(options, 1, filter);
  CHECK(usual.out.starts_with("1[][a ][c ]"));
  CHECK(usual.out.find("\n2[a ][c ][]") != std::string::npos);
  options.text_field = "other";
  const auto other = run_and_catch(options, 1, filter);
  CHECK(other.out.starts_with("1[][a ][d\uFFFD ]"));
  CHECK(other.out.find("\n2[b ][c ][]") != std::string::npos);

  options = options_of(directory.write("x.conll", "a\xff O\n\nb O\n"), 3);
  options.invalid_utf8 = InvalidUtf8::replace;
  CHECK(run_and_catch(options, 1, filter).out.find("\n3[a\uFFFD ][b ][]") != std::string::npos);
}

TEST_CASE("the name of a field with a line end does no harm") {
  const TemporaryDirectory directory;
  auto options = options_of(directory.write("x.jsonl", "{\"document\":1,\"c\\nd\":[3]}\n"), 3);
  options.text_field = "c\nd";
  const RecordIndex index(options);
  RawRecordReader reader(InvalidUtf8::error, OnError::skip);
  auto raw = index.read(0);
  const auto message = reader.read(raw, [](const Fields& fields, const Record&) { fields.context(); });
  CHECK(message.value().ends_with(":1: field \"c\nd\" has a number at index 0, expected strings"));
}

TEST_CASE("an empty FILE has no sentences") {
  const TemporaryDirectory directory;
  for (const auto* name : {"x", "x.txt", "x.conll", "x.jsonl"}) {
    const auto ran = run(directory, name, " \n");
    CHECK(ran.out.empty());
    CHECK(ran.failure.empty());
  }
}

TEST_CASE("an empty sentence counts as a word, however many records are read at once") {
  const TemporaryDirectory directory;
  std::string records;
  for (const char* words : {"[\"a\"]", "[]", "[]", "[\"b\"]", "[]", "[]", "[]", "[\"c\"]"})
    records += "{\"document\":1,\"words\":" + std::string(words) + "}\n";
  for (const size_t at_once : {1, 2, 100}) {
    auto options = options_of(directory.write("x.jsonl", records), 3);
    options.chunk_records = at_once;
    const RecordIndex index(options);
    RawRecordReader reader(InvalidUtf8::error, OnError::stop);
    const auto context_of = [&](int64_t i) {
      std::string text;
      auto raw = index.read(i);
      reader.read(raw, [&](const Fields& fields, const Record&) {
        text = text_of(strings_of(fields.context().before)) + text_of(strings_of(fields.context().after));
      });
      return text;
    };
    CHECK(context_of(0) == "[][b ]");
    CHECK(context_of(3) == "[a ][]");
    CHECK(context_of(4) == "[b ][c ]");
    CHECK(context_of(7) == "[][]");
  }
}
