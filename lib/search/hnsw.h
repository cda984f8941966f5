// Hierarchical navigable small world graph (Malkov and Yashunin 2018, https://arxiv.org/abs/1603.09320).
//
// Each point has links to others that are near, in various directions, on level 0. One point in 16 also has
// links on level 1 to such points, one of these in 16 on level 2, and so on. A search begins at a point of
// the highest level and goes to nearer ones as long as there are some, level by level.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/pool.h"
#include "search/points.h"

namespace bert::search {

struct Near {
  float distance;
  uint32_t point;

  bool operator<(const Near& other) const {
    return distance != other.distance ? distance < other.distance : point < other.point;
  }
};

class Hnsw {
 public:
  using Id = uint32_t;
  static constexpr size_t kLinks = 16;  // most links of a point on a level; twice as many on the lowest
  static constexpr int kHighest = 7;    // level

  // What a search needs, to be used again for the next one.
  class Walk {
   public:
    std::span<const Near> found() const { return best_; }  // in any order

   private:
    friend class Hnsw;
    std::vector<Near> best_;        // the farthest first
    std::vector<Near> open_;        // points whose links are still to follow; the nearest first
    std::vector<uint8_t> visited_;  // for each point, the last round in which it was
    uint8_t round_ = 0;
    std::vector<Id> next_;
  };

  // Without links; `points` must outlive the graph.
  explicit Hnsw(const Points& points) : points_(points) {}

  // Links all points. Depends on the points alone, not on the number of threads.
  void build(Pool& pool);

  // Finds about the nearest `count` points, at least one. Threads may search at the same time.
  void search(const Point& query, size_t count, Walk& walk) const;

  // The parts to store, and to restore a graph from. A list is the number of links, and room for the most.
  std::vector<uint8_t> levels() const;
  std::span<Id> lowest() { return lowest_; }  // the list of each point on the lowest level
  std::span<Id> upper() { return upper_; }    // on the others: point by point, and level by level
  Id entry() const { return entry_; }         // where searches begin

  void set_levels(std::span<const uint8_t> levels);  // makes room for the lists
  bool enter(uint64_t entry);                        // returns whether this and all lists are valid

 private:
  static constexpr size_t kLowestList = 2 * kLinks + 1, kUpperList = kLinks + 1;
  struct Link;

  int level(Id id) const { return static_cast<int>(upper_begin_[id + 1] - upper_begin_[id]); }
  Id* list(Id id, int level) {
    return level == 0 ? &lowest_[id * kLowestList] : &upper_[(upper_begin_[id] + level - 1) * kUpperList];
  }
  const Id* list(Id id, int level) const { return const_cast<Hnsw*>(this)->list(id, level); }
  std::span<const Id> links(Id id, int level) const {
    const Id* const list = this->list(id, level);
    return {list + 1, list[0]};
  }
  static size_t most_links(int level) { return level == 0 ? 2 * kLinks : kLinks; }

  void add(Id begin, Id end, Pool& pool, std::span<Walk> walks);
  void link(Id id, Id begin, Walk& walk, std::vector<Near>& earlier);
  void link_back(std::span<const Link> links);
  void walk_level(const Point& query, int level, size_t count, Walk& walk) const;
  void select(std::vector<Near>& found, size_t most) const;
  Near near(const Point& query, Id id) const { return {points_.distance(query, points_[id]), id}; }

  const Points& points_;
  std::vector<uint32_t> upper_begin_;  // for each point, the number of upper lists of those before it
  std::vector<Id> lowest_, upper_;
  Id entry_ = 0;
  int top_ = -1;  // level of entry_
};

}  // namespace bert::search
