// Entities in tagged sentences, counted as the CoNLL-2000 program conlleval counts chunks.
//
// A tag is O, B-TYPE or I-TYPE. B- begins an entity; I- goes on with the one before it and begins another
// where there is none of its type:   O I-PER I-PER I-LOC B-LOC O   holds PER [1,3), LOC [3,4), LOC [4,5). So
// IOB1, IOB2 and sequences that are neither can be read.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metric/value.h"

namespace bert::metric {

struct Entity {
  std::string_view type;  // of the tag that begins it; may be empty ("B" alone)
  size_t begin, end;      // words
  bool operator==(const Entity&) const = default;
};

bool is_bio(std::string_view tag);  // "B" and "I" alone are

// Error `tag "PER" is not O, B-TYPE or I-TYPE`.
std::vector<Entity> entities(std::span<const std::string_view> tags);

// An entity is right when one of equal type and words is in the truth.
class EntityScore {
 public:
  struct Counts {
    int64_t gold = 0, predicted = 0, both = 0;

    double precision() const { return share(both, predicted); }
    double recall() const { return share(both, gold); }
    double f1() const;
  };

  // The tags of one sentence; Error when they are not as many.
  void add(std::span<const std::string_view> gold, std::span<const std::string_view> predicted);

  void merge(const EntityScore& other);

  int64_t tokens() const { return tokens_; }
  double accuracy() const { return share(right_tokens_, tokens_); }  // of tags
  const Counts& all() const { return all_; }
  const std::map<std::string, Counts, std::less<>>& types() const { return types_; }

 private:
  void count(const Entity& entity, int64_t Counts::*member);

  Counts all_;
  std::map<std::string, Counts, std::less<>> types_;
  int64_t tokens_ = 0, right_tokens_ = 0;
};

}  // namespace bert::metric
