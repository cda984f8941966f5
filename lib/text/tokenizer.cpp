#include "text/tokenizer.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/error.h"
#include "text/added_tokens.h"
#include "text/character_table.h"
#include "text/characters.h"
#include "text/composed.h"
#include "text/decoder.h"
#include "text/normalized_text.h"
#include "text/normalizer.h"
#include "text/tokenizer_files.h"
#include "text/word_encoder.h"
#include "text/wordpiece.h"

namespace bert::text {
namespace {

constexpr std::string_view kSpaceByte = "Ġ";  // how byte-level BPE writes the space

// A word can start with the prefix only if the prefix is not split off as punctuation.
WordPiece::PrefixInWords prefix_in_words(const TokenizerConfig& config) {
  const bool split = config.basic_tokenize && !config.prefix.empty() &&
                     is_punctuation(decode(config.prefix.data()).value, config.compat);
  return split ? WordPiece::PrefixInWords::never : WordPiece::PrefixInWords::possible;
}

// Converts byte offsets, sorted by their starts, to code points.
void count_in_code_points(std::string_view text, std::span<Span> offsets) {
  if (count_code_points(text) == text.size()) return;  // ASCII
  size_t byte = 0;
  size_t chars = 0;
  for (Span& span : offsets) {
    chars += count_code_points(text.substr(byte, span.begin - byte));
    byte = span.begin;
    const size_t size = count_code_points(text.substr(span.begin, span.end - span.begin));
    span = {static_cast<uint32_t>(chars), static_cast<uint32_t>(chars + size)};
  }
}

std::string_view without_white_space(std::string_view text) {
  while (!text.empty()) {
    const CodePoint code = decode(text.data());
    if (!is_white_space(code.value)) break;
    text.remove_prefix(code.size);
  }
  while (!text.empty()) {
    const CodePoint code = decode_before(text, text.size());
    if (!is_white_space(code.value)) break;
    text.remove_suffix(code.size);
  }
  return text;
}

void require_given(std::optional<int64_t> given, const std::string& token, int32_t id,
                   const std::string& name) {
  if (given.value_or(id) == id) return;
  throw Error(name, ": post_processor gives ", token, " the id ", *given, ", the vocabulary gives it ", id,
              "; only equal ids are supported");
}

}  // namespace

void Tokens::clear() {
  ids.clear();
  offsets.clear();
  words.clear();
}

struct Tokenizer::Impl {
  Impl(std::vector<std::string> vocabulary, TokenizerConfig settings, std::optional<Composition> composition,
       const std::string& name);

  int32_t required_id(const std::string& subword, const char* role, const std::string& name) const;
  std::optional<int32_t> id(std::string_view subword) const;
  void compose(Composition composition, const std::string& name);
  void add(const AddedToken& token, const std::string& name);
  void trim_added(std::string_view text, Tokens& tokens, size_t first) const;
  void trim(Tokens& tokens, size_t first) const;
  void mark_special(int32_t id) { is_special[id] = true; }
  int32_t special(int32_t id, const char* role) const {
    if (!config.specials) throw Error("the model has static vectors of tokens, and no ", role, " token");
    return id;
  }

  template <bool kAligned>
  void encode(std::string_view text, Wanted wanted, Tokens& tokens) const;
  template <class Encoder>
  void encode_part(std::string_view text, size_t base, Encoder& encoder) const;

  TokenizerConfig config;
  std::vector<std::string> subwords;
  WordPiece wordpiece;
  CharacterTable characters;
  std::unordered_map<std::string, int32_t> added_ids;
  Literals literals;
  std::unordered_map<int32_t, std::string> forms;  // of the latter, which decode() gives
  std::unique_ptr<Composed> composed;              // null with WordPiece
  std::unordered_map<std::string, int32_t> ids;    // of `composed`; no views, since add() moves the subwords
  std::vector<bool> is_special, is_added;
  int32_t unk = 0, cls = 0, sep = 0, pad = 0, mask = 0;
};

Tokenizer::Impl::Impl(std::vector<std::string> vocabulary, TokenizerConfig settings,
                      std::optional<Composition> composition, const std::string& name)
    : config(std::move(settings)),
      subwords(std::move(vocabulary)),
      wordpiece(composition ? std::span<const std::string>() : subwords, config.prefix,
                prefix_in_words(config)),
      characters(CharacterRules(config)),
      is_special(subwords.size()),
      is_added(subwords.size()) {
  if (composition) compose(*std::move(composition), name);
  for (const AddedToken& token : config.added) add(token, name);
  if (composed) composed->prepare(literals);
  unk = required_id(config.unk, "unknown", name);
  mark_special(unk);
  if (!config.specials) return;
  cls = required_id(config.cls, "classification", name);
  sep = required_id(config.sep, "separator", name);
  pad = required_id(config.pad, "padding", name);
  mask = required_id(config.mask, "mask", name);
  require_given(config.given_cls, config.cls, cls, name);
  require_given(config.given_sep, config.sep, sep, name);
  for (const int32_t special : {cls, sep, pad, mask}) mark_special(special);
}

int32_t Tokenizer::Impl::required_id(const std::string& subword, const char* role,
                                     const std::string& name) const {
  const std::optional<int32_t> found = id(subword);
  if (!found) throw Error(name, ": the ", role, " token ", subword, " is not in the vocabulary");
  return *found;
}

std::optional<int32_t> Tokenizer::Impl::id(std::string_view subword) const {
  const auto found = added_ids.find(std::string(subword));
  if (found != added_ids.end()) return found->second;
  if (!composed) return wordpiece.id(subword);
  const auto own = ids.find(std::string(subword));
  return own != ids.end() ? std::optional(own->second) : std::nullopt;
}

void Tokenizer::Impl::compose(Composition composition, const std::string& name) try {
  for (size_t i = 0; i < subwords.size(); ++i)
    if (!subwords[i].empty()) ids.insert_or_assign(subwords[i], static_cast<int32_t>(i));
  config.composition = checksum_of(composition);
  composed = std::make_unique<Composed>(subwords, std::move(composition));
} catch (const Error& error) {
  throw Error(name, ": model: ", error.what());
}

void Tokenizer::Impl::add(const AddedToken& token, const std::string& name) {
  AddedToken resolved = token;
  resolved.id = id(token.content).value_or(token.id);
  if (resolved.id < 0) throw Error(name, ": the token ", token.content, " is not in the vocabulary");
  const size_t index = resolved.id;
  if (index > subwords.size() + kMaxIdGap) {
    throw Error(name, ": the added token ", token.content, " has the id ", resolved.id, " after ",
                subwords.size(), " pieces");
  }
  if (index >= subwords.size()) {
    subwords.resize(index + 1);
    is_special.resize(index + 1);
    is_added.resize(index + 1);
  }
  if (subwords[index].empty()) subwords[index] = token.content;
  added_ids.insert_or_assign(token.content, resolved.id);
  is_added[index] = true;
  if (token.special) mark_special(resolved.id);
  if (config.compat == Compat::google) return;
  if (token.normalized) {
    std::string form =
        composed ? composed->normalized(token.content) : NormalizedText(token.content, characters).text();
    if (form.empty()) throw Error(name, ": the added token ", token.content, " is empty after normalization");
    if (composed) forms.insert_or_assign(resolved.id, form);
    literals.first_bytes += form[0];
    literals.cross_spaces |=
        token.lstrip || token.rstrip || form.find_first_of(" \t\n\r") != std::string::npos;
    literals.normalized.add(resolved, std::move(form));
  } else {
    literals.original.add(resolved, token.content);
  }
}

// Encodes the text between tokens that are searched for in the original text.
template <class Encoder>
void Tokenizer::Impl::encode_part(std::string_view text, size_t base, Encoder& encoder) const {
  encoder.set_base(base);
  if (literals.normalized.empty()) {
    normalize(characters, text, encoder);
    encoder.end_word();
    return;
  }
  const NormalizedText normalized(text, characters);
  AddedTokens::Search search(literals.normalized, normalized.text());
  size_t at = 0;
  while (const auto match = search.next()) {
    if (at < match->begin) normalized.replay(at, match->begin, encoder);
    encoder.added(match->id, normalized.source(match->begin, match->end));
    at = match->end;
  }
  normalized.replay(at, normalized.text().size(), encoder);
  encoder.end_word();
}

// Removes the spaces at both ends of the tokens' byte offsets, but not the one space that the first token
// got. A token that takes white space to its left or right has lost it after that.
void Tokenizer::Impl::trim_added(std::string_view text, Tokens& tokens, size_t first) const {
  const size_t base = tokens.ids.size() - tokens.offsets.size();
  for (size_t i = first; i < tokens.offsets.size(); ++i) {
    if (!is_added[tokens.ids[base + i]]) continue;
    auto& [begin, end] = tokens.offsets[i];
    const bool keeps_one = config.trim_offsets->add_prefix_space && (i == first || begin == 0);
    const std::string_view all = text.substr(begin, end - begin), inner = without_white_space(all);
    const auto leading = static_cast<size_t>(inner.data() - all.data());
    end = begin + static_cast<uint32_t>(leading + inner.size());
    if (!keeps_one || count_code_points(all.substr(0, leading)) != 1) begin += leading;
  }
}

// The same for all other tokens, in the unit that was asked for: as in Hugging Face's library, a space counts
// 1 whatever it came from.
void Tokenizer::Impl::trim(Tokens& tokens, size_t first) const {
  const size_t base = tokens.ids.size() - tokens.offsets.size(), size = kSpaceByte.size();
  for (size_t i = first; i < tokens.offsets.size(); ++i) {
    const auto id = tokens.ids[base + i];
    if (is_added[id]) continue;
    const std::string_view token = subwords[id];
    uint32_t leading = 0, trailing = 0;
    for (size_t at = 0; token.substr(at).starts_with(kSpaceByte); at += size) ++leading;
    for (size_t left = token.size(); token.substr(0, left).ends_with(kSpaceByte); left -= size) ++trailing;
    auto& [begin, end] = tokens.offsets[i];
    const bool keeps_one = config.trim_offsets->add_prefix_space && (i == first || begin == 0);
    if (!keeps_one || leading > 1) begin = std::min(begin + leading, end);
    if (trailing > 0 && end >= trailing) end = std::max(end - trailing, begin);
  }
}

template <bool kAligned>
void Tokenizer::Impl::encode(std::string_view text, Wanted wanted, Tokens& tokens) const {
  if (composed) return composed->encode(text, literals, wanted, tokens);
  const WordEncoderSettings settings{.wordpiece = wordpiece,
                                     .subwords = subwords,
                                     .prefix_size = config.prefix.size(),
                                     .max_word_chars = static_cast<size_t>(config.max_word_chars),
                                     .unk = unk};
  WordEncoder<kAligned> encoder(settings, wanted, tokens);
  AddedTokens::Search search(literals.original, text);
  size_t at = 0;
  while (const auto match = search.next()) {
    if (at < match->begin) encode_part(text.substr(at, match->begin - at), at, encoder);
    encoder.set_base(0);
    encoder.added(match->id, {static_cast<uint32_t>(match->begin), static_cast<uint32_t>(match->end)});
    at = match->end;
  }
  encode_part(text.substr(at), at, encoder);
}

Tokenizer::Tokenizer(std::vector<std::string> subwords, TokenizerConfig config, const std::string& name)
    : impl_(std::make_unique<const Impl>(std::move(subwords), std::move(config), std::nullopt, name)) {}
Tokenizer::Tokenizer(std::vector<std::string> subwords, TokenizerConfig config, Composition composition,
                     const std::string& name)
    : impl_(std::make_unique<const Impl>(std::move(subwords), std::move(config), std::move(composition),
                                         name)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

const TokenizerConfig& Tokenizer::config() const { return impl_->config; }

void Tokenizer::encode(std::string_view text, Wanted wanted, Tokens& tokens) const {
  if (text.size() > std::numeric_limits<uint32_t>::max()) throw Error("a text is longer than 4 GiB");
  if (wanted.offsets == Offsets::none) {
    impl_->encode<false>(text, wanted, tokens);
    return;
  }
  const size_t before = tokens.offsets.size();
  impl_->encode<true>(text, wanted, tokens);
  if (impl_->config.trim_offsets) impl_->trim_added(text, tokens, before);
  if (wanted.offsets == Offsets::chars) count_in_code_points(text, std::span(tokens.offsets).subspan(before));
  if (impl_->config.trim_offsets && impl_->composed) impl_->trim(tokens, before);
}

int32_t Tokenizer::size() const { return impl_->subwords.size(); }

std::string_view Tokenizer::subword(int32_t id) const {
  if (id < 0 || id >= size()) throw Error("there is no token ", id, "; the vocabulary has ", size());
  return impl_->subwords[id];
}

std::optional<int32_t> Tokenizer::id(std::string_view subword) const { return impl_->id(subword); }
int32_t Tokenizer::unk() const { return impl_->unk; }
int32_t Tokenizer::cls() const { return impl_->special(impl_->cls, "classification"); }
int32_t Tokenizer::sep() const { return impl_->special(impl_->sep, "separator"); }
int32_t Tokenizer::pad() const { return impl_->special(impl_->pad, "padding"); }
int32_t Tokenizer::mask() const { return impl_->special(impl_->mask, "mask"); }

bool Tokenizer::is_special(int32_t id) const { return id >= 0 && id < size() && impl_->is_special[id]; }

bool Tokenizer::is_added(int32_t id) const { return id >= 0 && id < size() && impl_->is_added[id]; }

bool Tokenizer::continues_word(int32_t id) const {
  if (impl_->composed)
    return !subword(id).starts_with(impl_->composed->word_mark()) && !is_special(id) && !is_added(id);
  const std::string& prefix = impl_->config.prefix;
  return !prefix.empty() && subword(id).starts_with(prefix) && !is_added(id);
}

bool Tokenizer::joins(int32_t before, int32_t id) const {
  return !impl_->composed || impl_->composed->joins(subword(before), subword(id));
}

std::string Tokenizer::decode(std::span<const int32_t> ids, Specials specials) const {
  if (impl_->composed) {
    std::vector<std::string_view> tokens;
    for (const int32_t id : ids) {
      const std::string_view token = subword(id);
      const auto form = impl_->forms.find(id);
      if (specials == Specials::keep || !is_special(id))
        tokens.push_back(form != impl_->forms.end() ? std::string_view(form->second) : token);
    }
    return impl_->composed->joined(tokens);
  }
  std::string text;
  Decoder decoder(impl_->config.prefix, impl_->config.decode_cleanup, text);
  for (const int32_t id : ids) {
    const std::string_view token = subword(id);
    if (specials == Specials::keep || !is_special(id)) decoder.add(token);
  }
  return text;
}

}  // namespace bert::text
