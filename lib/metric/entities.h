// Entities in tagged sentences, counted like chunks in the CoNLL-2000 script conlleval.
//
// A tag is O, B-TYPE or I-TYPE. B- starts an entity. I- continues the previous entity if it has the same
// type, otherwise it starts a new one: O I-PER I-PER I-LOC B-LOC O contains PER [1,3), LOC [3,4), LOC [4,5).
// This covers IOB1, IOB2 (BIO) and sequences that follow neither scheme.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metric/report.h"

namespace bert::metric {

struct Entity {
  std::string_view type;  // from its first tag; may be empty ("B" alone)
  size_t begin, end;      // word indices
  bool operator==(const Entity&) const = default;
};

bool is_bio(std::string_view tag);  // "B" and "I" alone are, too

// Error `tag "PER" is not O, B-TYPE or I-TYPE`.
std::vector<Entity> entities(std::span<const std::string_view> tags);

// An entity is correct if the gold entities contain one of the same type and words.
class EntityScore {
 public:
  struct Counts {
    int64_t gold = 0, predicted = 0, both = 0;

    double precision() const { return share(both, predicted); }
    double recall() const { return share(both, gold); }
    double f1() const;
  };

  // Adds the tags of one sentence. Error if the numbers of tags differ.
  void add(std::span<const std::string_view> gold, std::span<const std::string_view> predicted);

  void merge(const EntityScore& other);

  int64_t tokens() const { return tokens_; }
  double accuracy() const { return share(correct_tokens_, tokens_); }  // share of correct tags, read as BIO
  const Counts& all() const { return all_; }
  const std::map<std::string, Counts, std::less<>>& types() const { return types_; }

 private:
  void count(const Entity& entity, int64_t Counts::*member);

  Counts all_;
  std::map<std::string, Counts, std::less<>> types_;
  int64_t tokens_ = 0, correct_tokens_ = 0;
};

}  // namespace bert::metric
