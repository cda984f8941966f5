// CoNLL format, as in the shared tasks: one word per line in columns, a blank line after each sentence.
//
//   -DOCSTART- -X- -X- O      starts a document: not a word, and ends the previous sentence
//
//   EU NNP B-NP B-ORG         {"words":["EU","rejects"],"tags":["B-ORG","O"]}
//   rejects VBZ B-VP O
//
// CoNLL-U has ten columns separated by TAB, where words may contain spaces, and more kinds of lines
// (universaldependencies.org/format.html):
//
//   # text = Don't!           a comment
//   1-2  Don't  _  _  ...     the spelling of words 1 and 2: left out
//   1    Do     do AUX ...
//   1.1  it     _  _  ...     an empty node, which is not in the text: left out
//
// CoNLL-U Plus has other columns, which its first line names (universaldependencies.org/ext-format.html):
//
//   # global.columns = ID FORM UPOS PARSEME:MWE
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bert::io {

inline constexpr std::string_view kOutside = "O";  // tag of words outside entities

// Splits at white space.
std::vector<std::string_view> columns_of(std::string_view line);
// Splits at each TAB.
std::vector<std::string_view> cells_of(std::string_view line);

// Tags of entities: "B-PER"; with the prefixes of IOB, IOBES and BILOU. Parts of speech have none.
bool has_prefix(std::string_view tag);
bool is_entity_tag(std::string_view tag);  // has a prefix, or is O, "B" or "I"

bool is_conll_document(std::string_view line);  // -DOCSTART-, or "# newdoc" of CoNLL-U
// A comment such as "# sent_id = 7", before the first word of a sentence. The "=" distinguishes it from a
// word "#".
bool is_conll_comment(std::string_view line);
// Also any other line that begins with "# " and is not like `row`, one of the rows: it has another number of
// columns, or has no tag of an entity where the row has one. If no row is known (""), a line of more than
// three columns without such a tag.
bool is_conll_comment(std::string_view line, std::string_view row);
// Whether a line can be the first of a sentence: ten columns separated by TAB, the id is 1, 1-N or 0.1.
bool is_conllu_row(std::string_view line);

// A column as a user names it: by its number or, of CoNLL-U, by its name. Tags may also be the value of a key
// in MISC: "misc:ner".
struct ConllColumn {
  size_t index = 0;       // from 0
  std::string name = {};  // "": by its number

  bool operator==(const ConllColumn&) const = default;
};

// Which columns are read, from 0.
struct ConllColumns {
  size_t word = 0;
  std::optional<size_t> tag = {};       // nullopt: the last one, unless it has the words
  std::string tag_key = {};             // the tag is the value of this key in the column; "": all of it
  std::string tag_field = "tags";       // of the record
  bool universal = false;               // CoNLL-U
  std::vector<std::string> names = {};  // of all columns of CoNLL-U
  std::optional<size_t> id = {};        // the one that tells ranges and empty nodes from words
  bool written_back = false;            // lines between sentences are kept, see conll_lines.h
  std::string row = {};                 // the first one of the FILE that does not begin with "#"; ""

  // Sets `universal` and what follows from the names: which columns have the words and the tags by default.
  void set_names(std::vector<std::string> columns);
  std::optional<size_t> find(std::string_view name) const;  // a column of CoNLL-U by its name, in any case
  // False if there is no column of that name.
  bool take_word(const ConllColumn& column);
  bool take_tag(const ConllColumn& column);
  // Takes those columns if a FILE of this form can have them: in CoNLL-U, columns with a name; in other
  // CoNLL, those with a number.
  void take_usual(const std::optional<ConllColumn>& words, const std::optional<ConllColumn>& tags);
};

inline constexpr std::string_view kFormColumn = "form", kUposColumn = "upos", kMiscColumn = "misc";
inline constexpr size_t kConlluColumns = 10;
std::vector<std::string> conllu_names();  // of the columns of CoNLL-U
// The names in the first line of CoNLL-U Plus; none: it is another line.
std::vector<std::string> conllu_plus_names(std::string_view line);

// The columns of a line.
std::vector<std::string_view> conll_columns(std::string_view line, const ConllColumns& read);
// Whether a line of CoNLL-U is a comment; a word may begin with "#" if there is no column before it.
bool is_conllu_comment(std::string_view line, const ConllColumns& read);
// Whether a line of a sentence is a word, unlike a comment, a range or an empty node of CoNLL-U.
bool is_conll_word(std::string_view line, const ConllColumns& read);
// The value of a key in MISC, such as B-PER in "SpaceAfter=No|ner=B-PER"; nullopt if the key is absent.
std::optional<std::string_view> misc_value(std::string_view misc, std::string_view key);

// Converts the tags of a sentence from IOB1, which the shared task of 2003 uses, to BIO: an I- that does not
// follow a tag of its type becomes B-. Other tags are unchanged, and so are those of a sentence with other
// tags than those of entities: "I" may be a part of speech.
//
//   I-PER I-PER B-PER O I-LOC   ->   B-PER I-PER B-PER O B-LOC
std::vector<std::string> bio_of(std::span<const std::string_view> tags);

// The tagging schemes that the sentences of a corpus show. Any thread may add one.
class TagSchemes {
 public:
  void add(std::span<const std::string_view> tags) const;
  // "IOBES and BIO", if no scheme permits all sentences; else "".
  std::string mixture() const;

 private:
  mutable std::atomic<unsigned> seen_ = 0;
};

// The JSON record for the lines of a sentence. Counts the lines in `line`: on Error, `line` is the index of
// the bad line, from 0. `encoding`: see StreamOptions.
std::string conll_record(std::string_view sentence, const ConllColumns& columns, int64_t& line,
                         std::string_view encoding);

}  // namespace bert::io
