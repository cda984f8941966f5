#include "text/composed.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "text/bpe.h"
#include "text/characters.h"
#include "text/unigram.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

bool depends_on_ends(const NormalizerStep& step) {
  return step.kind == NormalizerStep::Kind::strip || step.kind == NormalizerStep::Kind::prepend;
}

// The words of a text between white space.
std::vector<std::pair<size_t, size_t>> split_at_white_space(std::string_view text, size_t begin, size_t end) {
  std::vector<std::pair<size_t, size_t>> words;
  size_t word = begin;
  for (size_t at = begin; at < end;) {
    const CodePoint code = decode(text.data() + at);
    if (is_white_space(code.value)) {
      if (word < at) words.emplace_back(word, at);
      word = at + code.size;
    }
    at += code.size;
  }
  if (word < end) words.emplace_back(word, end);
  return words;
}

}  // namespace

Composed::Composed(std::span<const std::string> subwords, Composition composition)
    : composition_(std::move(composition)) {
  if (composition_.unigram)
    model_ = std::make_unique<Unigram>(subwords, *std::exchange(composition_.unigram, UnigramData()));
  else
    model_ = std::make_unique<Bpe>(subwords, *std::exchange(composition_.bpe, BpeData()));
}

void Composed::prepare(const Literals& literals) {
  steady_ = steady_bytes(composition_.normalizer);
  for (const char byte : literals.first_bytes) steady_[static_cast<uint8_t>(byte)] = 0;
  const auto& metaspace = composition_.metaspace;
  const bool split = metaspace ? metaspace->split : composition_.byte_level->split;
  cuttable_ = split && steady_[' '] == ' ' && !literals.cross_spaces;
  marks_all_ = metaspace && cuttable_ &&
               (!composition_.white_space_split || metaspace->prepend == Metaspace::Prepend::always);
  steady_[' '] = 0;
  keeps_steady_ = true;
  for (size_t byte = 0; byte < steady_.size(); ++byte)
    keeps_steady_ &= steady_[byte] == 0 || steady_[byte] == byte;
}

std::string Composed::normalized(std::string_view content) const {
  AlignedText text(content, 0, AlignedText::Alignment::none);
  apply(composition_.normalizer, {}, text);
  return text.text();
}

// The next space between steady bytes after `at`, or the end.
size_t Composed::next_cut(std::string_view text, size_t at) const {
  const auto steady = [&](size_t i) { return steady_[static_cast<uint8_t>(text[i])] != 0; };
  if (!cuttable_) return text.size();
  for (size_t cut = text.find(' ', at + 1); cut != std::string_view::npos; cut = text.find(' ', cut + 1))
    if (steady(cut - 1) && cut + 1 < text.size() && steady(cut + 1)) return cut;
  return text.size();
}

// The encoding of one text.
class Composed::Run {
 public:
  Run(const Composed& composed, const Literals& literals, Wanted wanted, Tokens& tokens)
      : composed_(composed),
        composition_(composed.composition_),
        literals_(literals),
        aligned_(wanted.offsets != Offsets::none),
        words_wanted_(wanted.words),
        tokens_(tokens) {}

  // Text between literals that are searched for in the original text.
  void encode_part(std::string_view text, size_t base) {
    if (!composition_.normalizer.empty() || literals_.normalized.empty()) return encode_stretches(text, base);
    size_t at = 0;
    AddedTokens::Search search(literals_.normalized, text);
    while (const auto match = search.next()) {
      encode_stretches(text.substr(at, match->begin - at), base + at);
      added(match->id, {base + match->begin, base + match->end});
      at = match->end;
    }
    encode_stretches(text.substr(at), base + at);
  }

  struct Range {
    size_t begin, end;
  };

  void added(int32_t id, Range range) {
    tokens_.ids.push_back(id);
    if (aligned_)
      tokens_.offsets.push_back({static_cast<uint32_t>(range.begin), static_cast<uint32_t>(range.end)});
    end_word();
  }

 private:
  void encode_stretches(std::string_view text, size_t base) {
    for (size_t at = 0; at < text.size();) {
      at = composition_.metaspace ? plain_words(text, at, base) : plain_stretch(text, at, base);
      if (at == text.size()) return;
      size_t end = composed_.next_cut(text, at);
      if (!encode_stretch(text, at, end, base)) encode_stretch(text, at, end = text.size(), base);
      at = end;
    }
  }

  // A word that is to be looked up: bytes [begin, end) of a part. Its "▁" came from the byte at `mark`.
  struct Pending {
    size_t begin, end, mark;
    uint64_t hash;
  };

  // Encodes words that need no normalization; returns the beginning of the first other one. A word ends
  // before a single space, so that the normalizer would not change it. Some words are found before the first
  // one is looked up, so that reading the cache does not wait for memory.
  size_t plain_words(std::string_view text, size_t at, size_t base) {
    if (!composed_.marks_all_) return at;
    const std::string_view words = composed_.keeps_steady_ ? text : mapped(text, at);
    for (bool more = true; more && at < text.size();) {
      std::array<Pending, 16> pending;
      size_t count = 0;
      for (more = true; more && count < pending.size() && at < text.size();) {
        more = find_plain_word(text, at, base, pending[count]);
        if (!more) break;
        Pending& word = pending[count++];
        at = word.end;
        word.hash = WordCache::hash_of({words.substr(word.begin, word.end - word.begin), true});
        composed_.cache_.prefetch(word.hash);
      }
      for (const Pending& word : std::span(pending).first(count)) take_plain(word, words, base);
    }
    return at;
  }

  // The text with its steady bytes as they will be.
  std::string_view mapped(std::string_view text, size_t from) {
    if (from > 0) return mapped_;  // is that of this text
    mapped_.resize(text.size());
    std::ranges::transform(text, mapped_.begin(), [&](char byte) {
      return static_cast<char>(composed_.steady_[static_cast<uint8_t>(byte)]);
    });
    return mapped_;
  }

  bool find_plain_word(std::string_view text, size_t at, size_t base, Pending& word) const {
    const auto steady = [&](size_t i) { return composed_.steady_[static_cast<uint8_t>(text[i])] != 0; };
    const bool spaced = text[at] == ' ';
    if (!spaced && (at > 0 || !marks_first(base))) return false;
    if (at == 0 && spaced && std::ranges::any_of(composition_.normalizer, depends_on_ends)) return false;
    const size_t begin = at + (spaced ? 1 : 0);
    size_t end = begin;
    while (end < text.size() && steady(end)) ++end;
    if (end == begin) return false;
    if (end < text.size() && (text[end] != ' ' || end + 1 == text.size() || !steady(end + 1))) return false;
    word.begin = begin;
    word.end = end;
    word.mark = spaced && !composition_.white_space_split ? at : begin;
    return true;
  }

  void take_plain(const Pending& word, std::string_view words, size_t base) {
    const CachedWord key{.rest = words.substr(word.begin, word.end - word.begin), .marked = true};
    take(key, word.hash, [&](uint32_t part_begin, uint32_t part_end) {
      const size_t hidden = kMetaspace.size();
      const size_t first = part_begin < hidden ? word.mark : word.begin + part_begin - hidden;
      const size_t last = part_end <= hidden ? word.mark + 1 : word.begin + part_end - hidden;
      return Span{static_cast<uint32_t>(base + first), static_cast<uint32_t>(base + last)};
    });
  }

  bool marks_first(size_t base) const {
    const auto prepend = composition_.metaspace->prepend;
    return prepend == Metaspace::Prepend::always || (prepend == Metaspace::Prepend::first && base == 0);
  }

  // The same for byte-level BPE, whose words are looked up where they are.
  size_t plain_stretch(std::string_view text, size_t at, size_t base) {
    if (at == 0 && composition_.byte_level->add_prefix_space && text[0] != ' ') return at;
    if (composition_.normalizer.empty()) {
      byte_level_words(text.substr(at), base + at);
      return text.size();
    }
    if (!composed_.cuttable_ || std::ranges::any_of(composition_.normalizer, depends_on_ends)) return at;
    size_t cut = at, end = at;
    for (; end < text.size(); ++end) {
      const auto byte = static_cast<uint8_t>(text[end]);
      if (byte == ' ' ? end > at && text[end - 1] == ' ' : composed_.steady_[byte] != byte) break;
      if (byte != ' ' && end > at + 1 && text[end - 1] == ' ') cut = end - 1;
    }
    if (end == text.size() && text.back() != ' ') cut = end;
    byte_level_words(text.substr(at, cut - at), base + at);
    return cut;
  }

  void byte_level_words(std::string_view text, size_t base) {
    const bool split = composition_.byte_level->split;
    for (size_t at = 0; at < text.size();) {
      std::array<Pending, 16> pending;
      size_t count = 0;
      for (; count < pending.size() && at < text.size(); ++count) {
        const size_t end = split ? gpt2_word_end(text, at) : text.size();
        pending[count] = {at, end, at, WordCache::hash_of({text.substr(at, end - at)})};
        composed_.cache_.prefetch(pending[count].hash);
        at = end;
      }
      for (const Pending& word : std::span(pending).first(count)) take_bytes(word, text, base);
    }
  }

  // Tokens that have a part of a character have the offsets of all of it.
  void take_bytes(const Pending& word, std::string_view text, size_t base) {
    take({.rest = text.substr(word.begin, word.end - word.begin)}, word.hash,
         [&](uint32_t part_begin, uint32_t part_end) {
           size_t first = word.begin + part_begin, last = word.begin + part_end;
           while (is_continuation_byte(text[first])) --first;
           while (last < text.size() && is_continuation_byte(text[last])) ++last;
           return Span{static_cast<uint32_t>(base + first), static_cast<uint32_t>(base + last)};
         });
  }

  template <class Visit>
  void each_byte_level_word(std::string_view text, const Visit& visit) const {
    for (size_t at = 0; at < text.size();) {
      const size_t end = composition_.byte_level->split ? gpt2_word_end(text, at) : text.size();
      visit(at, end);
      at = end;
    }
  }

  // Normalizes [begin, end) of a part and encodes it. False if that needs the whole part.
  bool encode_stretch(std::string_view text, size_t begin, size_t end, size_t base) {
    using Alignment = AlignedText::Alignment;
    AlignedText normalized(text.substr(begin, end - begin), base + begin,
                           aligned_ ? Alignment::kept : Alignment::none);
    apply(composition_.normalizer, {.begin = begin == 0, .end = end == text.size()}, normalized);
    if (aligned_ && begin == 0 && normalized.shifted() && end < text.size()) return false;
    size_t at = 0;
    const std::string_view all = normalized.text();
    if (!literals_.normalized.empty() && !composition_.normalizer.empty()) {
      AddedTokens::Search search(literals_.normalized, all);
      while (const auto match = search.next()) {
        words(normalized, at, match->begin, base + begin);
        const Span source = aligned_ ? normalized.source(match->begin, match->end) : Span{};
        added(match->id, {source.begin, source.end});
        at = match->end;
      }
    }
    words(normalized, at, all.size(), base + begin);
    return true;
  }

  // Encodes [begin, end) of a normalized text that starts at `origin` in the original one.
  void words(const AlignedText& text, size_t begin, size_t end, size_t origin) {
    if (begin == end) return;
    if (composition_.metaspace) return metaspace_words(text, begin, end, origin);
    AlignedText bytes = text.empty_like();
    if (composition_.byte_level->add_prefix_space && text.text()[begin] != ' ')
      bytes.append_inserted(text, " ", begin);
    bytes.append_copy(text, begin, end);
    each_byte_level_word(bytes.text(), [&](size_t first, size_t last) { take_aligned(bytes, first, last); });
  }

  void metaspace_words(const AlignedText& text, size_t begin, size_t end, size_t origin) {
    const Metaspace& metaspace = *composition_.metaspace;
    const std::string_view all = text.text();
    std::vector<std::pair<size_t, size_t>> ranges{{begin, end}};
    if (composition_.white_space_split) ranges = split_at_white_space(all, begin, end);
    AlignedText marked = text.empty_like();
    std::vector<size_t> begins;
    for (const auto& [first, last] : ranges) {
      begins.push_back(marked.text().size());
      const bool has_mark = all[first] == ' ' || all.substr(first, last - first).starts_with(kMetaspace);
      const bool first_of_text = origin == 0 && first == 0;
      const bool prepends = metaspace.prepend == Metaspace::Prepend::always ||
                            (metaspace.prepend == Metaspace::Prepend::first && first_of_text);
      if (!has_mark && prepends) marked.append_inserted(text, kMetaspace, first);
      size_t copied = first;
      for (size_t at = first; at < last; ++at) {
        const bool space = all[at] == ' ';
        if (!space && !all.substr(at, last - at).starts_with(kMetaspace)) continue;
        marked.append_copy(text, copied, at);
        copied = at;
        if (metaspace.split && marked.text().size() > begins.back()) begins.push_back(marked.text().size());
        if (!space) continue;
        marked.append_inserted(text, kMetaspace, at);
        copied = at + 1;
      }
      marked.append_copy(text, copied, last);
    }
    for (size_t i = 0; i < begins.size(); ++i)
      take_aligned(marked, begins[i], i + 1 < begins.size() ? begins[i + 1] : marked.text().size());
  }

  void take_aligned(const AlignedText& text, size_t begin, size_t end) {
    CachedWord word{.rest = std::string_view(text.text()).substr(begin, end - begin)};
    word.marked = word.rest.starts_with(kMetaspace);
    if (word.marked) word.rest.remove_prefix(kMetaspace.size());
    take(word, WordCache::hash_of(word), [&](uint32_t part_begin, uint32_t part_end) {
      return text.source(begin + part_begin, begin + part_end);
    });
  }

  // Appends the tokens of a word; `source` tells where [begin, end) of it comes from.
  template <class Source>
  void take(CachedWord word, uint64_t hash, const Source& source) {
    if (const auto* entry = composed_.cache_.find(word, hash)) {
      for (const int32_t id : entry->ids()) tokens_.ids.push_back(id);
      uint32_t begin = 0;
      if (aligned_)
        for (const uint32_t end : entry->ends())
          tokens_.offsets.push_back(source(std::exchange(begin, end), end));
      return end_word();
    }
    parts_.clear();
    if (word.marked) marked_.assign(kMetaspace).append(word.rest);
    composed_.model_->split(word.marked ? marked_ : word.rest, parts_);
    composed_.cache_.add(word, hash, parts_);
    for (const Part& part : parts_) {
      tokens_.ids.push_back(part.id);
      if (aligned_) tokens_.offsets.push_back(source(part.begin, part.end));
    }
    end_word();
  }

  void end_word() {
    if (words_wanted_) tokens_.words.resize(tokens_.ids.size(), number_);
    ++number_;
  }

  const Composed& composed_;
  const Composition& composition_;
  const Literals& literals_;
  const bool aligned_, words_wanted_;
  Tokens& tokens_;
  int32_t number_ = 0;  // of the word
  std::string mapped_, marked_;
  std::vector<Part> parts_;
};

void Composed::encode(std::string_view text, const Literals& literals, Wanted wanted, Tokens& tokens) const {
  Run run(*this, literals, wanted, tokens);
  AddedTokens::Search search(literals.original, text);
  size_t at = 0;
  while (const auto match = search.next()) {
    run.encode_part(text.substr(at, match->begin - at), at);
    run.added(match->id, {match->begin, match->end});
    at = match->end;
  }
  run.encode_part(text.substr(at), at);
}

}  // namespace bert::text
