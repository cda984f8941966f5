// Output of bert-tokenize: JSON arrays of equal length, or a line of text.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "text/tokenizer.h"

namespace bert::corpus {

void append_subwords(std::string& out, const text::Tokenizer& tokenizer, std::span<const int32_t> ids);
void append_spans(std::string& out, std::span<const text::Span> spans);  // [[0,0],[0,5]]
void append_words(std::string& out, std::span<const int32_t> words);     // features::kNoWord becomes null

void append_id_line(std::string& out, std::span<const int32_t> ids);  // "101 7592 102\n"
void append_subword_line(std::string& out, const text::Tokenizer& tokenizer, std::span<const int32_t> ids);

}  // namespace bert::corpus
