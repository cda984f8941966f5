#include "text/context.h"

#include <algorithm>

#include "text/characters.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

Span span_of(size_t begin, uint32_t size) {
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + size)};
}

// The code points of a run in text order.
struct Run {
  std::vector<Decomposed> parts;
  std::vector<Span> sources;  // one for each part with `first` set
  Span base;                  // source of the parts before the first such part
};

// Prepends the marks before `at` to the run, back to and including those of the base character.
void add_marks_before(std::string_view text, size_t at, const CharacterRules& rules, Run& run) {
  run.base = span_of(at, 0);
  for (size_t end = at; end > 0;) {
    const CodePoint code = decode_before(text, end);
    end -= code.size;
    if (rules.is_removed(code.value)) continue;
    std::vector<Decomposed> parts;
    decompose(code.value, rules, parts);
    const auto last_starter = std::find_if(parts.rbegin(), parts.rend(),
                                           [](const Decomposed& part) { return part.combining_class == 0; });
    run.parts.insert(run.parts.begin(), last_starter.base(), parts.end());
    if (last_starter != parts.rend()) {
      run.base = span_of(end, code.size);
      return;
    }
    run.sources.insert(run.sources.begin(), span_of(end, code.size));
  }
}

// Appends the code point at `at` and all marks after it; returns the end of the run.
size_t add_marks_from(std::string_view text, size_t at, const CharacterRules& rules, Run& run) {
  for (const size_t begin = at; at < text.size();) {
    const CodePoint code = decode(text.data() + at);
    if (!rules.is_removed(code.value)) {
      std::vector<Decomposed> parts;
      decompose(code.value, rules, parts);
      if (at != begin && parts.front().combining_class == 0) break;
      run.parts.insert(run.parts.end(), parts.begin(), parts.end());
      run.sources.push_back(span_of(at, code.size));
    }
    at += code.size;
  }
  return at;
}

// Canonical ordering (Unicode, D109): starters stay in place, marks between two starters are sorted stably.
void sort_marks(std::vector<Decomposed>& parts) {
  const auto is_starter = [](const Decomposed& part) { return part.combining_class == 0; };
  for (auto begin = parts.begin(); begin != parts.end();) {
    const auto end = std::find_if(begin, parts.end(), is_starter);
    std::stable_sort(begin, end, [](const Decomposed& a, const Decomposed& b) {
      return a.combining_class < b.combining_class;
    });
    begin = end == parts.end() ? end : end + 1;
  }
}

}  // namespace

Reordered reorder(std::string_view text, size_t at, const CharacterRules& rules) {
  Run run;
  std::vector<Decomposed> own;
  decompose(decode(text.data() + at).value, rules, own);
  if (own.front().combining_class != 0) add_marks_before(text, at, rules, run);
  Reordered result;
  result.end = add_marks_from(text, at, rules, run);
  sort_marks(run.parts);

  // Hugging Face aligns by position: each `first` part, wherever sorting has put it, gets the next code point
  // of the text as its source; all other parts get the source of the part before them.
  Span source = run.base;
  auto next = run.sources.begin();
  std::vector<Unit> units;
  for (const Decomposed& part : run.parts) {
    if (part.first) source = *next++;
    units.clear();
    finish(part.value, rules, units);
    for (const Unit& unit : units) result.placed.push_back({unit, source});
  }
  return result;
}

bool is_final_sigma(std::string_view text, size_t at, const CharacterRules& rules) {
  const auto is_passed_over = [&rules](char32_t c) { return rules.is_removed(c) || is_case_ignorable(c); };
  bool cased_before = false;
  for (size_t end = at; end > 0 && !cased_before;) {
    const CodePoint code = decode_before(text, end);
    end -= code.size;
    if (is_passed_over(code.value)) continue;
    if (!is_cased(code.value)) break;
    cased_before = true;
  }
  if (!cased_before) return false;
  for (size_t next = at + decode(text.data() + at).size; next < text.size();) {
    const CodePoint code = decode(text.data() + next);
    next += code.size;
    if (!is_passed_over(code.value)) return !is_cased(code.value);
  }
  return true;
}

}  // namespace bert::text
