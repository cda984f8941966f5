#include "corpus/mask_filter.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "corpus/token_json.h"
#include "features/given_ids.h"
#include "json/json.h"

namespace bert::corpus {
namespace {

// Separates this tool's random streams from other tools'. With those of bert-nsp-pairs and the same seed,
// masked positions would depend on the label.
constexpr uint64_t kMaskStream = 0x6d61736b, kFillStream = 0x66696c6c;

constexpr std::string_view kTokens = "tokens", kPositions = "masked_lm_positions", kIds = "masked_lm_ids";

// Reads a field that locates the record.
uint64_t place_in(const io::Fields& fields, std::string_view field) {
  const int64_t number = fields.integer(field).value();
  if (number < 0) throw Error("field \"", field, "\" is ", number, ", expected a number of at least 0");
  return number;
}

// Masking twice would lose the original ids.
void check_unmasked(const io::Fields& fields) {
  for (const auto field : {kPositions, kIds})
    if (fields.json(field)) throw Error("field \"", field, "\" is present: the record is already masked");
}

Random record_random(const io::Fields& fields, int64_t place, uint64_t seed,
                     std::pair<uint64_t, uint64_t> stream_and_epoch) {
  const auto [stream, epoch] = stream_and_epoch;
  if (fields.json("document") && fields.json("instance"))
    return Random(seed, {stream, epoch, place_in(fields, "document"), place_in(fields, "instance")});
  return Random(seed, {stream, epoch, static_cast<uint64_t>(place)});
}

}  // namespace

Random mask_random(const io::Fields& fields, int64_t place, uint64_t seed, uint64_t epoch) {
  return record_random(fields, place, seed, {kMaskStream, epoch});
}

Random fill_random(const io::Fields& fields, int64_t place, uint64_t seed, uint64_t epoch) {
  return record_random(fields, place, seed, {kFillStream, epoch});
}

// The new fields as JSON text.
struct MaskFilter::Prepared : io::Work {
  io::Added added;
  bool masked = false;
};

MaskFilter::MaskFilter(const text::Tokenizer& tokenizer, MaskOptions options, Log& log)
    : tokenizer_(tokenizer), options_(std::move(options)), masker_(tokenizer, options_.rule), log_(log) {}

void MaskFilter::prepare(const io::Fields& fields, io::Record& record) const {
  auto ids = features::ids_of(tokenizer_, fields);
  check_unmasked(fields);
  features::check_lengths(fields, ids.size(), options_.drop);
  const auto masked = masker_.mask(ids, mask_random(fields, record.place(), options_.seed, options_.epoch));
  auto prepared = std::make_unique<Prepared>();
  // Allocate once: an id takes about six characters with its comma, a position four.
  std::string& text = prepared->added.field("input_ids");
  text.reserve(6 * ids.size() + 10 * masked.size() + 8);
  json::append_integers(text, ids);
  if (fields.json(kTokens) && !options_.drop.contains(kTokens))
    append_subwords(prepared->added.field(kTokens), tokenizer_, ids);
  std::vector<int32_t> members(masked.size());
  const auto add = [&](std::string_view field, int32_t Prediction::*member) {
    std::ranges::transform(masked, members.begin(), member);
    json::append_integers(prepared->added.field(field), members);
  };
  add(kPositions, &Prediction::position);
  add(kIds, &Prediction::id);
  prepared->masked = !masked.empty();
  record.work = std::move(prepared);
}

void MaskFilter::finish(io::Record& record, io::Output& out) const {
  const auto& prepared = record.work_as<Prepared>();
  out.record(record, prepared.added, options_.drop);
  if (!prepared.masked) unmasked_.fetch_add(1, std::memory_order_relaxed);
}

void MaskFilter::end(io::Output&) {
  const int64_t count = unmasked_;
  if (count == 0) return;
  const bool next = options_.rule.target == MaskRule::Target::next;
  log_.warn(counted(count, "record has", "records have") + " no token that can be " +
            (next ? "predicted" : "masked"));
}

}  // namespace bert::corpus
