// Adds the cluster of each record. Records are written after the last one has been read; until then they are
// in a temporary file.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/filter.h"
#include "io/record_index.h"
#include "search/cluster_terms.h"
#include "search/clustering.h"
#include "search/collected_vectors.h"
#include "search/options.h"
#include "search/results.h"
#include "text/terms.h"

namespace bert::search {

class ClusterFilter final : public io::Filter {
 public:
  // References must outlive this object. options.clusters or options.communities must be given.
  ClusterFilter(const Options& options, Pool& pool, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record& record) const override { return record.work_as<WithVector>().cost; }
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, io::Output& out) const override;
  bool release(Ending ending, io::Output& out) override;
  void all_read(int64_t records) override { vectors_.all_read(records); }
  void report_truncated(int64_t records) const override { vectors_.report_truncated(records); }
  void report(Log& log) const override { vectors_.report(log); }

 private:
  struct Line {
    uint64_t offset;  // in spool_
    int64_t row;      // of the vectors collected; -1: the text is empty
    size_t size;
  };
  struct Clustered;
  void store(const io::Record& record);
  void add_terms(std::span<io::Record* const> records);
  bool cluster();
  Clustering by_k_means(const Vectors& vectors);
  Clustering by_threshold(const Vectors& vectors);
  void describe(const Vectors& vectors);
  void select_central();
  bool append(const Line& line, io::Output& out);
  struct Place {
    int32_t cluster = 0;
    float distance = 0;
    int64_t rank = 0;
    double silhouette = 0;
  };
  Place place_of(const Line& line) const;
  enum class Run { first, again };
  void write(const io::Record& record, const Place& place, Run run, io::Output& out) const;

  const Options options_;
  Pool& pool_;
  Log& log_;
  CollectedVectors vectors_;
  const io::DropList drop_, drop_again_;  // the second of a record with an earlier cluster
  std::deque<io::Source> sources_;        // of the records
  io::Spool spool_;                       // the records
  std::vector<Line> lines_;
  int64_t empty_ = 0;  // of lines_, with empty texts
  std::string bytes_;  // of a record
  io::Output tried_;
  std::optional<Clustering> clustering_;
  std::vector<double> silhouettes_;  // of rows; may be empty
  ClusterTerms terms_;
  std::vector<text::TermSplitter> splitters_;  // of the threads
  std::vector<std::string> cluster_terms_;     // JSON, of each cluster
  size_t next_ = 0;                            // line to write
  std::string failure_;  // of a record; thrown after the records before it have been written
};

}  // namespace bert::search
