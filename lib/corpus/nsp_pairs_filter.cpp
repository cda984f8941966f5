#include "corpus/nsp_pairs_filter.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/error.h"
#include "base/option.h"
#include "base/random.h"
#include "json/json.h"
#include "json/members.h"

namespace bert::corpus {
namespace {

// Value of a field, as written in the record.
std::string text_of(std::string_view field, std::string_view object) {
  json::Members members(object);
  for (json::Members::Member member; members.next(member);)
    if (member.key == field)
      return std::string(object.substr(member.value_begin, member.value_end - member.value_begin));
  return {};
}

void read_sentences(const json::Value& json, Document& document) {
  const auto sentences = json.elements();
  size_t tokens = 0;
  for (const auto& sentence : sentences) tokens += sentence.size();
  document.begins.reserve(sentences.size() + 1);
  std::vector<int32_t> ids;
  ids.reserve(tokens);
  for (const auto& sentence : sentences) {
    sentence.append_integers_to(ids);
    if (ids.size() > document.begins.back()) document.begins.push_back(ids.size());
  }
  document.ids.assign(ids.begin(), ids.end());
}

void append_ids(std::string& out, std::span<const int32_t> ids) {
  for (const int32_t id : ids) {
    json::append_integer(out, id);
    out += ',';
  }
}

void append_types(std::string& out, char type, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    out += type;
    out += ',';
  }
}

std::string percent(int64_t part, int64_t whole) {
  const int64_t tenths = (2000 * part + whole) / (2 * whole);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

PairOptions for_layout(PairOptions options, const text::Layout& layout) {
  options.rule.pair_specials = 2 + layout.separators;
  return options;
}

}  // namespace

struct NspPairsFilter::Prepared : io::Work {
  Document document;
  std::vector<Ready> ready;    // documents released with this record
  std::vector<Packed> packed;  // likewise, instances of Mode::full
};

NspPairsFilter::NspPairsFilter(const text::Tokenizer& tokenizer, PairOptions options, Log& log)
    : options_(for_layout(std::move(options), tokenizer.config().layout)),
      cls_(tokenizer.cls()),
      sep_(tokenizer.sep()),
      size_(tokenizer.size()),
      layout_(tokenizer.config().layout),
      log_(log),
      full_(options_.rule, sep_, options_.seed) {
  if (options_.rule.makes_pairs() && options_.rule.max_length < options_.rule.pair_specials + 2)
    throw Error("a maximum length of ", options_.rule.max_length, " leaves no room for two sentences and ",
                options_.rule.pair_specials, " special tokens");
}

void NspPairsFilter::prepare(const io::Fields& fields, io::Record& record) const {
  const auto sentences = fields.required("sentences");
  auto prepared = std::make_unique<Prepared>();
  Document& document = prepared->document;
  io::named("sentences", [&] { read_sentences(sentences, document); });
  check(document);
  document.place = record.place();
  if (fields.json("id")) document.id = text_of("id", record.raw().substr(record.raw().find('{')));
  record.work = std::move(prepared);
}

void NspPairsFilter::check(const Document& document) const {
  for (const int32_t id : document.ids)
    if (id < 0 || id >= size_)
      throw Error("field \"sentences\": ", id, " is not in the vocabulary of ", size_, " tokens");
}

void NspPairsFilter::compute(std::span<io::Record* const> records) {
  for (io::Record* record : records) {
    auto& prepared = record->work_as<Prepared>();
    if (options_.rule.mode == PairRule::Mode::full) {
      counts_.documents += prepared.document.sentences() > 0 ? 1 : 0;
      full_.add(prepared.document, prepared.packed);
      continue;
    }
    take(std::move(prepared.document));
    // One document for each record read, and one more for each full block that is waiting.
    const auto leaving = static_cast<int64_t>(ready_.size()) / options_.block + 1;
    for (int64_t i = 0; i < leaving && !ready_.empty(); ++i) {
      prepared.ready.push_back(std::move(ready_.front()));
      ready_.pop_front();
    }
  }
}

void NspPairsFilter::take(Document document) {
  if (document.sentences() == 0) return;
  ++counts_.documents;
  if (!options_.rule.draws_second()) {
    block_.push_back(std::move(document));
    return complete(block_);
  }
  const auto number = [this](const Document& of) { return of.place / options_.block; };
  const bool begins = !block_.empty() && number(block_.back()) != number(document);
  if (begins) begin_block();
  // block_ has a single document of one block; `document` shows that the next block has at least two. The
  // single document joins the block before.
  const bool after_one = block_.size() == 2 && number(block_[0]) != number(block_[1]);
  if (!begins && after_one && !before_.empty()) {
    before_.push_back(std::move(block_[0]));
    block_.erase(block_.begin());
  }
  block_.push_back(std::move(document));
  if (!begins && block_.size() >= 2) complete(before_);
}

// Two or more documents in block_ form a block of their own.
void NspPairsFilter::begin_block() {
  if (block_.size() >= 2) {
    complete(before_);
    before_.swap(block_);
  } else if (before_.empty()) {
    check_first(block_[0]);
  }
}

void NspPairsFilter::complete(DocumentBlock& block) {
  if (block.empty()) return;
  const auto shared = std::make_shared<const DocumentBlock>(std::move(block));
  block.clear();
  for (size_t i = 0; i < shared->size(); ++i) ready_.push_back({shared, i});
}

void NspPairsFilter::finish(io::Record& record, io::Output& out) const {
  const auto& prepared = record.work_as<Prepared>();
  for (const auto& ready : prepared.ready) append_document(ready, out);
  for (const auto& packed : prepared.packed) append_packed(packed, out);
}

// A shard does not know whether this document would join a block before the shard.
void NspPairsFilter::check_first(const Document& document) const {
  if (options_.first_place == 0) return;
  throw Error("document ", document.place, " is the only document in its block of ", options_.block,
              ", with which the shard begins; nsp takes random sentences from another document of the block: "
              "move the block to the "
              "previous shard");
}

// Called at the end of the input, or at a bad record that stops it; block_ is the last block.
void NspPairsFilter::complete_all(Ending ending) {
  if (block_.size() == 1) {
    before_.push_back(std::move(block_[0]));
    block_.clear();
  }
  if (before_.size() == 1) {
    if (ending == Ending::stopped) return;  // the bad record is the error to report
    check_first(before_[0]);
    throw Error(
        "there is only one document with sentences; nsp takes random sentences from another document, ",
        opt::mode, " sop, none and full need none");
  }
  complete(before_);
  complete(block_);
}

bool NspPairsFilter::release(Ending ending, io::Output& out) {
  if (!ended_) complete_all(ending);
  ended_ = true;
  if (Packed packed; full_.take_rest(packed)) {
    append_packed(packed, out);
    return true;
  }
  if (ready_.empty()) return false;
  append_document(ready_.front(), out);
  ready_.pop_front();
  return true;
}

void NspPairsFilter::append_document(const Ready& ready, io::Output& out) const {
  const Document& document = (*ready.block)[ready.document];
  const uint64_t place = document.place;
  int64_t number = 0, random = 0;
  io::Added added;
  for (int64_t pass = 0; pass < options_.dupe_factor; ++pass) {
    Instances instances(options_.rule, *ready.block, ready.document,
                        Random(options_.seed, {kPairStream, place, static_cast<uint64_t>(pass)}));
    for (Instance instance; instances.next(instance); ++number) {
      added.clear();
      add_instance({document.place, number, document.id}, instance, added);
      out.object(added, options_.drop);
      random += instance.label;
    }
  }
  counts_.instances += number;
  counts_.random += random;
}

void NspPairsFilter::append_packed(const Packed& packed, io::Output& out) const {
  io::Added added;
  add_instance({packed.document, packed.number, packed.id}, {.first = packed.ids, .second = {}}, added);
  out.object(added, options_.drop);
  ++counts_.instances;
}

void NspPairsFilter::add_instance(const Origin& origin, const Instance& instance, io::Added& added) const {
  const bool pair = options_.rule.makes_pairs();
  std::string& ids = added.field("input_ids") += '[';
  append_ids(ids, {&cls_, 1});
  append_ids(ids, instance.first);
  for (int32_t i = 0; i < (pair ? layout_.separators : 1); ++i) append_ids(ids, {&sep_, 1});
  append_ids(ids, instance.second);
  if (pair) append_ids(ids, {&sep_, 1});
  ids.back() = ']';
  std::string& types = added.field("token_type_ids") += '[';
  append_types(types, '0', instance.first.size() + 1 + static_cast<size_t>(pair ? layout_.separators : 1));
  append_types(types, layout_.second_type == 0 ? '0' : '1', pair ? instance.second.size() + 1 : 0);
  types.back() = ']';
  if (pair) added.integer("next_sentence_label", instance.label);
  added.integer("document", origin.document);
  added.integer("instance", origin.number);
  if (!origin.id.empty()) added.field("id") += origin.id;
}

void NspPairsFilter::end(io::Output&) {
  const int64_t instances = counts_.instances, ones = counts_.random;
  std::string message = counted(instances, "instance", "instances") + " of " +
                        counted(counts_.documents, "document", "documents");
  if (!options_.rule.makes_pairs()) return log_.warn(message);
  if (instances > 0)
    message += "; label 0: " + std::to_string(instances - ones) + ", label 1: " + std::to_string(ones) +
               " (" + percent(ones, instances) + ")";
  log_.warn(message);
}

}  // namespace bert::corpus
