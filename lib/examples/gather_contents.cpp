// The messages with which ranks tell each other what is in the records that they have read.
#include <utility>

#include "comm/message.h"
#include "examples/example_queue.h"

namespace bert::examples {
namespace {

using comm::append;
using comm::take_number;
using comm::take_text;

void append(std::string& out, const Contents& contents) {
  append(out, static_cast<int64_t>(contents.found));
  append(out, std::string_view(contents.text));
  append(out, std::ssize(contents.outlines));
  for (const auto& outline : contents.outlines) {
    append(out, outline.tokens);
    append(out, outline.sequences);
    append(out, outline.traits.bits());
    append(out, int64_t{outline.has_next_sentence_label});
  }
}

Contents take_contents(std::string_view& in, int64_t epoch) {
  Contents contents = {.found = static_cast<Contents::Found>(take_number(in)), .text = take_text(in)};
  const int64_t count = take_number(in);
  for (int64_t number = 0; number < count; ++number) {
    Outline outline = {.where = contents.text, .epoch = epoch, .number = number};
    outline.tokens = take_number(in);
    outline.sequences = take_number(in);
    outline.traits = Traits::of(take_number(in));
    outline.has_next_sentence_label = take_number(in) != 0;
    contents.outlines.push_back(std::move(outline));
  }
  return contents;
}

}  // namespace

std::vector<Contents> gather_contents(comm::Communicator& ranks, std::span<const Drawn> block,
                                      std::vector<Contents> own) {
  std::string message;
  for (const auto& contents : own) append(message, contents);
  const auto messages = ranks.all_gather(message);
  std::vector<std::string_view> rest(messages.begin(), messages.end());
  std::vector<Contents> all;
  auto next = own.begin();
  for (const auto& record : block) {
    const int reader = reader_of(record, ranks.size());
    all.push_back(reader == ranks.rank() ? std::move(*next++) : take_contents(rest[reader], record.epoch));
  }
  return all;
}

}  // namespace bert::examples
