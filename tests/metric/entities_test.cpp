#include "metric/entities.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "base/random.h"
#include "io/conll.h"
#include "reference/slow_metrics.h"

namespace bert::metric {
namespace {

using Tags = std::vector<std::string_view>;

TEST_CASE("entities of BIO and IOB1 sequences, and of sequences that are neither") {
  CHECK(entities(Tags{"O", "I-PER", "I-PER", "I-LOC", "B-LOC", "O"}) ==
        std::vector<Entity>{{"PER", 1, 3}, {"LOC", 3, 4}, {"LOC", 4, 5}});
  CHECK(entities(Tags{"B-A", "I-A", "B-A", "I-B", "I-B"}) ==
        std::vector<Entity>{{"A", 0, 2}, {"A", 2, 3}, {"B", 3, 5}});
  CHECK(entities(Tags{"B", "I", "I-X-Y", "O"}) == std::vector<Entity>{{"", 0, 2}, {"X-Y", 2, 3}});
  CHECK(entities(Tags{}).empty());
  CHECK_THROWS_WITH_AS(entities(Tags{"O", "PER"}), "tag \"PER\" is not O, B-TYPE or I-TYPE", Error);
  CHECK_THROWS_WITH_AS(entities(Tags{"O-PER"}), "tag \"O-PER\" is not O, B-TYPE or I-TYPE", Error);
  CHECK_THROWS_WITH_AS(entities(Tags{""}), "tag \"\" is not O, B-TYPE or I-TYPE", Error);
  for (const auto tag : {"O", "B", "I", "B-X", "I-", "S-X", "E-X", "L-X", "U-X"})
    CHECK(io::is_entity_tag(tag));
  for (const auto tag : {"", "O-X", "PER", "S", "M-X", "BX"}) CHECK(!io::is_entity_tag(tag));
}

TEST_CASE("entities of IOBES and BILOU sequences, and of damaged ones") {
  const std::vector<Entity> found = {{"A", 0, 3}, {"B", 3, 4}, {"A", 4, 5}};
  CHECK(entities(Tags{"B-A", "I-A", "E-A", "S-B", "S-A"}) == found);
  CHECK(entities(Tags{"B-A", "I-A", "L-A", "U-B", "U-A"}) == found);
  CHECK(entities(Tags{"I-A", "I-A", "E-A", "E-B", "I-A"}) == found);
  CHECK(entities(Tags{"S-A", "E-A", "O", "E-A"}) ==
        std::vector<Entity>{{"A", 0, 1}, {"A", 1, 2}, {"A", 3, 4}});
}

TEST_CASE("a scheme counts only what it permits, and refuses the tags of others") {
  const Tags bio = {"I-A", "B-A", "I-A", "I-B", "B-A"};
  CHECK(entities(bio, Scheme::iob2) == std::vector<Entity>{{"A", 1, 3}, {"A", 4, 5}});
  CHECK(entities(bio, Scheme::iob1) == std::vector<Entity>{{"A", 0, 1}, {"A", 1, 3}, {"B", 3, 4}});
  const Tags damaged = {"B-A", "I-A", "S-B", "E-A", "B-A", "E-B", "B-A", "E-A"};
  CHECK(entities(damaged, Scheme::iobes) == std::vector<Entity>{{"B", 2, 3}, {"A", 6, 8}});
  CHECK(entities(Tags{"B-A", "L-A", "U-B", "L-A"}, Scheme::bilou) ==
        std::vector<Entity>{{"A", 0, 2}, {"B", 2, 3}});
  CHECK_THROWS_WITH_AS(entities(Tags{"S-A"}, Scheme::iob2), "tag \"S-A\" is not O, B-TYPE or I-TYPE", Error);
  CHECK_THROWS_WITH_AS(entities(Tags{"U-A"}, Scheme::iobes), "tag \"U-A\" is not O, B-, I-, E- or S-TYPE",
                       Error);
  CHECK_THROWS_WITH_AS(entities(Tags{"E-A"}, Scheme::bilou), "tag \"E-A\" is not O, B-, I-, L- or U-TYPE",
                       Error);
}

// As seqeval 1.2.2 has them in mode strict: in IOE1, an entity that ends with E- counts only if another of
// its type follows at once.
TEST_CASE("entities of IOE sequences") {
  const Tags tags = {"I-A", "E-A", "E-A", "I-B", "I-A", "E-B"};
  CHECK(entities(tags, Scheme::ioe2) == std::vector<Entity>{{"A", 0, 2}, {"A", 2, 3}, {"B", 5, 6}});
  CHECK(entities(tags, Scheme::ioe1) == std::vector<Entity>{{"A", 0, 2}, {"B", 3, 4}, {"A", 4, 5}});
  CHECK(entities(tags) ==
        std::vector<Entity>{{"A", 0, 2}, {"A", 2, 3}, {"B", 3, 4}, {"A", 4, 5}, {"B", 5, 6}});
  CHECK_THROWS_WITH_AS(entities(Tags{"B-A"}, Scheme::ioe2), "tag \"B-A\" is not O, I-TYPE or E-TYPE", Error);
}

TEST_CASE("precision, recall and F1 over all sentences and per type") {
  EntityScore score;
  score.add(Tags{"B-PER", "I-PER", "O", "B-LOC"}, Tags{"B-PER", "I-PER", "O", "B-PER"});
  score.add(Tags{"B-PER", "O"}, Tags{"B-PER", "I-PER"});
  CHECK(score.tokens() == 6);
  CHECK(score.accuracy() == doctest::Approx(4.0 / 6));
  CHECK(score.all().precision() == doctest::Approx(1.0 / 3));
  CHECK(score.all().recall() == doctest::Approx(1.0 / 3));
  CHECK(score.types().at("PER").precision() == doctest::Approx(1.0 / 3));
  CHECK(score.types().at("PER").recall() == doctest::Approx(0.5));
  CHECK(score.types().at("PER").f1() == doctest::Approx(0.4));
  CHECK(score.types().at("LOC").f1() == 0);
  CHECK_THROWS_WITH_AS(score.add(Tags{"O"}, Tags{"O", "O"}),
                       "has 2 predicted tags, expected 1, one for each gold tag", Error);
}

TEST_CASE("accuracy compares IOB1 with BIO by their meaning") {
  EntityScore score;
  score.add(Tags{"I-PER", "I-PER", "B-PER", "O", "I-LOC"}, Tags{"B-PER", "I-PER", "B-PER", "O", "B-LOC"});
  CHECK(score.accuracy() == 1);
  EntityScore different;
  different.add(Tags{"I-PER", "I-PER", "I-LOC"}, Tags{"B-PER", "B-PER", "I-PER"});
  CHECK(different.accuracy() == doctest::Approx(1.0 / 3));
}

TEST_CASE("tags in BIO are those that accuracy compares") {
  const auto bio = [](const Tags& tags, Scheme scheme = Scheme::lenient) { return bio_tags(tags, scheme); };
  using Written = std::vector<std::string>;
  CHECK(bio({"I-PER", "I-PER", "B-PER", "O", "I-LOC"}) == Written{"B-PER", "I-PER", "B-PER", "O", "B-LOC"});
  CHECK(bio({"I", "I-", "B-", "O", "I"}) == Written{"B", "I", "B", "O", "B"});
  CHECK(bio({"I-A", "L-A", "E-A", "U-A", "I-A"}) == Written{"B-A", "L-A", "E-A", "U-A", "B-A"});
  CHECK(bio({"I-A", "L-A", "U-A"}, Scheme::bilou) == Written{"B-A", "L-A", "U-A"});
}

TEST_CASE("entities do not extend past the end of a sentence") {
  EntityScore score;
  score.add(Tags{"B-PER"}, Tags{"B-PER"});
  score.add(Tags{"I-PER"}, Tags{"I-PER"});
  CHECK(score.all().both == 2);
}

TEST_CASE("counts match the slow reference on damaged sequences") {
  constexpr std::string_view kTags[] = {"O", "B-A", "I-A", "B-B", "I-B", "B", "I"};
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    Random random(seed, {5});
    EntityScore score;
    reference::SlowChunks slow;
    int64_t equal = 0;
    for (int sentence = 0; sentence < 3; ++sentence) {
      Tags gold, predicted;
      for (uint32_t i = random.below(12); i > 0; --i) {
        gold.push_back(kTags[random.below(7)]);
        predicted.push_back(random.below(3) == 0 ? kTags[random.below(7)] : gold.back());
      }
      score.add(gold, predicted);
      const auto gold_bio = bio_tags(gold, Scheme::lenient), bio = bio_tags(predicted, Scheme::lenient);
      for (size_t i = 0; i < bio.size(); ++i) equal += gold_bio[i] == bio[i];
      slow.add({gold.begin(), gold.end()}, {predicted.begin(), predicted.end()});
    }
    CAPTURE(seed);
    CHECK(score.accuracy() == share(equal, score.tokens()));
    REQUIRE(score.types().size() == slow.types.size());
    for (const auto& [type, counts] : score.types())
      CHECK(std::array{counts.gold, counts.predicted, counts.both} == slow.types.at(type));
  }
}

}  // namespace
}  // namespace bert::metric
