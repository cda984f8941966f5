#include "corpus/full_sentences.h"

#include <utility>

namespace bert::corpus {

void FullSentences::add(const Document& document, std::vector<Packed>& complete) {
  begun_ = 0;
  for (size_t i = 0; i < document.sentences(); ++i) {
    const auto sentence =
        std::span(document.ids).subspan(document.begins[i], document.begins[i + 1] - document.begins[i]);
    const bool separated = i == 0 && !open_.ids.empty();
    const auto length = std::ssize(open_.ids) + (separated ? 1 : 0) + std::ssize(sentence);
    if (open_.ids.empty() || length > target_) {
      if (Packed packed; take_rest(packed)) complete.push_back(std::move(packed));
      begin(document, sentence);
      continue;
    }
    if (separated) open_.ids.push_back(separator_);
    open_.ids.insert(open_.ids.end(), sentence.begin(), sentence.end());
  }
}

void FullSentences::begin(const Document& document, std::span<const int32_t> sentence) {
  const uint64_t place = document.place, number = begun_++;
  Random random(seed_, {kPairStream, place, number});
  const int64_t room = rule_.max_length - 2;
  target_ = draw_length(rule_, room, random).tokens;
  while (std::ssize(sentence) > room) shorten(sentence, random);
  open_ = {.ids = {sentence.begin(), sentence.end()},
           .document = document.place,
           .number = static_cast<int64_t>(number),
           .id = document.id};
}

bool FullSentences::take_rest(Packed& packed) {
  packed = std::exchange(open_, {});
  return !packed.ids.empty();
}

}  // namespace bert::corpus
