#include "metric/judgments.h"

#include <charconv>
#include <cmath>
#include <span>

#include "base/error.h"
#include "base/option.h"
#include "io/conll.h"
#include "io/pull_reader.h"
#include "io/record_reader.h"
#include "metric/gold.h"

namespace bert::metric {
namespace {

// A file of TREC: its columns, and which of them is a number.
struct Trec {
  std::string_view name, columns;
  size_t count, number;
};

constexpr Trec kRun = {"a TREC run", "query, Q0, document, rank, score and name", 6, 4};
constexpr Trec kJudgments = {"TREC's qrels", "query, iteration, document and relevance", 4, 3};

std::string pair_of(std::string_view query, std::string_view document) {
  std::string pair;
  pack(pair, query);
  return pair.append(document);
}

std::optional<double> number_of(std::string_view text) {
  double number;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && rest == text.data() + text.size();
  return whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

bool is_line_of(const Trec& trec, std::span<const std::string_view> columns) {
  return columns.size() == trec.count && number_of(columns[trec.number]).has_value();
}

std::vector<std::string_view> columns_of(std::string_view line, const Trec& trec) {
  auto columns = io::columns_of(line);
  if (!is_line_of(trec, columns))
    throw Error("expected ", trec.count, " columns, ", trec.columns, " (", trec.name, "); found \"", line,
                "\"");
  return columns;
}

// Text if the first line is one of the file that is expected, or has what files of TREC have in the second
// column.
std::optional<io::InputFormat> recognize(io::Input& input, const Trec& expected, const Trec& other) {
  const auto lines = io::first_lines(input, 1);
  const auto columns = lines.empty() ? std::vector<std::string_view>() : io::columns_of(lines.front());
  if (is_line_of(other, columns))
    throw Error(input.name(), ":1: has the ", other.count, " columns of ", other.name, ", expected the ",
                expected.count, " of ", expected.name, ": ", expected.columns);
  const bool is_trec = columns.size() > 2 && (columns[1] == "Q0" || columns[1] == "0");
  return is_trec || is_line_of(expected, columns) ? std::optional(io::InputFormat::text) : std::nullopt;
}

}  // namespace

void Judgments::add(std::string_view query, std::string_view document, double gain) {
  if (!pairs_.add(pair_of(query, document)).second)
    throw Error("document \"", document, "\" is judged twice for query \"", query, "\"");
  judged_.push_back({.gain = gain, .query = queries_.add(query).first});
}

void Judgments::untake() {
  for (auto& judged : judged_) judged.taken = false;
}

double Judgments::take(std::string_view query, std::string_view document) {
  const auto found = pairs_.find(pair_of(query, document));
  if (!found) return 0;
  judged_[*found].taken = true;
  return judged_[*found].gain;
}

void Judgments::each_left(const std::function<void(std::string_view query, double gain)>& use) const {
  for (const auto& judged : judged_)
    if (!judged.taken) use(queries_.at(judged.query), judged.gain);
}

Judgments read_judgments(const std::string& file, const io::StreamOptions& stream) {
  Judgments judgments(file);
  auto options = io::side_file(stream, file);
  options.header_fields = {std::string(kQueryId), std::string(kDocumentId)};
  options.no_texts = true;
  options.recognize = recognize_judgments;
  io::PullReader reader(options);
  io::RawRecordReader records(options.invalid_utf8, io::OnError::stop);
  for (io::RawRecord raw; reader.next(raw);) {
    records.read(raw, [&](const io::Fields& fields, const io::Record& record) {
      if (record.source().format != io::InputFormat::text)
        return judgments.add(fields.label(kQueryId), fields.label(kDocumentId),
                             fields.number(kDocumentScore));
      const auto line = fields.required_text(options.text_field);
      const auto columns = columns_of(line, kJudgments);
      judgments.add(columns[0], columns[2], *number_of(columns[3]));
    });
  }
  if (judgments.count() == 0) throw Error(file, ": has no records");
  return judgments;
}

std::vector<Ranked> ranked_of(const io::Fields& fields, const io::Record& record, const std::string& id_field,
                              const std::string& text_field) {
  if (record.source().format == io::InputFormat::text) {
    const auto line = fields.required_text(text_field);
    const auto columns = columns_of(line, kRun);
    return {{std::string(columns[0]), std::string(columns[2]), *number_of(columns[4])}};
  }
  if (!fields.has("neighbors"))
    return {{fields.label(kQueryId), fields.label(kDocumentId), fields.number(kDocumentScore)}};
  const auto neighbors = fields.required("neighbors");
  const auto id = find_id(fields, id_field);
  if (!id)
    throw Error("has no \"", kIdField, "\", the query's name in the judgments; ", opt::id_field,
                " names another field");
  std::vector<Ranked> ranked;
  for (const auto& neighbor : neighbors.elements()) {
    const auto document = io::named("neighbors", [&] { return neighbor.member("id").label(); });
    ranked.push_back({*id, document, -static_cast<double>(ranked.size())});
  }
  return ranked;
}

std::optional<io::InputFormat> recognize_run(io::Input& input) { return recognize(input, kRun, kJudgments); }
std::optional<io::InputFormat> recognize_judgments(io::Input& input) {
  return recognize(input, kJudgments, kRun);
}

}  // namespace bert::metric
