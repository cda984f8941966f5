#include "search/hnsw.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <tuple>

#include "base/random.h"

namespace bert::search {
namespace {

constexpr size_t kBuildCandidates = 200;  // for the links of each point
constexpr size_t kBatch = 1024;           // points added at a time
constexpr size_t kAhead = 4;              // points to prefetch

void prefetch(const uint32_t* list) {
  for (size_t i = 0; i <= 2 * Hnsw::kLinks; i += 64 / sizeof *list) __builtin_prefetch(list + i);
}

constexpr auto kFarther = [](const Near& a, const Near& b) { return b < a; };

}  // namespace

// A link of a new point, to be answered by one back.
struct Hnsw::Link {
  Id to;
  int level;
  Id from;
};

void Hnsw::build(Pool& pool) {
  // Each level has one in 16 points of the level below.
  Random random(1);
  std::vector<uint8_t> levels(points_.size());
  for (uint8_t& level : levels) level = std::countr_zero(random.next() | 1u << (4 * kHighest)) / 4;
  set_levels(levels);
  std::vector<Walk> walks(pool.size());
  for (size_t begin = 0; begin < points_.size(); begin += kBatch)
    add(begin, std::min(begin + kBatch, points_.size()), pool, walks);
}

void Hnsw::set_levels(std::span<const uint8_t> levels) {
  upper_begin_.assign(1, 0);
  upper_begin_.reserve(levels.size() + 1);
  for (const uint8_t level : levels) upper_begin_.push_back(upper_begin_.back() + level);
  lowest_.assign(levels.size() * kLowestList, 0);
  upper_.assign(upper_begin_.back() * kUpperList, 0);
}

std::vector<uint8_t> Hnsw::levels() const {
  std::vector<uint8_t> levels(points_.size());
  for (size_t id = 0; id < levels.size(); ++id) levels[id] = level(id);
  return levels;
}

bool Hnsw::enter(uint64_t entry) {
  const auto count = points_.size();
  if (entry >= count) return false;
  entry_ = entry;
  top_ = level(entry_);
  for (size_t id = 0; id < count; ++id) {
    if (level(id) > top_) return false;
    for (int level = 0; level <= this->level(id); ++level) {
      if (*list(id, level) > most_links(level)) return false;
      for (const Id to : links(id, level))
        if (to >= count || this->level(to) < level) return false;
    }
  }
  return true;
}

// First each new point finds its neighbors, in the graph as it is and among the new points before it; then
// these get links back. Both write only the lists of one point at a time.
void Hnsw::add(Id begin, Id end, Pool& pool, std::span<Walk> walks) {
  std::vector<std::vector<Near>> earlier(walks.size());
  pool.run_grid(end - begin,
                [&](int64_t i, int thread) { link(begin + i, begin, walks[thread], earlier[thread]); });
  std::vector<Link> links;
  for (Id id = begin; id < end; ++id) {
    for (int level = 0; level <= this->level(id); ++level)
      for (const Id to : this->links(id, level)) links.push_back({.to = to, .level = level, .from = id});
    if (level(id) <= top_) continue;
    top_ = level(id);
    entry_ = id;
  }
  std::ranges::sort(links, {}, [](const Link& a) { return std::tuple(a.to, a.level, a.from); });
  std::vector<size_t> begins;
  for (size_t i = 0; i < links.size(); ++i) {
    if (i == 0 || links[i].to != links[i - 1].to || links[i].level != links[i - 1].level) begins.push_back(i);
  }
  begins.push_back(links.size());
  pool.run_grid(std::ssize(begins) - 1, [&](int64_t i, int) {
    link_back(std::span(links).subspan(begins[i], begins[i + 1] - begins[i]));
  });
}

// Links a point to points before it; those from `begin` on are not in the graph yet.
void Hnsw::link(Id id, Id begin, Walk& walk, std::vector<Near>& earlier) {
  const Point& point = points_[id];
  earlier.clear();
  for (Id other = begin; other < id; ++other) earlier.push_back(near(point, other));
  if (top_ >= 0) walk.best_.assign(1, near(point, entry_));
  for (int level = std::max(top_, this->level(id)); level >= 0; --level) {
    if (level <= top_) walk_level(point, level, level > this->level(id) ? 1 : kBuildCandidates, walk);
    if (level > this->level(id)) continue;
    std::vector<Near> found;
    if (level <= top_) found = walk.best_;
    for (const Near& other : earlier)
      if (this->level(other.point) >= level) found.push_back(other);
    if (found.size() > kBuildCandidates) {
      std::ranges::nth_element(found, found.begin() + kBuildCandidates, std::less());
      found.resize(kBuildCandidates);
    }
    std::ranges::sort(found, std::less());
    select(found, kLinks);
    Id* to = list(id, level);
    *to++ = found.size();
    for (const Near& other : found) *to++ = other.point;
  }
}

// Adds links from the points that link to this one. If there are too many, selects among all.
void Hnsw::link_back(std::span<const Link> links) {
  const Id id = links.front().to;
  const int level = links.front().level;
  Id* const list = this->list(id, level);
  Id& count = *list;
  if (count + links.size() <= most_links(level)) {
    for (const Link& link : links) list[++count] = link.from;
    return;
  }
  std::vector<Near> found;
  for (const Id other : this->links(id, level)) found.push_back(near(points_[id], other));
  for (const Link& link : links) found.push_back(near(points_[id], link.from));
  std::ranges::sort(found, std::less());
  select(found, most_links(level));
  count = 0;
  for (const Near& other : found) list[++count] = other.point;
}

// Leaves out points that are nearer to one before them (section 4, algorithm 4), so that links go in all
// directions. `found` is sorted.
void Hnsw::select(std::vector<Near>& found, size_t most) const {
  if (found.size() <= most) return;
  size_t selected = 0;
  for (size_t i = 0; i < found.size() && selected < most; ++i) {
    const Near near = found[i];
    if (i + 1 < found.size()) points_.prefetch_numbers(found[i + 1].point);
    const auto nearer = [&](const Near& other) {
      return points_.distance(points_[other.point], points_[near.point]) < near.distance;
    };
    if (std::any_of(found.begin(), found.begin() + selected, nearer)) continue;
    found[selected++] = near;
  }
  found.resize(selected);
}

// Goes from the nearest point of walk.best_ to the nearest `count` ones (algorithm 2).
void Hnsw::walk_level(const Point& query, int level, size_t count, Walk& walk) const {
  auto& [best, open, visited, round, next] = walk;
  const Near start = *std::ranges::min_element(best, std::less());
  best.assign(1, start);
  open.assign(1, start);
  visited.resize(points_.size());
  if (++round == 0) {
    std::ranges::fill(visited, 0);
    round = 1;
  }
  visited[start.point] = round;
  while (!open.empty()) {
    const Near from = open.front();
    if (best.size() == count && best.front() < from) break;
    std::ranges::pop_heap(open, kFarther);
    open.pop_back();
    if (!open.empty()) prefetch(list(open.front().point, level));
    next.clear();
    for (const Id id : links(from.point, level)) {
      if (visited[id] == round) continue;
      visited[id] = round;
      points_.prefetch(id);
      next.push_back(id);
    }
    for (size_t i = 0; i < std::min(kAhead, next.size()); ++i) points_.prefetch_numbers(next[i]);
    for (size_t i = 0; i < next.size(); ++i) {
      if (i + kAhead < next.size()) points_.prefetch_numbers(next[i + kAhead]);
      const Near to = near(query, next[i]);
      if (best.size() == count) {
        if (!(to < best.front())) continue;
        std::ranges::pop_heap(best, std::less());
        best.pop_back();
      }
      best.push_back(to);
      std::ranges::push_heap(best, std::less());
      open.push_back(to);
      std::ranges::push_heap(open, kFarther);
    }
  }
}

void Hnsw::search(const Point& query, size_t count, Walk& walk) const {
  walk.best_.assign(1, near(query, entry_));
  for (int level = top_; level > 0; --level) walk_level(query, level, 1, walk);
  walk_level(query, 0, count, walk);
}

}  // namespace bert::search
