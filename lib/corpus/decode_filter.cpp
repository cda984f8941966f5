#include "corpus/decode_filter.h"

#include "features/given_ids.h"
#include "json/json.h"

namespace bert::corpus {

struct DecodeFilter::Prepared : io::Work {
  std::string text;
};

DecodeFilter::DecodeFilter(const text::Tokenizer& tokenizer, std::string text_field,
                           std::vector<std::string> drop)
    : tokenizer_(tokenizer), text_field_(std::move(text_field)), writer_(std::move(drop)) {}

void DecodeFilter::prepare(const io::Fields& fields, io::Record& record) const {
  const bool is_json = record.source().format == io::InputFormat::jsonl;
  const bool is_table = io::is_table(record.source().format);
  const auto ids =
      is_json ? features::ids_of(tokenizer_, fields)
              : features::ids_of_line(tokenizer_, fields.required_text(is_table ? "input_ids" : text_field_));
  auto prepared = std::make_unique<Prepared>();
  prepared->text = tokenizer_.decode(ids, text::Tokenizer::Specials::skip);
  record.work = std::move(prepared);
}

void DecodeFilter::finish(io::Record& record, std::string& out) const {
  io::Added added;
  json::append_string(added.field(text_field_), record.work_as<Prepared>().text);
  writer_.write(record, added, out);
}

}  // namespace bert::corpus
