#include "base/error.h"
#include "base/option.h"
#include "base/string_table.h"
#include "metric/scorer.h"

namespace bert::metric {
namespace {

// A masked token is given by id (from bert-mask) or by text (from a label field).
enum class Kind : char { id = 'i', text = 't' };

struct ComparedMasks : io::Work {
  struct Mask {
    std::optional<int64_t> place;  // rank of the gold token among the candidates
    int64_t candidates;
  };
  std::vector<Mask> masks;
};

class FillScorer : public Scorer {
 public:
  explicit FillScorer(const ScoreOptions& options)
      : Scorer(options),
        has_texts_(options.label_field.has_value()),
        mask_id_(options.mask_id),
        top_k_(options.top_k) {}

  std::string gold(const io::Fields& fields) const override {
    std::string packed;
    if (has_texts_) {
      for (const auto token : fields.strings(field_)) pack(packed, char(Kind::text) + std::string(token));
      return packed;
    }
    const auto ids = fields.integers(field_);
    const auto positions = mask_id_ ? fields.integers("masked_lm_positions") : std::vector<int32_t>();
    const auto tokens = mask_id_ ? fields.integers("input_ids") : std::vector<int32_t>();
    if (mask_id_ && positions.size() != ids.size())
      throw Error("has ", positions.size(), " masked_lm_positions and ", ids.size(), " masked_lm_ids");
    for (size_t i = 0; i < ids.size(); ++i) {
      if (mask_id_ && !is_mask(tokens, positions[i])) continue;
      pack(packed, char(Kind::id) + std::to_string(ids[i]));
    }
    return packed;
  }

  std::unique_ptr<io::Work> compare(std::string_view gold, const io::Fields& fields) const override {
    const auto golds = unpack(gold);
    const auto predictions = fields.strings("prediction");
    if (predictions.size() != golds.size()) mismatch(golds.size(), predictions.size());
    const auto candidates = fields.json("candidates");
    const auto lists = candidates ? candidates->elements() : std::vector<json::Value>();
    if (candidates && lists.size() != golds.size()) mismatch(golds.size(), lists.size());
    auto compared = std::make_unique<ComparedMasks>();
    for (size_t i = 0; i < golds.size(); ++i) {
      const auto token = golds[i].substr(1);
      if (candidates) {
        compared->masks.push_back(find(lists[i], Kind(golds[i][0]), token));
      } else if (Kind(golds[i][0]) == Kind::text) {
        compared->masks.push_back({predictions[i] == token ? std::optional<int64_t>(0) : std::nullopt, 1});
      } else {
        throw Error("field \"candidates\" is missing");  // the text of a token does not determine its id
      }
    }
    return compared;
  }

  void add(size_t, io::Work& work) override {
    ++records_;
    for (const auto& mask : static_cast<const ComparedMasks&>(work).masks)
      evaluation_.places.add(mask.place, mask.candidates);
  }

  ScoreOptions settled() const override {
    auto options = options_;
    options.top_k = evaluation_.top_k;
    return options;
  }

  void append_counts(Report& report) const override {
    report.count("records", records_);
    report.count("masks", evaluation_.places.count());
  }

 private:
  void settle() override {
    const auto& places = evaluation_.places;
    const int64_t k = evaluation_.top_k = top_k_.value_or(places.fewest());
    if (places.count() > 0 && k > places.fewest())
      throw Error(opt::top_k, " ", k, ": the smallest number of candidates of a masked token is ",
                  places.fewest());
  }

  bool is_mask(const std::vector<int32_t>& tokens, int32_t position) const {
    if (position < 0 || static_cast<size_t>(position) >= tokens.size())
      throw Error("masked_lm_positions contains ", position,
                  ", expected positions below the length of input_ids, ", tokens.size());
    return tokens[position] == *mask_id_;
  }

  [[noreturn]] void mismatch(size_t golds, size_t predictions) const {
    throw Error("has ", counted(golds, "masked token", "masked tokens"), " and ",
                counted(predictions, "prediction", "predictions"),
                mask_id_ || has_texts_ ? ""
                                       : "; use " + opt::mask_id +
                                             " to ignore tokens that bert-mask left unchanged or replaced");
  }

  static ComparedMasks::Mask find(const json::Value& list, Kind kind, std::string_view gold) {
    const auto candidates = list.elements();
    ComparedMasks::Mask mask = {.place = {}, .candidates = std::ssize(candidates)};
    for (size_t k = 0; k < candidates.size() && !mask.place; ++k) {
      const auto value = candidates[k].find(kind == Kind::id ? "id" : "token");
      if (!value) throw Error("field \"candidates\" has no ", kind == Kind::id ? "id" : "token");
      const bool same = kind == Kind::id ? std::to_string(value->integer()) == gold : value->string() == gold;
      if (same) mask.place = k;
    }
    return mask;
  }

  bool has_texts_;
  std::optional<int64_t> mask_id_, top_k_;
  int64_t records_ = 0;
};

}  // namespace

std::unique_ptr<Scorer> make_fill_scorer(const ScoreOptions& options) {
  return std::make_unique<FillScorer>(options);
}

}  // namespace bert::metric
