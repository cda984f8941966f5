#include "io/squad_cutter.h"

#include <algorithm>

#include "base/error.h"

namespace bert::io {
namespace {

bool is_json_white(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

[[noreturn]] void fail(std::string_view found) {
  throw Error("is not a SQuAD file: ", found, ", expected {\"data\": [{\"paragraphs\": …}, …]}");
}

void append_member(std::string& out, std::string_view name, const json::Value& value) {
  if (out.back() != '{') out += ',';
  json::append_string(out, name);
  out += ':';
  switch (value.kind()) {
    case json::Value::Kind::string:
      json::append_string(out, value.string());
      break;
    case json::Value::Kind::boolean:
      out += value.boolean() ? "true" : "false";
      break;
    case json::Value::Kind::number:
      json::append_integer(out, value.integer());
      break;
    default:
      throw Error("\"", name, "\" is ", value.kind_name());
  }
}

void append_if_there(std::string& out, std::string_view name, const json::Value& object) {
  if (const auto value = object.find(name)) append_member(out, name, *value);
}

// [{"text","answer_start"}, …] -> {"text":[…],"answer_start":[…]}, the format of Hugging Face's SQuAD.
void append_answers(std::string& out, const json::Value& question) {
  const auto answers = question.find("answers");
  if (!answers) return;
  std::string texts, starts;
  for (const json::Value& answer : answers->elements()) {
    const auto text = answer.find("text"), start = answer.find("answer_start");
    if (!text || !start) throw Error("\"answers\" has an element without text or answer_start");
    json::append_string(texts.append(texts.empty() ? "" : ","), text->string());
    json::append_integer(starts.append(starts.empty() ? "" : ","), start->integer());
  }
  out += ",\"answers\":{\"text\":[" + texts + "],\"answer_start\":[" + starts + "]}";
}

std::vector<json::Value> elements_of(const json::Value& object, std::string_view name) {
  const auto array = object.find(name);
  if (!array) throw Error("\"", name, "\" is missing");
  return array->elements();
}

std::string record_of(const json::Value& article, const json::Value& paragraph, const json::Value& question) {
  std::string record = "{";
  append_if_there(record, "id", question);
  append_if_there(record, "title", article);
  append_if_there(record, "context", paragraph);
  append_if_there(record, "question", question);
  append_answers(record, question);
  append_if_there(record, "is_impossible", question);
  return record + '}';
}

}  // namespace

bool SquadCutter::fill(Chunk& chunk) {
  chunk.offset = input_.consumed();
  try {
    while (chunk.data.size() < limits_.bytes && chunk.cuts.size() < limits_.records) {
      if (next_ == records_.size() && !advance(chunk)) break;
      cut(chunk);
    }
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
    for (const json::Value& paragraph : elements_of(article, "paragraphs")) {
      for (const json::Value& question : elements_of(paragraph, "qas"))
        records_.push_back(record_of(article, paragraph, question));
    }
  } catch (const Error& error) {
    throw Error("article ", articles_, " of \"data\": ", error.what());
  }
}

}  // namespace bert::io
