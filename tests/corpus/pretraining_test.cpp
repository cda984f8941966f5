// A million documents turned into instances and masked tokens, through the filters that bert-nsp-pairs and
// bert-mask run.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "corpus/chi_square.h"
#include "corpus/mask_filter.h"
#include "corpus/nsp_pairs_filter.h"
#include "io/stream_run.h"
#include "json/json.h"
#include "reference/slow_masking.h"
#include "reference/slow_pairs.h"
#include "sanitized.h"

using namespace bert;
using namespace bert::corpus;
using reference::SlowDocument;
using reference::SlowInstance;
using Ids = std::vector<int32_t>;
using Unit = MaskRule::Unit;

namespace {

constexpr int32_t kCls = 2, kSep = 3, kMask = 4;
constexpr int32_t kFirst = 10;  // the first ordinary token id, after special and unused tokens
constexpr int32_t kPlaces = 100, kPool = 16;
constexpr int32_t kMostTokens = 500;  // per document; each token of the corpus occurs once
constexpr uint64_t kMaskStream = 0x6d61736b;

int32_t place_of(int32_t token) { return (token - kFirst) / kMostTokens; }
bool continues(int32_t token) { return token >= kFirst && token % 7 < 3; }

const std::vector<std::string>& subwords() {
  static const auto all = [] {
    std::vector<std::string> subwords{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    while (subwords.size() < kFirst) subwords.push_back("[unused" + std::to_string(subwords.size()) + "]");
    for (int32_t id = kFirst; id < kFirst + kPlaces * kMostTokens; ++id)
      subwords.push_back((continues(id) ? "##" : "") + std::to_string(id));
    return subwords;
  }();
  return all;
}

// Indexed by position; every eleventh document is empty.
std::vector<SlowDocument> make_documents() {
  Random random(1);
  std::vector<SlowDocument> documents(kPlaces);
  for (int32_t place = 0; place < kPlaces; ++place) {
    if (place % 11 == 5) continue;
    int32_t token = kFirst + place * kMostTokens;
    auto& document = documents[static_cast<size_t>(place)];
    document.resize(2 + random.below(24));
    for (auto& sentence : document)
      for (uint32_t i = 1 + random.below(20); i > 0; --i) sentence.push_back(token++);
  }
  return documents;
}

std::string jsonl_of(const std::vector<SlowDocument>& documents) {
  std::string text;
  for (const auto& document : documents) {
    text += R"({"sentences":[)";
    for (const auto& sentence : document) {
      json::append_integers(text, sentence);
      text += ',';
    }
    if (!document.empty()) text.pop_back();
    text += "]}\n";
  }
  return text;
}

std::string run(io::Filter& filter, std::string_view records, int threads) {
  const io::TemporaryDirectory directory;
  io::StreamOptions options;
  options.files = {directory.write("in.jsonl", records)};
  options.chunk_bytes = 8 << 10;
  return io::run_and_catch(options, threads, filter).out;
}

PairOptions pair_options(PairRule::Mode mode, uint64_t seed) {
  return {
      .rule = {.mode = mode, .max_length = 32}, .dupe_factor = 20, .block = kPool, .seed = seed, .drop = {}};
}

MaskOptions mask_options(Unit unit, uint64_t seed, uint64_t epoch) {
  return {.rule = {.unit = unit}, .seed = seed, .epoch = epoch, .drop = {}};
}

std::string pairs(const text::Tokenizer& tokenizer, const PairOptions& options, std::string_view documents,
                  int threads = 2) {
  Log log("test", Log::Level::quiet);
  NspPairsFilter filter(tokenizer, options, log);
  return run(filter, documents, threads);
}

std::string masked(const text::Tokenizer& tokenizer, const MaskOptions& options, std::string_view instances,
                   int threads = 2) {
  Log log("test", Log::Level::quiet);
  MaskFilter filter(tokenizer, options, log);
  return run(filter, instances, threads);
}

// The slow reference's instances for the document, with the filter's draws.
std::vector<SlowInstance> slow_instances(const std::vector<SlowDocument>& documents, int32_t place,
                                         const PairOptions& options) {
  std::vector<SlowDocument> block;
  size_t index = 0;
  for (int32_t other = place / kPool * kPool; other < std::min(kPlaces, (place / kPool + 1) * kPool);
       ++other) {
    if (other == place) index = block.size();
    const auto& document = documents[static_cast<size_t>(other)];
    if (!document.empty()) block.push_back(document);
  }
  const reference::SlowPairRule rule{options.rule.mode == PairRule::Mode::order, options.rule.max_length,
                                     options.rule.short_probability, options.rule.random_probability};
  std::vector<SlowInstance> all;
  for (uint64_t pass = 0; pass < static_cast<uint64_t>(options.dupe_factor); ++pass) {
    Random random(options.seed, {kPairStream, static_cast<uint64_t>(place), pass});
    const auto more = options.rule.mode == PairRule::Mode::none
                          ? reference::slow_sentences(rule, block[index], random)
                          : reference::slow_pairs(rule, block, index, random);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

// A record of bert-mask.
struct Masked {
  Ids ids, types, positions, hidden;
  Ids before;      // ids with the masked tokens restored
  int label = -1;  // -1: no label
  int64_t document = 0, instance = 0;
};

Masked read(json::Document& parser, std::string_view line) {
  const json::Value record = parser.parse(line);
  Masked read{.ids = record.find("input_ids")->integers(),
              .types = record.find("token_type_ids")->integers(),
              .positions = record.find("masked_lm_positions")->integers(),
              .hidden = record.find("masked_lm_ids")->integers(),
              .before = {},
              .document = record.find("document")->integer(),
              .instance = record.find("instance")->integer()};
  if (const auto label = record.find("next_sentence_label")) read.label = static_cast<int>(label->integer());
  REQUIRE(read.positions.size() == read.hidden.size());
  read.before = read.ids;
  for (size_t i = 0; i < read.hidden.size(); ++i) {
    REQUIRE((i == 0 || read.positions[i] > read.positions[i - 1]));
    read.before.at(static_cast<size_t>(read.positions[i])) = read.hidden[i];
  }
  return read;
}

// [CLS] A [SEP] B [SEP] with types 0 … 0 1 … 1, or [CLS] A [SEP] with types 0.
void check_pair(const Masked& record, const SlowInstance& expected, const PairOptions& options) {
  Ids ids{kCls};
  ids.insert(ids.end(), expected.a.begin(), expected.a.end());
  ids.push_back(kSep);
  Ids types(ids.size(), 0);
  const bool pair = options.rule.mode != PairRule::Mode::none;
  if (pair) {
    ids.insert(ids.end(), expected.b.begin(), expected.b.end());
    ids.push_back(kSep);
    types.resize(ids.size(), 1);
  }
  REQUIRE(record.before == ids);
  REQUIRE(record.types == types);
  REQUIRE(record.label == (pair ? expected.label : -1));
  REQUIRE(static_cast<int64_t>(ids.size()) <= options.rule.max_length);
  // A token encodes its origin, so these checks do not depend on the reference.
  if (options.rule.mode != PairRule::Mode::next) return;
  REQUIRE(!expected.b.empty());
  REQUIRE(place_of(ids[1]) == record.document);
  REQUIRE((place_of(expected.b[0]) == record.document) == (record.label == 0));
  REQUIRE(place_of(expected.b[0]) / kPool == record.document / kPool);
}

// Checks the number masked against the contract. With whole words, each word that fits is masked completely.
void check_hidden(const Masked& record, Unit unit) {
  const auto length = static_cast<int>(record.before.size());
  const int wanted = std::max(1, reference::round_half_even(length * 0.15));
  const auto candidates = static_cast<int>(
      std::count_if(record.before.begin(), record.before.end(), [](int32_t id) { return id >= kFirst; }));
  const auto found = static_cast<int>(record.positions.size());
  for (const int32_t id : record.hidden) REQUIRE(id >= kFirst);
  if (unit == Unit::token) {
    REQUIRE(found == std::min(wanted, candidates));
    return;
  }
  REQUIRE(found <= wanted);
  std::vector<bool> is_hidden(record.before.size());
  for (const int32_t position : record.positions) is_hidden[static_cast<size_t>(position)] = true;
  for (size_t begin = 1, end; begin < record.before.size(); begin = end) {
    end = begin + 1;
    if (record.before[begin] < kFirst) continue;
    while (continues(record.before[end])) ++end;
    for (size_t at = begin; at < end; ++at) REQUIRE(is_hidden[at] == is_hidden[begin]);
    if (!is_hidden[begin]) REQUIRE(static_cast<int>(end - begin) > wanted - found);
  }
}

std::vector<std::string> tokens_of(const Ids& ids) {
  std::vector<std::string> tokens;
  for (const int32_t id : ids) tokens.push_back(subwords()[static_cast<size_t>(id)]);
  return tokens;
}

reference::SlowMaskRule slow_mask_rule(Unit unit) {
  return {.max_predictions_per_seq = 1000,
          .do_whole_word_mask = unit == Unit::word,
          .not_candidates = {"[CLS]", "[SEP]"},
          .vocabulary = {subwords().begin() + kFirst, subwords().end()}};
}

// Compares with Google's algorithm on the filter's draws. Skipped for whole words if a part starts inside a
// word: the rest of the word is a word of its own here, while Google joins it to the last word of the other
// part.
void check_slow_mask(const Masked& record, const MaskOptions& options, const reference::SlowMaskRule& rule) {
  for (size_t i = 1; i < record.before.size(); ++i)
    if (rule.do_whole_word_mask && record.before[i - 1] < kFirst && continues(record.before[i])) return;
  Random random(options.seed, {kMaskStream, options.epoch, static_cast<uint64_t>(record.document),
                               static_cast<uint64_t>(record.instance)});
  const auto slow = reference::create_masked_lm_predictions(
      tokens_of(record.before), rule,
      {.shuffle = [&](std::vector<std::vector<int>>& order) { random.shuffle(order); },
       .uniform = [&] { return random.uniform(); },
       .below = [&](int bound) { return static_cast<int>(random.below(static_cast<uint32_t>(bound))); }});
  REQUIRE(tokens_of(record.ids) == slow.tokens);
  REQUIRE(std::equal(slow.positions.begin(), slow.positions.end(), record.positions.begin(),
                     record.positions.end()));
  REQUIRE(tokens_of(record.hidden) == slow.labels);
}

// Calls f(record) for each line after comparing it with the slow reference. Returns the number of lines.
int64_t for_each_instance(const std::vector<SlowDocument>& documents, const PairOptions& options,
                          std::string_view lines, auto f) {
  json::Document parser;
  int64_t count = 0;
  for (int32_t place = 0; place < kPlaces; ++place) {
    if (documents[static_cast<size_t>(place)].empty()) continue;
    const auto expected = slow_instances(documents, place, options);
    for (size_t number = 0; number < expected.size(); ++number, ++count) {
      CAPTURE(count);
      const size_t end = lines.find('\n');
      REQUIRE(end != lines.npos);
      const Masked record = read(parser, lines.substr(0, end));
      lines.remove_prefix(end + 1);
      REQUIRE(record.document == place);
      REQUIRE(record.instance == static_cast<int64_t>(number));
      check_pair(record, expected[number], options);
      f(record);
    }
  }
  CHECK(lines.empty());
  return count;
}

}  // namespace

TEST_CASE("a million instances match the slow reference, with exact mask counts and the requested shares") {
  const auto documents = make_documents();
  const std::string text = jsonl_of(documents);
  const text::Tokenizer tokenizer(subwords(), {}, "test");
  std::vector<int64_t> labels(2), outcomes(3);  // outcomes: [MASK], another token, the same token
  std::vector<int64_t> lenders(kPool);          // documents from which document 3 draws its random B
  int64_t count = 0;
  for (uint64_t batch = 0; count < tried(1'000'000); ++batch) {
    const auto unit = batch % 2 == 0 ? Unit::token : Unit::word;
    const auto pair = pair_options(PairRule::Mode::next, batch);
    const auto mask = mask_options(unit, batch, batch % 3);
    const auto slow_rule = slow_mask_rule(unit);
    int64_t number = 0;
    const auto check = [&](const Masked& record) {
      check_hidden(record, unit);
      if (number++ % 8 == 0) check_slow_mask(record, mask, slow_rule);
      ++labels.at(static_cast<size_t>(record.label));
      if (record.document == 3 && record.label == 1)
        ++lenders.at(static_cast<size_t>(place_of(*(record.before.end() - 2))));
      for (size_t i = 0; i < record.hidden.size(); ++i) {
        const int32_t now = record.ids[static_cast<size_t>(record.positions[i])];
        ++outcomes[now == kMask ? 0 : now != record.hidden[i] ? 1 : 2];
      }
    };
    count += for_each_instance(documents, pair, masked(tokenizer, mask, pairs(tokenizer, pair, text)), check);
  }
  CHECK(test::agrees(labels, {0.5, 0.5}));
  if (!kSanitized) CHECK(!test::agrees(labels, {0.503, 0.497}));
  CHECK(test::agrees(outcomes, {0.8, 0.1, 0.1}));
  if (!kSanitized) CHECK(!test::agrees(outcomes, {0.802, 0.099, 0.099}));
  lenders.erase(lenders.begin() + 5);  // document 5 is empty
  lenders.erase(lenders.begin() + 3);
  CHECK(test::equally_likely(lenders));
}

TEST_CASE("swapped pairs and full sentences match the slow reference, through the filters") {
  const auto documents = make_documents();
  const std::string text = jsonl_of(documents);
  const text::Tokenizer tokenizer(subwords(), {}, "test");
  for (const auto mode : {PairRule::Mode::order, PairRule::Mode::none}) {
    const auto pair = pair_options(mode, 7);
    const std::string lines =
        masked(tokenizer, mask_options(Unit::token, 7, 0), pairs(tokenizer, pair, text));
    const int64_t count = for_each_instance(documents, pair, lines,
                                            [](const Masked& record) { check_hidden(record, Unit::token); });
    CHECK(count > 7'000);
  }
}

TEST_CASE("instances and masks depend on the seed, epoch and pass, not on threads") {
  const std::string text = jsonl_of(make_documents());
  const text::Tokenizer tokenizer(subwords(), {}, "test");
  const auto pair = pair_options(PairRule::Mode::next, 1);
  const std::string instances = pairs(tokenizer, pair, text, 1);
  CHECK(instances.size() > 1'000'000);
  CHECK((pairs(tokenizer, pair, text, 2) == instances));
  CHECK((pairs(tokenizer, pair, text, 5) == instances));
  CHECK((pairs(tokenizer, pair_options(PairRule::Mode::next, 2), text) != instances));
  auto once = pair, twice = pair;
  once.dupe_factor = 1;
  twice.dupe_factor = 2;
  const auto lines = [](const std::string& all) { return std::count(all.begin(), all.end(), '\n'); };
  CHECK(lines(pairs(tokenizer, once, text)) * 2 != lines(pairs(tokenizer, twice, text)));

  const std::string hidden = masked(tokenizer, mask_options(Unit::token, 1, 0), instances, 1);
  CHECK((masked(tokenizer, mask_options(Unit::token, 1, 0), instances, 2) == hidden));
  CHECK((masked(tokenizer, mask_options(Unit::token, 1, 0), instances, 5) == hidden));
  CHECK((masked(tokenizer, mask_options(Unit::token, 1, 1), instances) != hidden));
  CHECK((masked(tokenizer, mask_options(Unit::token, 2, 0), instances) != hidden));
}
