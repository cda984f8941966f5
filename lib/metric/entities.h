// Entities in tagged sentences.
//
// A tag is O, or a prefix and a type: B-TYPE begins an entity, I-TYPE is inside one; in IOBES, E-TYPE ends
// one and S-TYPE is one of a single word; BILOU has L- for E- and U- for S-. IOE has no B-: in IOE2, E-TYPE
// ends each entity, in IOE1 only one that another of its type follows.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metric/counts.h"

namespace bert::metric {

// How tags become entities. `lenient` reads all schemes, and sequences that follow none, like conlleval and
// seqeval: I- or E- that does not continue an entity of its type starts one. The others accept the tags of
// their scheme and count only what it permits, like seqeval's mode strict.
//
//   O I-PER I-PER I-LOC B-LOC O     lenient: PER [1,3), LOC [3,4), LOC [4,5)     iob2: LOC [4,5)
enum class Scheme { lenient, iob1, iob2, ioe1, ioe2, iobes, bilou };

struct Entity {
  std::string_view type;  // from its first tag; may be empty ("B" alone)
  size_t begin, end;      // word indices
  bool operator==(const Entity&) const = default;
};

// Error `tag "PER" is not O, B-TYPE or I-TYPE`.
std::vector<Entity> entities(std::span<const std::string_view> tags, Scheme scheme = Scheme::lenient);

// The tags that EntityScore::accuracy compares, which are equal if it takes them for equal, but for the
// letters of `lenient`: there, it takes L- for E- and U- for S-.
//
//   I-PER I-PER B-PER O I-LOC L-LOC   ->   B-PER I-PER B-PER O B-LOC L-LOC
std::vector<std::string> bio_tags(std::span<const std::string_view> tags, Scheme scheme);

// Error if the numbers of tags differ.
void require_one_for_each(std::span<const std::string_view> gold,
                          std::span<const std::string_view> predicted);

// An entity is correct if the gold entities contain one of the same type and words.
class EntityScore {
 public:
  // Adds the tags of one sentence. Error if the numbers of tags differ.
  void add(std::span<const std::string_view> gold, std::span<const std::string_view> predicted,
           Scheme scheme = Scheme::lenient);

  void merge(const EntityScore& other);

  int64_t tokens() const { return tokens_; }
  // Share of correct tags. I- that starts an entity equals B-.
  double accuracy() const { return share(correct_tokens_, tokens_); }
  const Counts& all() const { return all_; }
  const std::map<std::string, Counts, std::less<>>& types() const { return types_; }
  bool disjoint() const;  // there are gold and predicted entities, but no type occurs among both

 private:
  void count(const Entity& entity, int64_t Counts::*member);

  Counts all_;
  std::map<std::string, Counts, std::less<>> types_;
  int64_t tokens_ = 0, correct_tokens_ = 0;
};

}  // namespace bert::metric
