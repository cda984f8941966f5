#include "text/bpe.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <queue>
#include <utility>

#include "base/error.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

constexpr size_t kFewSymbols = 32;  // up to here, looking at all pairs for each merge is faster than a heap

uint64_t key_of(int32_t first, int32_t second) {
  return static_cast<uint64_t>(first) << 32 | static_cast<uint32_t>(second);
}

size_t slot_of(uint64_t pair, size_t slots) { return (pair * 0x9E3779B97F4A7C15) >> 20 & (slots - 1); }

bool is_printable_byte(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

}  // namespace

const std::array<std::string, 256>& byte_characters() {
  static const std::array<std::string, 256> kCharacters = [] {
    std::array<std::string, 256> characters;
    char32_t next = 256;
    for (int byte = 0; byte < 256; ++byte)
      append(characters[byte], is_printable_byte(byte) ? static_cast<char32_t>(byte) : next++);
    return characters;
  }();
  return kCharacters;
}

void append_bytes_of(std::string_view token, std::string& bytes) {
  static const std::unordered_map<std::string_view, char> kBytes = [] {
    std::unordered_map<std::string_view, char> by_character;
    for (size_t byte = 0; byte < 256; ++byte)
      by_character.emplace(byte_characters()[byte], static_cast<char>(byte));
    return by_character;
  }();
  const size_t before = bytes.size();
  for (size_t at = 0; at < token.size();) {
    const uint32_t size = decode(token.data() + at).size;
    const auto found = kBytes.find(token.substr(at, size));
    if (found == kBytes.end()) {
      bytes.resize(before);
      bytes += token;
      return;
    }
    bytes += found->second;
    at += size;
  }
}

Bpe::Bpe(std::span<const std::string> subwords, BpeData data) : data_(std::move(data)) {
  std::unordered_map<std::string_view, int32_t> ids;
  for (size_t i = 0; i < subwords.size(); ++i) {
    const std::string& subword = subwords[i];
    if (subword.empty()) continue;
    ids.insert_or_assign(subword, static_cast<int32_t>(i));
    const CodePoint first = decode(subword.data());
    if (first.size == subword.size()) characters_.insert_or_assign(first.value, static_cast<int32_t>(i));
  }
  const auto id_of = [&](std::string_view token, const auto&... what) {
    const auto found = ids.find(token);
    if (found == ids.end()) throw Error(what..., token, ", which is not in the vocabulary");
    return found->second;
  };
  for (size_t byte = 0; byte < 256 && data_.bytes; ++byte)
    bytes_[byte] = id_of(byte_characters()[byte], "byte ", byte, " has the token ");
  const auto merges = std::exchange(data_.merges, {});
  merges_.resize(std::bit_ceil(4 * merges.size() + 16));
  uint32_t rank = 0;
  for (const auto& [first, second] : merges) {
    const int32_t a = id_of(first, "merge ", rank, " has "), b = id_of(second, "merge ", rank, " has ");
    const int32_t both = id_of(first + second, "merge ", rank, " makes ");
    const uint64_t pair = key_of(a, b);
    size_t slot = slot_of(pair, merges_.size());
    while (merges_[slot].pair != kNoPair && merges_[slot].pair != pair)
      slot = (slot + 1) & (merges_.size() - 1);
    merges_[slot] = {pair, rank++, both};  // a repeated merge has its last rank, as in Hugging Face
  }
}

const Bpe::Merge& Bpe::find(int32_t first, int32_t second) const {
  const uint64_t pair = key_of(first, second);
  size_t slot = slot_of(pair, merges_.size());
  while (merges_[slot].pair != pair && merges_[slot].pair != kNoPair)
    slot = (slot + 1) & (merges_.size() - 1);
  return merges_[slot];
}

void Bpe::split(std::string_view word, std::vector<Part>& parts) const {
  const size_t first = parts.size();
  add_symbols(word, parts);
  if (parts.size() - first <= kFewSymbols)
    merge_few(parts, first);
  else
    merge_many(parts, first);
}

void Bpe::add_symbols(std::string_view word, std::vector<Part>& parts) const {
  if (data_.bytes) {
    uint32_t at = 0;
    for (const char byte : word) {
      parts.push_back({bytes_[static_cast<uint8_t>(byte)], at, at + 1});
      ++at;
    }
    return;
  }
  bool fuses = false;
  for (uint32_t at = 0; at < word.size();) {
    const CodePoint code = decode(word.data() + at);
    const uint32_t end = at + code.size;
    const auto found = characters_.find(code.value);
    const bool known = found != characters_.end();
    if (!known && fuses)
      parts.back().end = end;
    else
      parts.push_back({known ? found->second : data_.unk, at, end});
    fuses = !known && data_.fuse_unk;
    at = end;
  }
}

void Bpe::merge_few(std::vector<Part>& parts, size_t first) const {
  Part* const symbols = parts.data() + first;
  std::array<const Merge*, kFewSymbols> pairs;  // of a symbol and the next one
  size_t count = parts.size() - first;
  for (size_t i = 0; i + 1 < count; ++i) pairs[i] = &find(symbols[i].id, symbols[i + 1].id);
  while (count > 1) {
    size_t best = 0;
    for (size_t i = 1; i + 1 < count; ++i)
      if (pairs[i]->rank < pairs[best]->rank) best = i;
    if (pairs[best]->rank == kNoRank) break;
    symbols[best] = {pairs[best]->id, symbols[best].begin, symbols[best + 1].end};
    std::copy(symbols + best + 2, symbols + count, symbols + best + 1);
    --count;
    std::copy(pairs.begin() + best + 1, pairs.begin() + count, pairs.begin() + best);
    if (best + 1 < count) pairs[best] = &find(symbols[best].id, symbols[best + 1].id);
    if (best > 0) pairs[best - 1] = &find(symbols[best - 1].id, symbols[best].id);
  }
  parts.resize(first + count);
}

void Bpe::merge_many(std::vector<Part>& parts, size_t first) const {
  struct Candidate {
    uint32_t rank, at;
    int32_t first, second;
    bool operator>(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };
  // A merged symbol stays where its first part was; the places of its other parts have no id.
  constexpr int32_t kGone = -1;
  const std::span<Part> symbols = std::span(parts).subspan(first);
  const auto size = static_cast<uint32_t>(symbols.size());
  std::vector<uint32_t> next(size), before(size);
  for (uint32_t i = 0; i < size; ++i) {
    next[i] = i + 1;
    before[i] = i - 1;
  }
  const auto candidate = [&](uint32_t at) -> std::optional<Candidate> {
    if (next[at] == size) return std::nullopt;
    const int32_t left = symbols[at].id, right = symbols[next[at]].id;
    const Merge& merge = find(left, right);
    if (merge.rank == kNoRank) return std::nullopt;
    return Candidate{merge.rank, at, left, right};
  };
  std::vector<Candidate> candidates;
  for (uint32_t i = 0; i < size; ++i)
    if (const auto found = candidate(i)) candidates.push_back(*found);
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> heap({}, std::move(candidates));
  const auto push = [&](uint32_t at) {
    if (const auto found = candidate(at)) heap.push(*found);
  };
  while (!heap.empty()) {
    const Candidate best = heap.top();
    heap.pop();
    const uint32_t at = best.at, other = next[at];
    if (symbols[at].id != best.first || other == size || symbols[other].id != best.second)
      continue;  // outdated
    symbols[at].id = find(best.first, best.second).id;
    symbols[at].end = symbols[other].end;
    symbols[other].id = kGone;
    next[at] = next[other];
    if (next[at] < size) before[next[at]] = at;
    if (at > 0) push(before[at]);
    push(at);
  }
  const auto is_gone = [](const Part& part) { return part.id == kGone; };
  const auto left = std::remove_if(symbols.begin(), symbols.end(), is_gone);
  parts.resize(parts.size() - (symbols.end() - left));
}

}  // namespace bert::text
