#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "base/option.h"
#include "base/string_table.h"
#include "io/conll.h"
#include "metric/score_plot.h"
#include "metric/scorer.h"

namespace bert::metric {
namespace {

enum class Tagging { unknown, entities, plain };  // unknown: only O, "B" and "I"

// What to do if the gold tags are none.
std::string where_gold_is(bool before_last_column) {
  return before_last_column
             ? "in CoNLL, the gold tag is in the last column but one; to read another, use -m MODEL, or " +
                   opt::gold + " FILE with " + opt::tag_column
             : "name the gold tags with " + opt::label_field + ", or those of a CoNLL file with " +
                   opt::tag_column;
}

struct ComparedTags : io::Work {
  Tagging kind = Tagging::unknown;
  std::string tag;              // the first tag that shows the kind
  EntityScore score;            // not of plain tags
  std::string gold, predicted;  // packed; not of entities
  // Packed, of what may be entities, if options ask for pairs: the tags that EntityScore compares.
  std::string bio_gold, bio_predicted;
  int64_t sentences = 0;
  size_t columns = 0;           // of CoNLL
  bool gold_is_before = false;  // in the column before the last one

  void add(std::span<const std::string_view> gold_tags, std::span<const std::string_view> predicted_tags,
           const ScoreOptions& options);

  [[noreturn]] void refuse(std::string_view plain) const;

 private:
  void look_at(std::span<const std::string_view> tags);
};

// With two columns, the word is read as the gold tag.
void ComparedTags::refuse(std::string_view plain) const {
  if (columns == 2)
    throw Error("has 2 columns, which are read as the gold and the predicted tag, but \"", plain,
                "\" is not O, B-TYPE or I-TYPE");
  throw Error("tag \"", plain, "\" is not O, B-TYPE or I-TYPE");
}

void ComparedTags::look_at(std::span<const std::string_view> tags) {
  for (const auto text : tags) {
    const bool entity = io::is_entity_tag(text);
    if (entity && !io::has_prefix(text)) continue;
    const Tagging its = entity ? Tagging::entities : Tagging::plain;
    if (kind == Tagging::unknown) kind = its, tag = text;
    if (kind != its) refuse(entity ? tag : std::string(text));
  }
}

void ComparedTags::add(std::span<const std::string_view> gold_tags,
                       std::span<const std::string_view> predicted_tags, const ScoreOptions& options) {
  require_one_for_each(gold_tags, predicted_tags);
  if (options.scheme) {
    kind = Tagging::entities;
  } else {
    look_at(gold_tags);
    const auto entity = std::ranges::find_if(predicted_tags, io::has_prefix);
    const auto plain = std::ranges::find_if_not(predicted_tags, io::is_entity_tag);
    const bool all_plain = kind == Tagging::entities && entity == predicted_tags.end();
    const auto other = kind == Tagging::plain ? entity : all_plain ? plain : predicted_tags.end();
    if (columns != 2 && other != predicted_tags.end())
      throw Error("has the gold tag \"", tag, "\", but the predicted tag \"", *other, "\"; ",
                  where_gold_is(gold_is_before));
    look_at(predicted_tags);
  }
  ++sentences;
  const auto scheme = options.scheme.value_or(Scheme::lenient);
  if (kind != Tagging::plain) score.add(gold_tags, predicted_tags, scheme);
  if (kind != Tagging::plain && options.pairs) {
    for (const auto& one : bio_tags(gold_tags, scheme)) pack(bio_gold, one);
    for (const auto& one : bio_tags(predicted_tags, scheme)) pack(bio_predicted, one);
  }
  if (kind == Tagging::entities) return;
  for (const auto one : gold_tags) pack(gold, one);
  for (const auto one : predicted_tags) pack(predicted, one);
}

// The last line that cannot be a comment or the start of a document; "" if there is none.
std::string_view last_row(std::string_view sentence) {
  while (!sentence.empty()) {
    const size_t begin = sentence.find_last_of('\n', sentence.size() - 1) + 1;
    if (sentence[begin] != '#' && sentence[begin] != '-') return sentence.substr(begin);
    sentence = sentence.substr(0, begin == 0 ? 0 : begin - 1);
  }
  return sentence;
}

// Entities, or tags without a prefix such as parts of speech.
class TagScorer : public Scorer {
 public:
  explicit TagScorer(const ScoreOptions& options) : Scorer(options) {
    if (options.settled) kind_ = options.settled->plain_tags ? Tagging::plain : Tagging::entities;
  }

  ScoreOptions settled() const override {
    auto options = options_;
    options.settled = {.positive = {}, .labels = {}, .plain_tags = kind_ == Tagging::plain};
    return options;
  }

  std::string gold(const io::Fields& fields) const override {
    std::string packed;
    for (const auto tag : fields.strings(field_)) pack(packed, tag);
    return packed;
  }

  std::unique_ptr<io::Work> compare(std::string_view gold, const io::Fields& fields) const override {
    auto compared = std::make_unique<ComparedTags>();
    gold_schemes_.add(unpack(gold));
    compared->add(unpack(gold), fields.strings("prediction"), options_);
    return compared;
  }

  // The last column is the predicted tag, the one before it or `gold_column` the gold tag. A line that starts
  // with -X- ends a sentence, as in conlleval. Lines that are no words for the other tools are none here.
  std::unique_ptr<io::Work> compare_conll(std::string_view sentence, std::string* gold_tags) const override {
    auto compared = std::make_unique<ComparedTags>();
    std::vector<std::string_view> gold, predicted;
    const auto end_sentence = [&] {
      if (gold.empty()) return;
      gold_schemes_.add(gold);
      compared->add(gold, predicted, options_);
      for (size_t i = 0; gold_tags != nullptr && i < gold.size(); ++i) pack(*gold_tags, gold[i]);
      gold.clear(), predicted.clear();
    };
    const auto row = last_row(sentence);
    while (!sentence.empty()) {
      const size_t end = std::min(sentence.find('\n'), sentence.size());
      const auto line = sentence.substr(0, end);
      const auto words = io::columns_of(line);
      sentence.remove_prefix(std::min(end + 1, sentence.size()));
      if (!io::conllu_plus_names(line).empty() || io::is_conllu_row(line))
        throw Error("is CoNLL-U, with one tag for each word; name the file with the gold tags with ",
                    opt::gold);
      if (gold.empty() && io::is_conll_comment(line, row)) continue;
      if (io::is_conll_document(line) || words.front() == "-X-") {
        end_sentence();
        continue;
      }
      if (words.size() < 2)
        throw Error("the line \"", line,
                    "\" has a single column, expected the gold and the predicted tag at its end");
      compared->columns = words.size();
      const size_t before_last = words.size() - 2;
      const size_t column = std::min(options_.gold_column.value_or(before_last), before_last);
      compared->gold_is_before = column == before_last;
      gold.push_back(words[column]);
      predicted.push_back(words.back());
    }
    end_sentence();
    if (compared->sentences == 0) return nullptr;
    return compared;
  }

  void add(size_t, io::Work& work) override {
    const auto& compared = static_cast<const ComparedTags&>(work);
    settle(compared);
    columns_ = std::max(columns_, compared.columns);
    gold_is_before_ |= compared.gold_is_before;
    sentences_ += compared.sentences;
    evaluation_.entities.merge(compared.score);
    if (kind_ != Tagging::entities) {
      const auto gold = unpack(compared.gold), predicted = unpack(compared.predicted);
      for (size_t i = 0; i < gold.size(); ++i) evaluation_.labels.add(gold[i], predicted[i]);
    }
    const auto gold = unpack(compared.bio_gold), predicted = unpack(compared.bio_predicted);
    for (size_t i = 0; i < gold.size(); ++i) {
      const auto gold_tag = in_letters(gold[i]);  // first, so that gold tags decide on the letters
      bio_pairs_.add(gold_tag, in_letters(predicted[i]));
    }
  }

  void append_counts(Report& report) const override {
    const auto& [labels, entities] = std::tie(evaluation_.labels, evaluation_.entities);
    report.count("records", sentences_);
    report.count("words", evaluation_.plain_tags ? labels.count() : entities.tokens());
  }

  std::string plot() const override {
    return confusion_script(evaluation_.labels, sorted_labels(evaluation_.labels), {}, "word");
  }

  std::vector<std::string> remarks() const override {
    std::vector<std::string> remarks;
    if (const auto doubt = doubt_of_gold(); !doubt.empty())
      remarks.push_back(doubt + " (" + where_gold_is(gold_is_before_) + ")");
    const auto mixture = options_.scheme || kind_ == Tagging::plain ? "" : gold_schemes_.mixture();
    if (!mixture.empty())
      remarks.push_back("gold tags mix the schemes " + mixture +
                        ": a tag that does not continue an entity begins one, unless " + opt::scheme +
                        " names a scheme");
    return remarks;
  }

  std::string advice(std::string_view) const override { return ": tag \"" + tag_ + "\" has no prefix"; }

 private:
  void settle() override {
    evaluation_.plain_tags = kind_ == Tagging::plain;
    if (options_.pairs && !evaluation_.plain_tags) evaluation_.labels = bio_pairs_;
  }

  // Tags of IOBES and BILOU are equal to EntityScore; all are counted with the letters of the first such tag.
  std::string in_letters(std::string_view tag) {
    constexpr std::string_view kIobes = "ES", kBilou = "LU";
    const auto is_of = [tag](std::string_view letters) { return letters.find(tag[0]) != letters.npos; };
    if (letters_.empty() && is_of(kIobes)) letters_ = kIobes;
    if (letters_.empty() && is_of(kBilou)) letters_ = kBilou;
    std::string written(tag);
    if (letters_ == kIobes && is_of(kBilou)) written[0] = kIobes[kBilou.find(tag[0])];
    if (letters_ == kBilou && is_of(kIobes)) written[0] = kBilou[kIobes.find(tag[0])];
    return written;
  }

  // Why the gold tags may be something else, such as the words; "" if they look like tags.
  std::string doubt_of_gold() const {
    constexpr int64_t kFewestWords = 10;
    const auto& [tags, entities] = std::tie(evaluation_.labels, evaluation_.entities);
    const bool is_plain = kind_ == Tagging::plain;
    if (is_plain ? tags.count() >= 2 && tags.disjoint() : entities.disjoint())
      return std::string(kNeverPredicted);
    if (!is_plain && entities.tokens() > 0 && entities.all().gold == 0)
      return std::string("no gold tag is that of an entity") + (options_.scheme ? " of this scheme" : "");
    const bool all_right = (is_plain ? tags.accuracy() : entities.accuracy()) == 1;
    constexpr size_t kColumnsTaggedTwice = 4;  // the word, its gold tag, two predictions
    if (gold_is_before_ && columns_ >= kColumnsTaggedTwice && all_right)
      return "all predicted tags are the gold ones: are those the predictions of an earlier run?";
    if (!is_plain) return "";
    if (tags.count() >= kFewestWords && 2 * tags.gold_labels() > tags.count())
      return std::to_string(tags.count()) + " words have " + std::to_string(tags.gold_labels()) +
             " different gold tags: are they tags?";
    return "";
  }

  // All records must have the kind of tags that the first one shows.
  void settle(const ComparedTags& compared) {
    if (compared.kind == Tagging::unknown || compared.kind == kind_) return;
    if (kind_ == Tagging::entities) compared.refuse(compared.tag);
    if (kind_ == Tagging::plain)
      throw Error("tag \"", compared.tag, "\" has a prefix, but \"", tag_,
                  "\" in an earlier record has none");
    kind_ = compared.kind;
    tag_ = compared.tag;
  }

  io::TagSchemes gold_schemes_;
  Tagging kind_ = Tagging::unknown;
  std::string tag_;           // the first tag that showed the kind
  Classification bio_pairs_;  // of tags of entities
  std::string_view letters_;  // of the ends and single words in bio_pairs_; "": there are none so far
  int64_t sentences_ = 0;
  size_t columns_ = 0;           // of CoNLL
  bool gold_is_before_ = false;  // in the column before the last one
};

}  // namespace

std::unique_ptr<Scorer> make_tag_scorer(const ScoreOptions& options) {
  return std::make_unique<TagScorer>(options);
}

}  // namespace bert::metric
