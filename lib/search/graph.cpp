#include "search/graph.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/checksum.h"
#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "base/output_file.h"
#include "search/duplicates.h"
#include "search/hnsw.h"
#include "search/points.h"

namespace bert::search {
namespace {

constexpr std::string_view kAnyMagic = "bert-search graph ";
constexpr std::string_view kMagic = "bert-search graph 3\n";

struct Header {
  uint64_t metric, width, rows, vectors;  // vectors: a checksum
  uint64_t duplicates, entry;             // number; point
};

template <class T>
std::string_view text_of(const T& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])};
}

// A checksum of all numbers. Each block has one of its own, so that all threads can share the work.
uint64_t checksum_of(const Vectors& vectors, Pool& pool) {
  std::vector<nn::Memory> scratch(pool.size());
  std::vector<uint64_t> checksums(vectors.blocks());
  pool.run_grid(vectors.blocks(), [&](int64_t b, int thread) {
    const int64_t rows = std::min(kBlock, vectors.rows() - b * kBlock);
    const float* const numbers = vectors.block(b, scratch[thread]);
    Checksum checksum;
    checksum.add(std::as_bytes(std::span(numbers, rows * vectors.width())));
    checksums[b] = checksum.value();
  });
  Checksum checksum;
  checksum.add(std::as_bytes(std::span(checksums)));
  return checksum.value();
}

Header header_of(const Vectors& vectors, Metric metric, Pool& pool) {
  return {.metric = static_cast<uint64_t>(metric),
          .width = static_cast<uint64_t>(vectors.width()),
          .rows = static_cast<uint64_t>(vectors.rows()),
          .vectors = checksum_of(vectors, pool)};
}

}  // namespace

// Reads a graph file from its beginning.
class GraphSearch::Reader {
 public:
  explicit Reader(const MappedFile& file) : path_(file.path()), whole_(file.text()), rest_(whole_) {}

  std::string_view take(size_t size) {
    if (size > rest_.size()) damaged();
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  template <class T>
  void take(std::span<T> values) {
    std::ranges::copy(take(values.size_bytes()), reinterpret_cast<char*>(values.data()));
  }
  template <class T>
  T take() {
    T value;
    take(std::span(&value, 1));
    return value;
  }
  bool at_end() const { return rest_.empty(); }
  // Checks and takes the checksum at the end of the file.
  void require_whole() {
    uint64_t expected;
    if (rest_.size() < sizeof expected) damaged();
    rest_.remove_suffix(sizeof expected);
    std::memcpy(&expected, rest_.end(), sizeof expected);
    Checksum checksum;
    checksum.add({whole_.begin(), rest_.end()});
    if (checksum.value() != expected) damaged();
  }
  [[noreturn]] void damaged() const { throw Error(path_, ": is damaged; remove it, and it is built again"); }

 private:
  const std::string& path_;
  std::string_view whole_, rest_;
};

struct GraphSearch::Graph {
  // Without links.
  Graph(const Vectors& vectors, Metric metric, std::vector<Duplicate> repeated, Pool& pool)
      : duplicates(std::move(repeated)),
        points(vectors, metric, marked(duplicates, vectors.rows())),
        links(points),
        walks(pool.size()) {}

  void write(Header header, OutputFile& file);
  void read_links(Reader& reader, const Header& header);

  std::vector<Duplicate> duplicates;
  Points points;
  Hnsw links;
  std::vector<Hnsw::Walk> walks;  // for each thread
};

// The header; the duplicates; for each point its level, a byte; the lists of links (hnsw.h); and a checksum.
void GraphSearch::Graph::write(Header header, OutputFile& file) {
  Checksum checksum;
  const auto add = [&](std::string_view bytes) {
    checksum.add(bytes);
    file.write(bytes);
  };
  header.duplicates = duplicates.size();
  header.entry = links.entry();
  add(kMagic);
  add(text_of(std::span(&header, 1)));
  add(text_of(duplicates));
  add(text_of(links.levels()));
  add(text_of(links.lowest()));
  add(text_of(links.upper()));
  const uint64_t value = checksum.value();
  file.write(text_of(std::span(&value, 1)));
  file.commit();
}

void GraphSearch::Graph::read_links(Reader& reader, const Header& header) {
  std::vector<uint8_t> levels(points.size());
  reader.take(std::span(levels));
  if (std::ranges::max(levels) > Hnsw::kHighest) reader.damaged();
  links.set_levels(levels);
  reader.take(links.lowest());
  reader.take(links.upper());
  if (!reader.at_end() || !links.enter(header.entry)) reader.damaged();
}

GraphSearch::GraphSearch(const Vectors& vectors, Metric metric, const GraphOptions& options, Pool& pool,
                         Log& log)
    : vectors_(vectors), metric_(metric), options_(options), pool_(pool) {
  if (!vectors.stays()) throw Error(opt::graph, " requires an index of 32-bit numbers");
  if (vectors.rows() > std::numeric_limits<int32_t>::max())
    throw Error(opt::graph, " is limited to ", std::numeric_limits<int32_t>::max(), " rows");
  if (vectors.rows() == 0) return;
  if (kind_of(options.path) != FileKind::absent) {
    read();
  } else {
    make(log);
  }
}

void GraphSearch::read() {
  const std::string& path = options_.path;
  const MappedFile file(path);
  const auto text = file.text();
  if (text.starts_with(kAnyMagic) && !text.starts_with(kMagic))
    throw Error(path, ": is the graph of another version of bert-search; remove it, and it is built again");
  if (!text.starts_with(kMagic)) throw Error(path, ": is not a graph that bert-search has written");
  Reader reader(file);
  (void)reader.take(kMagic.size());
  const auto header = reader.take<Header>(), expected = header_of(vectors_, metric_, pool_);
  if (header.metric >= std::size(kMetricNames)) reader.damaged();
  if (header.metric != expected.metric)
    throw Error(path, ": is the graph for ", opt::metric, " ", kMetricNames[header.metric].first,
                "; use this metric, or remove the file, and it is built again");
  if (header.width != expected.width || header.rows != expected.rows || header.vectors != expected.vectors)
    throw Error(path, ": is the graph of other vectors; remove it, and it is built again");
  reader.require_whole();
  if (header.duplicates >= header.rows) reader.damaged();
  std::vector<Duplicate> duplicates(header.duplicates);
  reader.take(std::span(duplicates));
  if (marked(duplicates, vectors_.rows()).empty()) reader.damaged();
  graph_ = std::make_unique<Graph>(vectors_, metric_, std::move(duplicates), pool_);
  graph_->read_links(reader, header);
}

// The file is created first: building may take an hour.
void GraphSearch::make(Log& log) {
  OutputFile file(options_.path);
  log.warn(options_.path + ": building the graph of " + counted(vectors_.rows(), "row", "rows"));
  graph_ = std::make_unique<Graph>(vectors_, metric_, find_duplicates(vectors_, pool_), pool_);
  graph_->links.build(pool_);
  const Header header = header_of(vectors_, metric_, pool_);
  vectors_.require_unchanged();
  try {
    graph_->write(header, file);
  } catch (const Error& error) {
    failure_ = Error(error.what(), "; the graph was used, but is not stored").what();
  }
}

GraphSearch::~GraphSearch() = default;

std::vector<std::vector<Neighbor>> GraphSearch::nearest(std::span<const float* const> queries,
                                                        Wanted wanted) {
  std::vector<std::vector<Neighbor>> results(queries.size());
  if (!graph_) return results;
  const int64_t candidates =
      std::min<int64_t>(graph_->points.size(), std::max(wanted.count, options_.candidates));
  pool_.run_grid(std::ssize(queries), [&](int64_t i, int thread) {
    const std::span<const float> query(queries[i], vectors_.width());
    Hnsw::Walk& walk = graph_->walks[thread];
    graph_->links.search(graph_->points.point_of(query.data(), norm(query)), candidates, walk);
    results[i] = best(query, walk.found(), wanted);
  });
  return results;
}

// The best of the candidates and their duplicates, by their exact values.
std::vector<Neighbor> GraphSearch::best(std::span<const float> query, std::span<const Near> candidates,
                                        Wanted wanted) const {
  const double square = metric_ == Metric::cosine ? square_of(query) : 0;
  Best best(wanted.count);
  for (const Near& candidate : candidates) {
    const auto& [numbers, _, row] = graph_->points[candidate.point];
    const double squares = metric_ == Metric::cosine ? square * square_of({numbers, query.size()}) : 0;
    const double value = value_of(metric_, query, numbers, squares);
    if (!(value >= wanted.least)) continue;
    best.add({.row = row, .value = value});
    const auto& duplicates = graph_->duplicates;
    auto same = std::ranges::lower_bound(duplicates, row, {}, &Duplicate::of);
    for (int64_t i = 0; i < wanted.count && same != duplicates.end() && same->of == row; ++i, ++same)
      best.add({.row = same->row, .value = value});
  }
  return std::move(best).sorted();
}

}  // namespace bert::search
