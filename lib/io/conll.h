// Words in columns, as in the CoNLL shared tasks: a word a line, a blank line behind each sentence.
//
//   -DOCSTART- -X- -X- O      a document begins; this is no word and ends the sentence before
//
//   EU NNP B-NP B-ORG         {"words":["EU","rejects"],"tags":["B-ORG","O"]}
//   rejects VBZ B-VP O
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bert::io {

// What stands between white space.
std::vector<std::string_view> columns_of(std::string_view line);

bool is_conll_document(std::string_view line);  // -DOCSTART-
// "# sent_id = 7", before the first word of a sentence. A word "#" has no = behind it.
bool is_conll_comment(std::string_view line);

// The JSON record of a sentence's lines: the first column is the word, the last the tag; of a single column
// there are no tags. Counts the lines in `line`, which at an Error is the place of the wrong one, from 0.
std::string conll_record(std::string_view sentence, int64_t& line);

}  // namespace bert::io
