#include "examples/answer_example.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "json/json.h"
#include "text/python_text.h"
#include "text/utf8.h"

namespace bert::examples {
namespace {

constexpr std::string_view kAnswers = "answers";

// Reads a member of the object `answers`.
template <class Read>
auto member(const json::Value& answers, std::string_view name, Read read) {
  const auto found = answers.find_only(name);
  if (!found) throw Error("has no \"", name, "\"");
  try {
    return read(*found);
  } catch (const Error& error) {
    throw Error("has a \"", name, "\" that ", error.what());
  }
}

std::vector<std::string> texts_of(const json::Value& array) {
  const auto texts = array.strings();
  return {texts.begin(), texts.end()};
}

// Moves through a text by code points.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool at_end() const { return byte_ == text_.size(); }
  char32_t here() const { return text::decode(text_.data() + byte_).value; }
  bool at_space() const { return !at_end() && text::is_python_space(here()); }
  uint32_t place() const { return place_; }
  void advance() {
    byte_ += text::decode(text_.data() + byte_).size;
    ++place_;
  }
  void pass_space() {
    while (at_space()) advance();
  }
  bool go_to(int64_t place) {
    while (!at_end() && place_ < place) advance();
    return place == place_;
  }
  // Quoted and on one line.
  std::string excerpt(int64_t code_points) const {
    constexpr int64_t kLongest = 60;
    Cursor end = *this;
    end.go_to(place_ + std::min(code_points, kLongest));
    std::string quoted;
    json::append_string(quoted, text_.substr(byte_, end.byte_ - byte_));
    return quoted;
  }

 private:
  std::string_view text_;
  size_t byte_ = 0;
  uint32_t place_ = 0;  // in code points
};

// Returns the code points of the context, from `place` on, that match the answer.
std::optional<text::Span> match(Cursor place, Cursor answer) {
  answer.pass_space();
  place.pass_space();
  const uint32_t begin = place.place();
  for (;;) {
    const uint32_t end = place.place();
    if (answer.at_space()) {
      answer.pass_space();
      if (answer.at_end()) return text::Span{begin, end};
      if (!place.at_space()) return std::nullopt;
      place.pass_space();
    }
    if (answer.at_end()) return text::Span{begin, end};
    if (place.at_end() || place.here() != answer.here()) return std::nullopt;
    place.advance();
    answer.advance();
  }
}

text::Span characters_of(const std::string& context, const std::string& text, int64_t start) {
  const Cursor answer(text);
  Cursor place(context);
  const int64_t length = text::count_code_points(text);
  if (!place.go_to(start))
    throw Error("has ", answer.excerpt(length), " at ", start, ", in a context of ",
                text::count_code_points(context), " characters");
  const auto found = match(place, answer);
  if (!found)
    throw Error("has ", answer.excerpt(length), " at ", start, ", where the context has ",
                place.excerpt(length));
  if (found->begin == found->end) throw Error("has an empty text, expected [] if there is no answer");
  return *found;
}

// Tokens that overlap these code points.
features::Window tokens_of(std::span<const text::Span> offsets, text::Span characters) {
  const auto begin =
      std::ranges::find_if(offsets, [&](text::Span token) { return token.end > characters.begin; });
  const auto end =
      std::find_if(begin, offsets.end(), [&](text::Span token) { return token.begin >= characters.end; });
  if (begin == end) throw Error("has a text without tokens");
  return {begin - offsets.begin(), end - offsets.begin()};
}

struct Gold {
  std::vector<std::string> texts;
  std::optional<features::Window> tokens;  // of the first answer, in the context
};

Gold gold_of(const json::Value& answers, const features::AnswerWindows& made) {
  if (answers.kind() != json::Value::Kind::object)
    throw Error("is ", answers.kind_name(), ", expected {\"text\": […], \"answer_start\": […]}");
  Gold gold = {.texts = member(answers, "text", texts_of), .tokens = {}};
  const auto starts =
      member(answers, "answer_start", [](const json::Value& json) { return json.integers(); });
  if (gold.texts.size() != starts.size())
    throw Error("has ", counted(gold.texts.size(), "value of text", "values of text"), " and ", starts.size(),
                " of answer_start");
  if (gold.texts.empty()) return gold;
  gold.tokens = tokens_of(made.offsets, characters_of(made.context, gold.texts.front(), starts.front()));
  return gold;
}

std::unique_ptr<AnswerExample> example_of(features::Features features,
                                          const std::optional<features::Window>& gold) {
  auto example = std::make_unique<AnswerExample>();
  const int64_t length = features.second.end - features.second.begin;
  example->text_begin = features.second.begin;
  example->text = {features.window_begin, features.window_begin + length};
  if (gold && gold->begin >= example->text.begin && gold->end <= example->text.end) {
    const int64_t shift = example->text_begin - example->text.begin;
    example->start = gold->begin + shift;
    example->end = gold->end - 1 + shift;
  }
  example->ids = std::move(features.ids);
  example->types = std::move(features.types);
  return example;
}

}  // namespace

AnswerReader::AnswerReader(const text::Tokenizer& tokenizer, const features::AnswerRule& rule, For use)
    : tokenizer_(tokenizer), rule_(rule), use_(use) {}

void AnswerReader::read(const io::Fields& fields, const io::Record&, int64_t, Examples& examples) const {
  auto made = features::answer_windows(tokenizer_, rule_, fields);
  const auto answers = fields.required(kAnswers);
  auto gold = io::named(kAnswers, [&] { return gold_of(answers, made); });
  std::shared_ptr<const AnsweredText> answered;
  if (use_ == For::evaluation) {
    answered = std::make_shared<AnsweredText>(AnsweredText{.context = std::move(made.context),
                                                           .offsets = std::move(made.offsets),
                                                           .answers = std::move(gold.texts)});
  }
  for (features::Features& features : made.windows) {
    const bool last = &features == &made.windows.back();
    auto example = example_of(std::move(features), gold.tokens);
    example->answered = answered;
    example->traits.set(Trait::truncated, made.truncated);
    example->last = last;
    examples.push_back(std::move(example));
  }
}

}  // namespace bert::examples
