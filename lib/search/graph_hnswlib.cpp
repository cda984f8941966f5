#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "base/checksum.h"
#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "base/output_file.h"
#include "nn/kernels/kernels.h"
#include "search/graph.h"

namespace bert::search {
namespace {

constexpr size_t kLinks = 16;             // of a row on each level but the lowest, which has twice as many
constexpr size_t kBuildCandidates = 200;  // examined for each row that is added
constexpr int kMostLevels = 64;
constexpr std::string_view kAnyMagic = "bert-search graph ";
constexpr std::string_view kMagic = "bert-search graph 2\n";

using Id = hnswlib::tableint;

// What the graph stores of a row, and what a query is.
struct Point {
  const float* numbers;
  float scale;   // for cosine, 1/norm
  float square;  // of the norm
};

// Distances between Points. Adjacent levels of memory may not be aligned, so Points are copied.
class Space final : public hnswlib::SpaceInterface<float> {
 public:
  Space(Metric metric, int64_t width) : metric_(metric), width_(width), dot_(nn::usable_kernels().dot) {}

  size_t get_data_size() override { return sizeof(Point); }
  hnswlib::DISTFUNC<float> get_dist_func() override { return distance; }
  void* get_dist_func_param() override { return this; }

 private:
  static float distance(const void* a, const void* b, const void* space) {
    Point x, y;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    const auto& self = *static_cast<const Space*>(space);
    const float product = self.dot_(self.width_, x.numbers, y.numbers);
    if (self.metric_ == Metric::cosine) return 1 - product * x.scale * y.scale;
    return self.metric_ == Metric::dot ? -product : x.square + y.square - 2 * product;
  }

  Metric metric_;
  int64_t width_;
  float (*dot_)(int64_t, const float*, const float*);
};

Point point_of(const float* numbers, float norm) {
  return {.numbers = numbers, .scale = norm > 0 ? 1 / norm : 0, .square = norm * norm};
}

struct Header {
  uint64_t metric, width, rows, links, vectors;  // vectors: a checksum
  int64_t highest;                               // level
  uint64_t entry;
};

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
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

// Reads a graph file from its beginning.
class Reader {
 public:
  explicit Reader(const MappedFile& file) : path_(file.path()), rest_(file.text()) {}

  std::string_view take(size_t size) {
    if (size > rest_.size()) damaged();
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  bool at_end() const { return rest_.empty(); }
  [[noreturn]] void damaged() const { throw Error(path_, ": is damaged; remove it, and it is built again"); }

 private:
  const std::string& path_;
  std::string_view rest_;
};

}  // namespace

struct GraphSearch::Graph {
  Graph(const Vectors& vectors, Metric metric, Pool& pool)
      : space(metric, vectors.width()),
        nodes(&space, vectors.rows(), kLinks, kBuildCandidates),
        header{.metric = static_cast<uint64_t>(metric),
               .width = static_cast<uint64_t>(vectors.width()),
               .rows = static_cast<uint64_t>(vectors.rows()),
               .links = kLinks,
               .vectors = checksum_of(vectors, pool)} {
    // hnswlib prefetches the link after the last one, so each list of links gets room for one more.
    nodes.size_links_per_element_ += sizeof(Id);
  }

  void build(const Vectors& vectors);
  void write(OutputFile& file);
  void read(const std::string& path, const Vectors& vectors);
  void check(const Header& found, const std::string& path) const;
  void read_node(Reader& reader, Id id, const Point& point);
  void check_links(Reader& reader, Id id) const;

  std::span<char> lowest_links(Id id) {
    return {reinterpret_cast<char*>(nodes.get_linklist0(id)), (2 * kLinks + 1) * sizeof(Id)};
  }
  size_t bytes_of_levels(int levels) const { return levels * nodes.size_links_per_element_; }

  Space space;
  hnswlib::HierarchicalNSW<float> nodes;
  Header header;
};

void GraphSearch::Graph::build(const Vectors& vectors) {
  nn::Memory scratch;
  for (int64_t i = 0; i < vectors.rows(); ++i) {
    const Point point = point_of(vectors.row(i, scratch), vectors.norms()[i]);
    nodes.addPoint(&point, i);
  }
}

// The header, the nodes in order (level, links on the lowest level, links on the others), and a checksum.
void GraphSearch::Graph::write(OutputFile& file) {
  Checksum checksum;
  std::string buffer;
  const auto flush = [&] {
    checksum.add(buffer);
    file.write(buffer);
    buffer.clear();
  };
  header.highest = nodes.maxlevel_;
  header.entry = nodes.enterpoint_node_;
  buffer.append(kMagic).append(bytes_of(header));
  for (Id id = 0; id < header.rows; ++id) {
    const int levels = nodes.element_levels_[id];
    const auto lowest = lowest_links(id);
    buffer.append(bytes_of(levels)).append(lowest.data(), lowest.size());
    if (levels > 0) buffer.append(nodes.linkLists_[id], bytes_of_levels(levels));
    if (buffer.size() > (1 << 20)) flush();
  }
  flush();
  file.write(bytes_of(checksum.value()));
  file.commit();
}

void GraphSearch::Graph::check(const Header& found, const std::string& path) const {
  if (found.metric != header.metric)
    throw Error(path, ": is the graph for ", opt::metric, " ", kMetricNames[found.metric].first,
                "; use this metric, or remove the file, and it is built again");
  if (found.width != header.width || found.rows != header.rows || found.vectors != header.vectors)
    throw Error(path, ": is the graph of other vectors; remove it, and it is built again");
}

void GraphSearch::Graph::read_node(Reader& reader, Id id, const Point& point) {
  const int levels = reader.take<int>();
  if (levels < 0 || levels > kMostLevels) reader.damaged();
  const auto lowest = lowest_links(id);
  std::memcpy(lowest.data(), reader.take(lowest.size()).data(), lowest.size());
  std::memcpy(nodes.getDataByInternalId(id), &point, sizeof point);
  nodes.setExternalLabel(id, id);
  // The destructor frees the links of the nodes counted here.
  nodes.linkLists_[id] = nullptr;
  nodes.element_levels_[id] = 0;
  nodes.cur_element_count = id + 1;
  if (levels == 0) return;
  const size_t size = bytes_of_levels(levels);
  const auto links = reader.take(size);
  nodes.linkLists_[id] = static_cast<char*>(std::malloc(size));
  if (nodes.linkLists_[id] == nullptr) throw std::bad_alloc();
  nodes.element_levels_[id] = levels;
  std::memcpy(nodes.linkLists_[id], links.data(), size);
}

// hnswlib follows links without checks.
void GraphSearch::Graph::check_links(Reader& reader, Id id) const {
  for (int level = 0; level <= nodes.element_levels_[id]; ++level) {
    const Id* const list = nodes.get_linklist_at_level(id, level);
    const Id count = list[0];
    if (count > (level == 0 ? 2 * kLinks : kLinks)) reader.damaged();
    for (Id i = 1; i <= count; ++i) {
      if (list[i] >= header.rows || nodes.element_levels_[list[i]] < level) reader.damaged();
    }
  }
}

void GraphSearch::Graph::read(const std::string& path, const Vectors& vectors) {
  const MappedFile file(path);
  Reader reader(file);
  if (file.text().starts_with(kAnyMagic) && !file.text().starts_with(kMagic))
    throw Error(path, ": is the graph of another version of bert-search; remove it, and it is built again");
  if (!file.text().starts_with(kMagic)) throw Error(path, ": is not a graph that bert-search has written");
  (void)reader.take(kMagic.size());
  const auto found = reader.take<Header>();
  if (found.metric >= std::size(kMetricNames)) reader.damaged();
  check(found, path);
  nn::Memory scratch;
  for (int64_t i = 0; i < vectors.rows(); ++i)
    read_node(reader, static_cast<Id>(i), point_of(vectors.row(i, scratch), vectors.norms()[i]));
  Checksum checksum;
  checksum.add(file.text().substr(0, file.text().size() - sizeof(uint64_t)));
  if (reader.take<uint64_t>() != checksum.value() || !reader.at_end()) reader.damaged();
  for (Id id = 0; id < header.rows; ++id) check_links(reader, id);
  if (found.entry >= header.rows || nodes.element_levels_[found.entry] != found.highest) reader.damaged();
  nodes.maxlevel_ = found.highest;
  nodes.enterpoint_node_ = static_cast<Id>(found.entry);
}

void require_graphs() {}
std::string graph_version() { return "hnswlib: built in (" + opt::graph + ")"; }

GraphSearch::GraphSearch(const Vectors& vectors, Metric metric, const GraphOptions& options, Pool& pool,
                         Log& log)
    : vectors_(vectors), metric_(metric), options_(options), pool_(pool) {
  if (!vectors.stays()) throw Error(opt::graph, " requires an index of 32-bit numbers");
  if (vectors.rows() > std::numeric_limits<int32_t>::max())
    throw Error(opt::graph, " is limited to ", std::numeric_limits<int32_t>::max(), " rows");
  if (vectors.rows() == 0) return;
  graph_ = std::make_unique<Graph>(vectors, metric, pool);
  if (kind_of(options.path) != FileKind::absent) {
    graph_->read(options.path, vectors);
  } else {
    make(log);
  }
}

// The file is created first: building may take an hour.
void GraphSearch::make(Log& log) {
  OutputFile file(options_.path);
  log.warn(options_.path + ": building the graph of " + counted(vectors_.rows(), "row", "rows"));
  graph_->build(vectors_);
  vectors_.require_unchanged();
  try {
    graph_->write(file);
  } catch (const Error& error) {
    failure_ = Error(error.what(), "; the graph was used, but is not stored").what();
  }
}

GraphSearch::~GraphSearch() = default;

std::vector<std::vector<Neighbor>> GraphSearch::nearest(std::span<const float* const> queries,
                                                        Wanted wanted) {
  std::vector<std::vector<Neighbor>> results(queries.size());
  if (!graph_) return results;
  const int64_t candidates = std::min(vectors_.rows(), std::max(wanted.count, options_.candidates));
  graph_->nodes.setEf(candidates);
  const size_t width = vectors_.width();
  std::vector<nn::Memory> scratch(pool_.size());
  pool_.run_grid(queries.size(), [&](int64_t i, int thread) {
    const std::span<const float> query(queries[i], width);
    const Point point = point_of(query.data(), norm(query));
    auto found = graph_->nodes.searchKnn(&point, candidates);
    Best best(wanted.count);
    for (; !found.empty(); found.pop()) {
      const int64_t row = found.top().second;
      const float* const numbers = vectors_.row(row, scratch[thread]);
      const double value = value_of(metric_, query, numbers);
      if (value >= wanted.least) best.add({.row = row, .value = value});
    }
    results[i] = std::move(best).sorted();
  });
  return results;
}

}  // namespace bert::search
