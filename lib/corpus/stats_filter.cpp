#include "corpus/stats_filter.h"

#include <algorithm>
#include <array>

#include "json/json.h"

namespace bert::corpus {
namespace {

features::FeatureOptions whole_texts(features::FeatureOptions options) {
  options.max_length = {};
  options.wanted = {};
  options.count_characters = true;
  return options;
}

// 0 if the divisor is 0.
float ratio(int64_t count, int64_t of) {
  return of == 0 ? 0.0f : static_cast<float>(static_cast<double>(count) / static_cast<double>(of));
}

}  // namespace

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
  prepared->length = static_cast<int64_t>(features.ids.size());
  for (const auto part : {features.first, features.second}) {
    const auto begin = features.ids.begin() + part.begin, end = features.ids.begin() + part.end;
    prepared->tokens += end - begin;
    prepared->unknown += std::count(begin, end, tokenizer_.unk());
  }
  prepared->characters = features.characters;
  record.work = std::move(prepared);
}

void StatsFilter::finish(io::Record& record, std::string&) const {
  const auto& prepared = record.work_as<Prepared>();
  const std::lock_guard lock(mutex_);
  totals_.lengths.add(prepared.length);
  totals_.tokens += prepared.tokens;
  totals_.unknown += prepared.unknown;
  totals_.characters += prepared.characters;
  if (max_length_ && prepared.length > *max_length_) ++totals_.too_long;
}

void StatsFilter::end(std::string& out) {
  json::Object object(out);
  object.integer("records", totals_.lengths.count());
  object.integer("characters", totals_.characters);
  object.integer("tokens", totals_.tokens);
  object.integer("unknown", totals_.unknown);
  object.number("unknown_rate", ratio(totals_.unknown, totals_.tokens));
  object.number("characters_per_token", ratio(totals_.characters, totals_.tokens));
  if (max_length_) {
    object.integer("max_length", *max_length_);
    object.integer("longer", totals_.too_long);
  }
  append_lengths(object.key("length"));
  json::append_array(
      object.key("histogram"), totals_.lengths.buckets(), [](std::string& text, const auto& bucket) {
        json::append_array(text, std::array{bucket.first, bucket.last, bucket.count}, json::append_integer);
      });
  object.end();
  out += '\n';
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
