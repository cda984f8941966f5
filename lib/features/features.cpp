#include "features/features.h"

#include <algorithm>

#include "base/error.h"
#include "base/option.h"
#include "features/given_ids.h"
#include "features/overflow.h"
#include "features/sequence.h"

namespace bert::features {
namespace {

constexpr int64_t kSingleSpecials = 2;  // [CLS] A [SEP]

int64_t length_of(const Features& features) { return features.ids.size(); }
int64_t length_of(text::Span part) { return int64_t{part.end} - part.begin; }

// Appends tokens [begin, end) of a whole sequence.
void append(Features& to, const Features& from, uint32_t begin, uint32_t end) {
  const auto copy = [&](const auto& source, auto& target) {
    if (!source.empty()) target.insert(target.end(), source.begin() + begin, source.begin() + end);
  };
  copy(from.ids, to.ids);
  copy(from.types, to.types);
  copy(from.offsets, to.offsets);
  copy(from.words, to.words);
  for (uint32_t place = begin; place < end; ++place) to.places.push_back(place);
}

// Keeps only these tokens of A and of B, and the special tokens.
Features with_parts(const Features& whole, Window first, Window second) {
  const auto part = [&](text::Span span, Window window, Features& to) {
    const uint32_t begin = to.ids.size();
    append(to, whole, span.begin + window.begin, span.begin + window.end);
    return text::Span{begin, static_cast<uint32_t>(to.ids.size())};
  };
  Features cut;
  append(cut, whole, 0, whole.first.begin);
  cut.first = part(whole.first, first, cut);
  append(cut, whole, whole.first.end, whole.second.begin);
  cut.second = part(whole.second, second, cut);
  append(cut, whole, whole.second.end, whole.ids.size());
  cut.pair = whole.pair;
  cut.characters = whole.characters;
  // The prompt is the beginning of A. Count [CLS] and what remains of the prompt; 0 if nothing remains.
  const int64_t prompt =
      std::clamp(int64_t{whole.prompt} - whole.first.begin, first.begin, first.end) - first.begin;
  cut.prompt = prompt > 0 ? static_cast<int32_t>(whole.first.begin + prompt) : 0;
  return cut;
}

Window whole_part(text::Span part) { return {0, length_of(part)}; }

// The tokens of a part that remain if `kept` are kept.
Window cut_part(text::Span part, int64_t kept, const CutRule& rule) {
  const int64_t length = length_of(part);
  return rule.from_left ? Window{length - kept, length} : Window{0, kept};
}

// Position of each window's A or B in the whole A or B.
std::vector<Window> spans_of(std::span<const Features> windows, text::Span Features::*part) {
  std::vector<Window> spans;
  for (const Features& window : windows) {
    const text::Span own = window.*part;
    const int64_t begin = own.begin == own.end ? 0 : int64_t{window.places[own.begin]};
    spans.push_back({begin, begin + (int64_t{own.end} - own.begin)});
  }
  const int64_t base = std::ranges::min(spans, {}, &Window::begin).begin;
  for (Window& span : spans) span = {span.begin - base, span.end - base};
  return spans;
}

// At most `count` tokens at the end of A, or at its beginning, without the part of a word.
text::Span words_from_end(const Features& features, int64_t count) {
  const auto word = [&](int64_t i) { return features.words[i]; };
  const int64_t end = features.first.end;
  int64_t begin = end - count;
  while (begin > features.first.begin && begin < end && word(begin) == word(begin - 1)) ++begin;
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

text::Span words_from_begin(const Features& features, int64_t count) {
  const auto word = [&](int64_t i) { return features.words[i]; };
  const int64_t begin = features.first.begin;
  int64_t end = begin + count;
  while (end > begin && end < features.first.end && word(end) == word(end - 1)) --end;
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

struct Part {
  const Features& of;
  text::Span tokens;
};

// Inserts tokens before and after A.
Features surrounded(Features sentence, Part before, Part after) {
  const auto [begin, end] = sentence.first;
  const auto insert = [](auto& array, uint32_t at, const auto& source, text::Span part) {
    array.insert(array.begin() + at, source.begin() + part.begin, source.begin() + part.end);
  };
  for (const auto& [at, part] :
       {std::pair(end, after), std::pair(begin, before)}) {  // from the end, so that `at` holds
    insert(sentence.ids, at, part.of.ids, part.tokens);
    insert(sentence.types, at, part.of.types, part.tokens);
    insert(sentence.words, at, part.of.words, part.tokens);
    if (!sentence.offsets.empty())
      sentence.offsets.insert(sentence.offsets.begin() + at, length_of(part.tokens), {});
  }
  const uint32_t shift = length_of(before.tokens);
  const uint32_t second = end + shift + length_of(after.tokens);
  sentence.first = {begin + shift, end + shift};
  sentence.second = {second, second};
  return sentence;
}

std::vector<TokenPlace> in_order(size_t count) {
  std::vector<TokenPlace> places;
  for (size_t i = 0; i < count; ++i) places.push_back({.window = 0, .position = static_cast<uint32_t>(i)});
  return places;
}

}  // namespace

FeatureOptions with_settings_of(const text::Tokenizer& tokenizer, FeatureOptions options) {
  const auto& config = tokenizer.config();
  options.cut.compat = config.compat;
  if (options.max_length != kNoLimit || !config.truncation) return options;
  options.max_length = config.truncation->max_length;
  options.cut.strategy = config.truncation->strategy;
  return options;
}

bool is_empty(const Features& features) {
  const auto begin = std::max(features.first.begin, static_cast<uint32_t>(features.prompt));
  return features.first.end <= begin && features.second.begin == features.second.end;
}

void EmptySecondTexts::add(const Features& features) const {
  if (features.pair && !features.truncated && features.second.begin == features.second.end)
    count_.fetch_add(1, std::memory_order_relaxed);
}

void EmptySecondTexts::report(Log& log) const {
  if (count_ > 0) log.warn(counted(count_, "pair has", "pairs have") + " an empty second text");
}

std::optional<std::string> impossible_length(const FeatureOptions& options) {
  if (options.max_length == kNoLimit) return {};
  const int64_t specials = options.specials ? kSingleSpecials : 0;
  const int64_t room = options.max_length - specials;
  const std::string beside = options.specials ? " besides [CLS] and [SEP]" : "";
  const auto length = "a maximum length of " + std::to_string(options.max_length);
  if (room < 1) return length + " leaves no room" + (beside.empty() ? "" : " for text") + beside;
  if (options.overflow == Overflow::split && options.overlap >= room)
    return length + " leaves " + counted(room, "token", "tokens") + beside + ", but windows overlap by " +
           std::to_string(options.overlap) +
           (options.overlap == FeatureOptions().overlap ? ", the default" : "") + "; use " + opt::overlap +
           " " + std::to_string(usual_overlap(options.max_length));
  return {};
}

int64_t usual_overlap(int64_t max_length) {
  return std::clamp<int64_t>((max_length - kSingleSpecials) / 2, 0, FeatureOptions().overlap);
}

Featurizer::Featurizer(const text::Tokenizer& tokenizer, FeatureOptions options)
    : tokenizer_(tokenizer), options_(std::move(options)) {
  options_.specials &= tokenizer.config().specials;
  if (const auto wrong = impossible_length(options_)) throw Error(*wrong);
  options_.cut.from_left |= tokenizer.config().truncate_left;
  if (options_.prompt.empty()) return;
  text::Tokens tokens;
  tokenizer_.encode(options_.prompt, {}, tokens);
  prompt_tokens_ = tokens.ids.size() + (options_.specials ? 1 : 0);
}

Features Featurizer::features(const io::Fields& fields) const { return limited(whole(fields)); }

Features Featurizer::features(std::string_view text, std::optional<std::string_view> pair) const {
  return limited(whole(text, pair));
}

std::vector<Features> Featurizer::windows(const io::Fields& fields) const { return split(whole(fields)); }

std::vector<Features> Featurizer::windows(std::string_view text, std::optional<std::string_view> pair) const {
  return split(whole(text, pair));
}

std::vector<Features> Featurizer::windows(std::string_view field, const json::Value& words) const {
  return split(whole(field, words));
}

std::vector<Features> Featurizer::windows(std::string_view field, const json::Value& words,
                                          const io::Context& context) const {
  Features sentence = whole(field, words);
  const int64_t room = options_.max_length == kNoLimit ? 0 : options_.max_length - length_of(sentence);
  if (room <= 0) return split(std::move(sentence));
  const Features before = whole(context.before), after = whole(context.after);
  const int64_t most_before = length_of(before.first), most_after = length_of(after.first);
  const int64_t wanted = std::max(room / 2, room - most_after);
  const auto kept_before = words_from_end(before, std::min(most_before, wanted));
  const auto kept_after = words_from_begin(after, std::min(most_after, room - std::min(most_before, wanted)));
  std::vector<Features> windows;
  windows.push_back(surrounded(std::move(sentence), {before, kept_before}, {after, kept_after}));
  return windows;
}

Features Featurizer::whole(std::string_view field, const json::Value& words) const {
  Sequence sequence(tokenizer_, options_);
  sequence.add_words(field, words);
  return std::move(sequence).finish(prompt_tokens_);
}

Features Featurizer::whole(std::span<const io::ContextWord> words) const {
  std::vector<std::string_view> texts;
  for (const auto& word : words) texts.push_back(word.word);
  Sequence sequence(tokenizer_, options_);
  sequence.add_words(texts);
  return std::move(sequence).finish(prompt_tokens_);
}

Features Featurizer::whole(const io::Fields& fields) const {
  if (takes_ids(fields)) return features_of_ids(tokenizer_, fields);

  Sequence sequence(tokenizer_, options_);
  if (const auto words = fields.json(options_.text_field); words && words->is_array()) {
    sequence.add_words(options_.text_field, *words);
  } else if (const auto text = fields.text(options_.text_field)) {
    sequence.add_text(*text);
  } else if (const auto array = fields.json("words")) {
    sequence.add_words("words", *array);
  } else {
    fields.required_text(options_.text_field);
  }
  if (const auto pair = fields.pair_text(options_.pair_field)) sequence.add_text(*pair);
  return std::move(sequence).finish(prompt_tokens_);
}

Features Featurizer::whole(std::string_view text, std::optional<std::string_view> pair) const {
  Sequence sequence(tokenizer_, options_);
  sequence.add_text(text);
  if (pair) sequence.add_text(*pair);
  return std::move(sequence).finish(prompt_tokens_);
}

bool Featurizer::takes_ids(const io::Fields& fields) const {
  return options_.take_ids == TakeIds::where_present && fields.json_only("input_ids");
}

bool Featurizer::fits(const Features& features) const { return length_of(features) <= options_.max_length; }

Features Featurizer::limited(Features whole) const {
  if (fits(whole)) return whole;
  if (options_.overflow == Overflow::error)
    throw Error("text of ", length_of(whole), " tokens is longer than the ", options_.max_length, " allowed");
  const PartLengths lengths{length_of(whole.first), length_of(whole.second)};
  const int64_t specials = length_of(whole) - lengths.first - lengths.second;
  const int64_t room = options_.max_length - specials;
  if (room < 1)
    throw Error("a maximum length of ", options_.max_length, " leaves no room for ", specials,
                " special tokens");
  const auto counted = [&](text::Span part) {
    const auto ids = std::span(whole.ids).subspan(part.begin, part.end - part.begin);
    return counted_length(tokenizer_, ids, options_.max_length, options_.cut.from_left);
  };
  const auto kept =
      cut_lengths(lengths, room, options_.cut, PartLengths{counted(whole.first), counted(whole.second)});
  if (!kept)
    throw Error("text of ", length_of(whole), " tokens cannot be truncated to ", options_.max_length,
                " in its ",
                options_.cut.strategy == text::Truncation::Strategy::only_first ? "first" : "second",
                " part alone, as tokenizer.json requests");
  auto cut = with_parts(whole, cut_part(whole.first, kept->first, options_.cut),
                        cut_part(whole.second, kept->second, options_.cut));
  cut.truncated = true;
  return cut;
}

std::vector<Features> Featurizer::split(Features whole) const {
  std::vector<Features> windows;
  if (options_.overflow != Overflow::split || fits(whole)) {
    windows.push_back(limited(std::move(whole)));
    return windows;
  }
  const bool slides_first = !whole.pair || options_.cut.strategy == text::Truncation::Strategy::only_first;
  const int64_t count = length_of(slides_first ? whole.first : whole.second);
  const int64_t length = options_.max_length - (length_of(whole) - count);
  if (length <= options_.overlap)
    throw Error("windows over the ", slides_first ? "first" : "second", " text have room for ",
                counted(std::max<int64_t>(length, 0), "token", "tokens"),
                " besides the other text, but overlap by ", options_.overlap);
  for (const auto window : slide(count, {length, options_.overlap, options_.cut.from_left})) {
    windows.push_back(with_parts(whole, slides_first ? window : whole_part(whole.first),
                                 slides_first ? whole_part(whole.second) : window));
    windows.back().window = windows.size() - 1;
    windows.back().window_begin = window.begin;
  }
  return windows;
}

std::vector<TokenPlace> token_places(std::span<const Features> windows) {
  std::vector<Window> spans;
  int64_t count = 0;
  for (const Features& window : windows) {
    spans.push_back(
        {window.window_begin, window.window_begin + int64_t{window.first.end} - window.first.begin});
    count = std::max(count, spans.back().end);
  }
  std::vector<TokenPlace> places;
  for (const int32_t owner : most_context(spans, count)) {
    const size_t window = owner;
    const auto within = places.size() - spans[window].begin;
    places.push_back({window, windows[window].first.begin + static_cast<uint32_t>(within)});
  }
  return places;
}

std::vector<TokenPlace> sequence_places(std::span<const Features> windows) {
  if (windows.size() == 1) return in_order(windows.front().ids.size());
  size_t length = 0;
  for (const Features& window : windows) {
    length = std::max<size_t>(length, window.places.back() + 1);
  }
  std::vector<TokenPlace> places(length);
  const auto read = [&](size_t window, uint32_t position) {
    places[windows[window].places[position]] = {window, position};
  };
  for (size_t w = windows.size(); w-- > 0;) {  // backwards, so that the first window wins
    for (uint32_t i = 0; i < windows[w].ids.size(); ++i) read(w, i);
  }
  // The unsplit part is equal in all windows, and most_context takes the first on ties.
  for (const auto part : {&Features::first, &Features::second}) {
    const auto spans = spans_of(windows, part);
    const auto owners = most_context(spans, std::ranges::max(spans, {}, &Window::end).end);
    for (size_t token = 0; token < owners.size(); ++token) {
      const size_t owner = owners[token];
      const uint32_t within = token - spans[owner].begin;
      read(owner, (windows[owner].*part).begin + within);
    }
  }
  return places;
}

}  // namespace bert::features
