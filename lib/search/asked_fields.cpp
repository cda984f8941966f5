#include "search/asked_fields.h"

#include <cstdint>
#include <string_view>

#include "base/checksum.h"
#include "base/error.h"
#include "io/pull_reader.h"
#include "io/record_reader.h"

namespace bert::search {
namespace {

// A checksum of the names of the fields that are read of each record.
uint64_t fields_of(const std::string& path, const io::StreamOptions& options, const AskedFields& asked) {
  auto stream = options;
  stream.files = {path};
  stream.found = true;
  stream.note = stream.detail = nullptr;
  stream.usual.fields = io::asked_text_field(asked.text);
  io::PullReader reader(stream);
  io::RawRecordReader parser(stream.invalid_utf8, io::OnError::skip);
  Checksum checksum;
  io::RawRecord raw;
  while (reader.next(raw)) {
    parser.read(raw, [&](const io::Fields& fields, const io::Record& record) {
      const std::string_view pair = fields.has(asked.pair) ? std::string_view(asked.pair) : "";
      for (const auto name : {io::name_of(record.source().format), fields.own_name(io::kTextField), pair}) {
        checksum.add(name);
        checksum.add("\n");
      }
    });
  }
  return checksum.value();
}

}  // namespace

bool reads_same(const std::string& path, const io::StreamOptions& stream, const AskedFields& a,
                const AskedFields& b) {
  const auto format = io::input_format_by_suffix(path);
  const bool may_have_fields = format && io::entry(*format).kind != io::RecordKind::text;
  if (a == b || !may_have_fields) return true;
  try {
    return fields_of(path, stream, a) == fields_of(path, stream, b);
  } catch (const Error&) {
    return false;  // it is reported when the file is read
  }
}

}  // namespace bert::search
