// How relevant documents are for queries, and the documents that a search ranked for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "io/record.h"
#include "io/stream.h"

namespace bert::metric {

// Fields of records with one document for a query, as in the files of BEIR.
inline constexpr std::string_view kQueryId = "query-id", kDocumentId = "corpus-id", kDocumentScore = "score";

// Relevance judgments (qrels in TREC), in input order. Memory: the bytes of both ids plus about 50 bytes for
// each.
class Judgments {
 public:
  explicit Judgments(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  int64_t count() const { return static_cast<int64_t>(judged_.size()); }
  bool has_query(std::string_view query) const { return queries_.find(query).has_value(); }
  // Throws Error if the document was judged before.
  void add(std::string_view query, std::string_view document, double gain);
  bool has_taken() const { return std::ranges::any_of(judged_, &Judged::taken); }
  void untake();  // for the next run
  // The gain of a document that was ranked; 0 without a judgment.
  double take(std::string_view query, std::string_view document);
  // Calls `use` for each document that was not taken.
  void each_left(const std::function<void(std::string_view query, double gain)>& use) const;

 private:
  struct Judged {
    double gain;
    uint32_t query;
    bool taken = false;
  };
  std::string path_;
  StringTable queries_, pairs_;
  std::vector<Judged> judged_;  // by number in pairs_
};

// Reads FILE: lines "QUERY ITERATION DOCUMENT GAIN" of TREC, or records with kQueryId, kDocumentId and
// kDocumentScore. `stream` sets how text is read. A bad record throws Error "FILE:LINE: what".
Judgments read_judgments(const std::string& file, const io::StreamOptions& stream);

// A document that a search ranked for a query, with its score.
struct Ranked {
  std::string query, document;
  double score;
};

// The documents of one record: the `neighbors` that bert-search added, in their order; one document, in the
// fields of BEIR; or one in a line "QUERY Q0 DOCUMENT RANK SCORE NAME" of a TREC run.
std::vector<Ranked> ranked_of(const io::Fields& fields, const io::Record& record, const std::string& id_field,
                              const std::string& text_field);

// For StreamOptions::recognize: detects TREC's files.
std::optional<io::InputFormat> recognize_run(io::Input& input);
std::optional<io::InputFormat> recognize_judgments(io::Input& input);

}  // namespace bert::metric
