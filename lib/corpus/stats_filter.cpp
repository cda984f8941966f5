#include "corpus/stats_filter.h"

#include <algorithm>

#include "json/json.h"

namespace bert::corpus {
namespace {

features::FeatureOptions whole_texts(features::FeatureOptions options) {
  options.max_length = {};
  options.wanted = {};
  options.count_characters = true;
  return options;
}

void append_member(std::string& out, std::string_view name, int64_t value) {
  json::append_string(out, name);
  out += ':';
  json::append_integer(out, value);
  out += ',';
}

// Appends a quotient, 0 if the divisor is 0.
void append_ratio(std::string& out, std::string_view name, int64_t count, int64_t of) {
  json::append_string(out, name);
  out += ':';
  json::append_number(
      out, of == 0 ? 0.0f : static_cast<float>(static_cast<double>(count) / static_cast<double>(of)));
  out += ',';
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
  out += '{';
  append_member(out, "records", totals_.lengths.count());
  append_member(out, "characters", totals_.characters);
  append_member(out, "tokens", totals_.tokens);
  append_member(out, "unknown", totals_.unknown);
  append_ratio(out, "unknown_rate", totals_.unknown, totals_.tokens);
  append_ratio(out, "characters_per_token", totals_.characters, totals_.tokens);
  if (max_length_) {
    append_member(out, "max_length", *max_length_);
    append_member(out, "longer", totals_.too_long);
  }
  append_lengths(out);
  append_histogram(out);
  out += "}\n";
}

void StatsFilter::append_lengths(std::string& out) const {
  const auto& lengths = totals_.lengths;
  out += "\"length\":{";
  append_member(out, "min", lengths.min());
  append_member(out, "max", lengths.max());
  append_ratio(out, "mean", lengths.sum(), lengths.count());
  append_member(out, "p50", lengths.quantile(500));
  append_member(out, "p90", lengths.quantile(900));
  append_member(out, "p95", lengths.quantile(950));
  append_member(out, "p99", lengths.quantile(990));
  out.back() = '}';
}

void StatsFilter::append_histogram(std::string& out) const {
  out += ",\"histogram\":[";
  for (const auto& bucket : totals_.lengths.buckets()) {
    out += '[';
    json::append_integer(out, bucket.first);
    out += ',';
    json::append_integer(out, bucket.last);
    out += ',';
    json::append_integer(out, bucket.count);
    out += "],";
  }
  if (out.back() == ',') out.pop_back();
  out += ']';
}

}  // namespace bert::corpus
