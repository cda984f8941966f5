#include "model/card.h"

#include <doctest/doctest.h>

#include <string>

using bert::model::Card;
using bert::model::has_key;
using bert::model::merged;

namespace {

const Card kNew = {
    .title = "desk",
    .keys = {{"library_name", " transformers"}, {"base_model", ""}, {"model-index", "\n- name: x"}},
    .text = "Text.\n"};
const std::string kOurs =
    "<!-- bert-train: written anew with the model -->\nText.\n<!-- bert-train: end -->\n";
const std::string kMatter = "---\nlibrary_name: transformers\nmodel-index:\n- name: x\n---\n";

}  // namespace

TEST_CASE("a new card has a title") {
  CHECK(merged(kNew, "") == kMatter + "# desk\n\n" + kOurs);
  CHECK(merged(kNew, " \n\n") == kMatter + "# desk\n\n" + kOurs);
  CHECK(merged(Card{.title = "a", .keys = {}, .text = "b\n"}, "").starts_with("# a\n"));
}

TEST_CASE("a card that is written again is the same") {
  const auto first = merged(kNew, "");
  CHECK(merged(kNew, first) == first);
}

TEST_CASE("the owner's text and keys are kept") {
  CHECK(merged(kNew, "# Mine\n\nNotes.") == kMatter + "# Mine\n\nNotes.\n\n" + kOurs);
  CHECK(
      merged(kNew, "---\n# a comment\nlicense: mit\nbase_model: old\n---\n# Mine\n") ==
      "---\n# a comment\nlicense: mit\nlibrary_name: transformers\nmodel-index:\n- name: x\n---\n# Mine\n\n" +
          kOurs);
  const std::string old =
      "<!-- bert-train: written anew with the model -->\nOld.\n<!-- bert-train: end -->\n";
  CHECK(merged(kNew, "Before.\n" + old + "After.\n") == kMatter + "Before.\n" + kOurs + "After.\n");
}

TEST_CASE("keys with several lines are replaced whole") {
  CHECK(merged(kNew, "---\nmodel-index:\n- name: old\n  results:\n  - task: x\ntags:\n- a\n---\nMine.\n") ==
        "---\ntags:\n- a\nlibrary_name: transformers\nmodel-index:\n- name: x\n---\nMine.\n\n" + kOurs);
}

TEST_CASE("comments between keys are kept") {
  CHECK(merged(kNew, "---\nlibrary_name: old\n# mine\nlicense: mit\n---\nMine.\n") ==
        "---\n# mine\nlicense: mit\nlibrary_name: transformers\nmodel-index:\n- name: x\n---\nMine.\n\n" +
            kOurs);
}

TEST_CASE("what is no front matter is text") {
  CHECK(merged(kNew, "---\nlicense: mit\n") == kMatter + "---\nlicense: mit\n\n" + kOurs);
  CHECK_FALSE(has_key("---\nlicense: mit\n", "license"));
  CHECK_FALSE(has_key("license: mit\n", "license"));
  CHECK(has_key("---\r\nlicense: mit\r\n---\r\n", "license"));
  CHECK_FALSE(has_key("---\n license: mit\n---\n", "license"));
}

TEST_CASE("line ends of an editor are kept") {
  CHECK(merged(kNew,
               "Mine.\r\n<!-- bert-train: written anew with the model -->\r\nOld.\r\n"
               "<!-- bert-train: end -->\r\nMine.\r\n") ==
        kMatter + "Mine.\r\n" + kOurs.substr(0, kOurs.size() - 1) + "\r\nMine.\r\n");
}

TEST_CASE("half a mark is text of the owner") {
  const std::string half = "<!-- bert-train: written anew with the model -->\nMine.\n";
  const auto first = merged(kNew, half);
  CHECK(first == kMatter + half + "\n" + kOurs);
  CHECK(merged(kNew, first) == first);
}
