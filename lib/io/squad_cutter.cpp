// Splits an original SQuAD file, {"version": …, "data": [article, …]}, into one JSON record per question:
//
//   {"id","title","context","question","answers":{"text":[…],"answer_start":[…]}}
//
// plus "is_impossible" if the file has it. Keeps one article in memory at a time.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "io/record_cutter.h"
#include "json/json.h"

namespace bert::io {
namespace {

bool is_json_white(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

[[noreturn]] void fail(std::string_view found) {
  throw Error("is not a SQuAD file: ", found, ", expected {\"data\": [{\"paragraphs\": …}, …]}");
}

void add_member(json::Object& out, std::string_view name, const json::Value& from) {
  const auto value = from.find(name);
  if (!value) return;
  switch (value->kind()) {
    case json::Value::Kind::string:
      return out.string(name, value->string());
    case json::Value::Kind::boolean:
      return out.boolean(name, value->boolean());
    case json::Value::Kind::number:
      return out.integer(name, value->integer());
    default:
      throw Error("\"", name, "\" is ", value->kind_name());
  }
}

// [{"text","answer_start"}, …] -> {"text":[…],"answer_start":[…]}, the format of Hugging Face's SQuAD.
void add_answers(json::Object& out, const json::Value& question) {
  const auto answers = question.find("answers");
  if (!answers) return;
  std::vector<std::string_view> texts;
  std::vector<int64_t> starts;
  for (const json::Value& answer : answers->elements()) {
    texts.push_back(answer.member("text").string());
    starts.push_back(answer.member("answer_start").integer());
  }
  json::Object object(out.key("answers"));
  json::append_array(object.key("text"), texts, json::append_string);
  json::append_array(object.key("answer_start"), starts, json::append_integer);
  object.end();
}

std::string record_of(const json::Value& article, const json::Value& paragraph, const json::Value& question) {
  std::string text;
  json::Object record(text);
  add_member(record, "id", question);
  add_member(record, "title", article);
  add_member(record, "context", paragraph);
  add_member(record, "question", question);
  add_answers(record, question);
  add_member(record, "is_impossible", question);
  record.end();
  return text;
}

// The same; an Error names the question, since others are on the same line.
std::string named_record_of(const json::Value& article, const json::Value& paragraph,
                            const json::Value& question) {
  try {
    return record_of(article, paragraph, question);
  } catch (const Error& error) {
    const bool object = question.kind() == json::Value::Kind::object;
    const auto id = object ? question.find("id") : std::nullopt;
    if (!id || id->kind() != json::Value::Kind::string) throw;
    throw Error("question ", json::in_quotes(id->string()), ": ", error.what());
  }
}

class SquadCutter final : public RecordCutter {
 public:
  explicit SquadCutter(const CutterOptions& options)
      : input_(options.input), limits_(options.limits), line_(options.line) {}

  // An invalid file is reported in chunk.failure.
  bool fill(Chunk& chunk) override;

 private:
  enum class State { open, key, colon, skipped, array, article, end };
  enum class Step { done, wait };  // wait: more bytes are needed

  bool advance(const Chunk& chunk);  // to the next article; false if there is none yet, or none left
  Step step();
  Step key(char mark);
  Step article(char mark);
  bool value_is_complete();
  std::string_view take(size_t size);
  void read_article(std::string_view text);
  void cut(Chunk& chunk);

  Input& input_;
  ChunkLimits limits_;
  int64_t line_;  // line of the next byte to consume

  State state_ = State::open;
  bool comma_ = false;     // after an element: a comma must follow before the next one
  bool dangling_ = false;  // after a comma: an element must follow
  std::string key_;
  size_t scanned_ = 0;  // bytes already scanned of the value that starts the unread bytes
  int depth_ = 0;
  bool in_string_ = false, escaped_ = false;

  json::Document document_;
  std::vector<std::string> records_;  // of the current article, in order
  size_t next_ = 0;
  int64_t article_line_ = 1;
  int64_t articles_ = 0;
  bool has_data_ = false;
};

bool SquadCutter::fill(Chunk& chunk) {
  chunk.offset = input_.consumed();
  try {
    while (chunk.data.size() < limits_.bytes && chunk.cuts.size() < limits_.records) {
      if (next_ == records_.size() && !advance(chunk)) break;
      cut(chunk);
    }
  } catch (const ReadError& error) {
    chunk.failure = error.what();
  } catch (const Error& error) {
    chunk.failure = input_.name() + ':' + std::to_string(line_) + ": " + error.what();
  }
  chunk.data_size = chunk.data.size();
  chunk.data.append(json::kPadding, '\0');
  return !chunk.cuts.empty() || chunk.failure;
}

void SquadCutter::cut(Chunk& chunk) {
  const std::string& record = records_[next_++];
  chunk.cuts.push_back({.begin = chunk.data.size(), .size = record.size(), .line = article_line_});
  chunk.data += record;
}

bool SquadCutter::advance(const Chunk& chunk) {
  records_.clear();
  next_ = 0;
  while (records_.empty()) {
    while (!input_.unread().empty() && scanned_ == 0 && is_json_white(input_.unread().front())) take(1);
    if (!input_.unread().empty() && step() == Step::done) continue;
    if (!chunk.cuts.empty() && !input_.ready()) return false;  // process available records first
    if (input_.read_more()) continue;
    if (state_ == State::end && input_.unread().empty()) return false;
    if (state_ == State::open && input_.unread().empty()) return false;  // an empty input
    throw Error("ends in the middle of the JSON object");
  }
  return true;
}

SquadCutter::Step SquadCutter::step() {
  const char mark = input_.unread().front();
  switch (state_) {
    case State::open:
      if (mark != '{') fail("it does not start with {");
      take(1);
      state_ = State::key;
      return Step::done;
    case State::key:
      return key(mark);
    case State::colon:
      if (mark != ':') fail("a key has no value");
      take(1);
      state_ = key_ == "data" ? State::array : State::skipped;
      has_data_ = has_data_ || key_ == "data";
      return Step::done;
    case State::skipped:
      if (!value_is_complete()) return Step::wait;
      (void)document_.parse(take(scanned_));
      state_ = State::key;
      return Step::done;
    case State::array:
      if (mark != '[') fail("\"data\" is not an array");
      take(1);
      comma_ = false;
      state_ = State::article;
      return Step::done;
    case State::article:
      return article(mark);
    case State::end:
      fail("something follows the object");
  }
  return Step::wait;
}

SquadCutter::Step SquadCutter::key(char mark) {
  if (mark == '}' && !dangling_) {
    take(1);
    if (!has_data_) fail("it has no \"data\"");
    state_ = State::end;
  } else if (mark == ',' && comma_) {
    take(1);
    comma_ = false;
    dangling_ = true;
  } else if (mark == '"' && !comma_) {
    if (!value_is_complete()) return Step::wait;
    key_ = document_.parse(take(scanned_)).string();
    comma_ = true;
    dangling_ = false;
    state_ = State::colon;
  } else {
    fail("a key is missing");
  }
  return Step::done;
}

SquadCutter::Step SquadCutter::article(char mark) {
  if (mark == ']' && !dangling_) {
    take(1);
    comma_ = true;
    state_ = State::key;
  } else if (mark == ',' && comma_) {
    take(1);
    comma_ = false;
    dangling_ = true;
  } else if (mark == '{' && !comma_) {
    if (!value_is_complete()) return Step::wait;
    article_line_ = line_;
    comma_ = true;
    dangling_ = false;
    ++articles_;
    read_article(take(scanned_));
  } else {
    fail("an element of \"data\" is not an object");
  }
  return Step::done;
}

// Continues where the last call stopped, so that a long article is scanned only once.
bool SquadCutter::value_is_complete() {
  const auto text = input_.unread();
  for (; scanned_ < text.size(); ++scanned_) {
    const char c = text[scanned_];
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
        if (depth_ == 0) return ++scanned_ > 0;
      }
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if (depth_ > 0) {
      if ((c == '}' || c == ']') && --depth_ == 0) return ++scanned_ > 0;
    } else if (c == ',' || c == '}' || c == ']' || is_json_white(c)) {
      return true;  // a number, true, false or null has ended
    }
  }
  return false;
}

// The view is valid until the next read.
std::string_view SquadCutter::take(size_t size) {
  const auto text = input_.unread().substr(0, size);
  line_ += std::count(text.begin(), text.end(), '\n');
  input_.consume(size);
  scanned_ = 0;
  return text;
}

void SquadCutter::read_article(std::string_view text) {
  try {
    const json::Value article = document_.parse(text);
    for (const json::Value& paragraph : article.member("paragraphs").elements()) {
      for (const json::Value& question : paragraph.member("qas").elements())
        records_.push_back(named_record_of(article, paragraph, question));
    }
  } catch (const Error& error) {
    throw Error("article ", articles_, " of \"data\": ", error.what());
  }
}

}  // namespace

std::unique_ptr<RecordCutter> make_squad_cutter(const CutterOptions& options) {
  return std::make_unique<SquadCutter>(options);
}

}  // namespace bert::io
