#include "io/sink.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "io/array_rows.h"

namespace bert::io {
namespace {

void require_regular(const OutputFile& file, const std::string& name) {
  if (file.can_rewrite()) return;
  constexpr std::string_view kWhy = "the header of this format is completed at the end";
  if (!names_stdout(name)) throw Error(name, ": is a pipe or a device, not a regular file; ", kWhy);
  throw Error("stdout: ", kWhy, ", which needs a file: use -o FILE or > FILE");
}

// "the columns "a" and "b"": at most three of their names.
std::string listed(const std::vector<LostField>& fields) {
  constexpr size_t kShown = 3;
  std::string text = fields.front().is_column ? "the column" : "the field";
  if (fields.size() > 1) text += 's';
  for (size_t i = 0; i < std::min(kShown, fields.size()); ++i) {
    text += i == 0 ? " " : ", ";
    text += json::in_quotes(fields[i].name);
  }
  if (fields.size() > kShown) text += " and " + std::to_string(fields.size() - kShown) + " more";
  return text;
}

}  // namespace

Sink::Sink(const StreamOptions& options, OutputFile& file)
    : options_(options),
      format_(entry(options.format)),
      file_(file),
      fields_(options.format, options.keep, options.drop) {
  if (format_.row.header_bytes > 0) require_regular(file, options.output);
  // Until the header is completed, so that nobody reads an incomplete file.
  file_.write(std::string(format_.row.header_bytes, '\0'));
  file_.write(format_.text.begin);
}

std::vector<UnfitRecord> Sink::write(const Output& output, const Source* source) {
  if (output.empty()) return {};
  if (std::exchange(wrote_, true)) file_.write(format_.text.between);
  if (source != nullptr)
    fields_.set_origin(source->name,
                       is_json(source->format) ? OutputFields::Fields::any : OutputFields::Fields::alike,
                       options_.several() ? OutputFields::Files::several : OutputFields::Files::one);
  text_.clear();
  if (lost_.empty()) lost_ = output.lost();
  auto unfit = fields_.write(output, options_.on_error, text_);
  file_.write(text_);
  file_.write(output.written());
  return unfit;
}

std::optional<std::string> Sink::write_withheld(Filter& filter, Filter::Ending ending, Log& log,
                                                RunResult& result) {
  Output output;
  int64_t skipped = 0;
  for (start(output); filter.release(ending, output); output.clear())
    if (auto failure = write_withheld(output, log, skipped)) return failure;
  if (ending == Filter::Ending::complete) {
    output.clear();
    filter.end(output);
    if (auto failure = write_withheld(output, log, skipped)) return failure;
  }
  if (skipped > 0) log.error(counted(skipped, "record", "records") + " skipped");
  result.records -= skipped;
  result.skipped += skipped;
  return std::nullopt;
}

std::optional<std::string> Sink::write_withheld(const Output& output, Log& log, int64_t& skipped) {
  for (auto& [place, message] : write(output)) {
    if (options_.on_error == OnError::stop) return std::move(message);
    log.error(message);
    ++skipped;
  }
  return std::nullopt;
}

std::vector<std::string> Sink::notes() const {
  auto notes = fields_.unknown_names();
  for (const bool is_replaced : {true, false}) {
    auto fields = lost_;
    std::erase_if(fields, [&](const LostField& field) { return field.is_replaced != is_replaced; });
    if (fields.empty()) continue;
    const bool one = fields.size() == 1;
    notes.push_back(fields.front().file + ": " + listed(fields) + (one ? " was " : " were ") +
                    (is_replaced ? "replaced by " : "left out as ") + (one ? "that of " : "those of ") +
                    (is_replaced ? "this tool" : "an earlier run") +
                    (one ? "; rename it to keep it" : "; rename them to keep them"));
  }
  return notes;
}

void Sink::end(Filter::Ending ending) {
  text_ = format_.text.end;
  if (ending == Filter::Ending::complete) fields_.end(text_);
  file_.write(text_);
}

void Sink::complete_header(int64_t columns) {
  const auto& [append, number_bytes, header_bytes] = format_.row;
  if (header_bytes == 0) return;
  const int64_t row_bytes = columns * number_bytes;
  const int64_t bytes = file_.size() - header_bytes;
  file_.rewrite(0, npy_header({.rows = row_bytes > 0 ? bytes / row_bytes : 0,
                               .columns = columns,
                               .number_bytes = number_bytes}));
}

}  // namespace bert::io
