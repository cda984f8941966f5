#include "corpus/stats_filter.h"

#include <algorithm>
#include <array>
#include <bit>

#include "json/json.h"

namespace bert::corpus {
namespace {

constexpr int64_t kExact = 1024;  // each length below has its own bucket
constexpr int kExactBits = 10;    // log2 of kExact
constexpr int kStepBits = 5;      // 1 << kStepBits buckets for each power of two

// Length 1100 = 10001001100b: the highest bit is bit 10, and the next five bits, 00010b, select the bucket
// 1088 to 1119 of [1024, 2048).
size_t bucket_of(int64_t length) {
  if (length < kExact) return length;
  const int high = std::bit_width(static_cast<uint64_t>(length)) - 1;
  const int64_t step = (length >> (high - kStepBits)) - (1 << kStepBits);
  return kExact + ((high - kExactBits) << kStepBits) + step;
}

int64_t first_of(size_t bucket) {
  const int64_t index = bucket;
  if (index < kExact) return index;
  const int64_t above = index - kExact;
  const int high = static_cast<int>(above >> kStepBits) + kExactBits;
  return ((above & ((1 << kStepBits) - 1)) + (1 << kStepBits)) << (high - kStepBits);
}

features::FeatureOptions whole_texts(features::FeatureOptions options) {
  options.max_length = features::kNoLimit;
  options.wanted = {};
  options.count_characters = true;
  return options;
}

// 0 if the divisor is 0.
float ratio(int64_t count, int64_t of) {
  return of == 0 ? 0.0f : static_cast<float>(static_cast<double>(count) / of);
}

}  // namespace

void LengthHistogram::add(int64_t length) {
  const size_t bucket = bucket_of(length);
  if (bucket >= counts_.size()) counts_.resize(bucket + 1);
  ++counts_[bucket];
  min_ = count_ == 0 ? length : std::min(min_, length);
  max_ = std::max(max_, length);
  sum_ += length;
  ++count_;
}

void LengthHistogram::merge(const LengthHistogram& other) {
  if (other.count_ == 0) return;
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
  for (size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
  count_ += other.count_;
}

int64_t LengthHistogram::quantile(int per_mille) const {
  const int64_t rank = std::max<int64_t>(1, (count_ * per_mille + 999) / 1000);
  int64_t seen = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= rank) return std::min(max_, first_of(i + 1) - 1);
  }
  return 0;
}

std::vector<LengthHistogram::Bucket> LengthHistogram::buckets() const {
  std::vector<Bucket> buckets;
  for (size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] > 0) buckets.push_back({first_of(i), first_of(i + 1) - 1, counts_[i]});
  return buckets;
}

struct StatsFilter::Prepared : io::Work {
  int64_t length = 0, tokens = 0, unknown = 0, characters = 0;
};

StatsFilter::StatsFilter(const text::Tokenizer& tokenizer, features::FeatureOptions options)
    : tokenizer_(tokenizer),
      max_length_(features::with_settings_of(tokenizer, options).max_length),
      featurizer_(tokenizer, whole_texts(std::move(options))) {}

void StatsFilter::prepare(const io::Fields& fields, io::Record& record) const {
  const auto features = featurizer_.features(fields);
  auto prepared = std::make_unique<Prepared>();
  prepared->length = features.ids.size();
  for (const auto part : {features.first, features.second}) {
    const auto begin = features.ids.begin() + part.begin, end = features.ids.begin() + part.end;
    prepared->tokens += end - begin;
    prepared->unknown += std::count(begin, end, tokenizer_.unk());
  }
  prepared->characters = features.characters;
  record.work = std::move(prepared);
}

void StatsFilter::finish(io::Record& record, io::Output&) const {
  const auto& prepared = record.work_as<Prepared>();
  const std::lock_guard lock(mutex_);
  totals_.lengths.add(prepared.length);
  totals_.tokens += prepared.tokens;
  totals_.unknown += prepared.unknown;
  totals_.characters += prepared.characters;
  if (prepared.length > max_length_) ++totals_.too_long;
}

void StatsFilter::end(io::Output& out) {
  io::Added object;
  object.integer("records", totals_.lengths.count());
  object.integer("characters", totals_.characters);
  object.integer("tokens", totals_.tokens);
  object.integer("unknown", totals_.unknown);
  object.number("unknown_rate", ratio(totals_.unknown, totals_.tokens));
  object.number("characters_per_token", ratio(totals_.characters, totals_.tokens));
  if (max_length_ != features::kNoLimit) {
    object.integer("max_length", max_length_);
    object.integer("longer", totals_.too_long);
  }
  append_lengths(object.field("length"));
  json::append_array(
      object.field("histogram"), totals_.lengths.buckets(), [](std::string& text, const auto& bucket) {
        json::append_array(text, std::array{bucket.first, bucket.last, bucket.count}, json::append_integer);
      });
  out.object(object);
}

void StatsFilter::append_lengths(std::string& out) const {
  const auto& lengths = totals_.lengths;
  json::Object object(out);
  object.integer("min", lengths.min());
  object.integer("max", lengths.max());
  object.number("mean", ratio(lengths.sum(), lengths.count()));
  object.integer("p50", lengths.quantile(500));
  object.integer("p90", lengths.quantile(900));
  object.integer("p95", lengths.quantile(950));
  object.integer("p99", lengths.quantile(990));
  object.end();
}

}  // namespace bert::corpus
