// Reads the records of an input and passes them through a filter, in one thread.
#pragma once

#include <array>
#include <string>

#include "files.h"
#include "io/input_reader.h"
#include "io/record_reader.h"

namespace bert::fuzz {

inline constexpr std::array kFormats = {
    io::InputFormat::automatic, io::InputFormat::text,  io::InputFormat::paragraphs, io::InputFormat::file,
    io::InputFormat::jsonl,     io::InputFormat::tsv,   io::InputFormat::documents,  io::InputFormat::object,
    io::InputFormat::conll,     io::InputFormat::squad, io::InputFormat::csv,        io::InputFormat::npy,
    io::InputFormat::f32};

// Runs all records through `filter` and skips bad ones; returns the output followed by the error messages.
inline std::string run(const io::StreamOptions& options, io::Filter& filter) {
  std::string out;
  io::Ring ring(2);
  io::RecordReader reader(options.invalid_utf8);
  bool complete = true;
  constexpr int kNeverStopped = -1;
  const auto on_chunk = [&](io::Chunk& chunk) {
    reader.prepare(chunk, filter, io::OnError::skip);
    std::vector<io::Record*> records;
    for (auto& record : chunk.records)
      if (filter.cost(record) > 0) records.push_back(&record);
    try {
      if (!records.empty() && complete) filter.compute(records);
    } catch (const Error& error) {  // ends the stream
      complete = false;
      out += error.what();
    }
    if (!complete) chunk.records.clear();
    io::finish_records(chunk, filter, io::OnError::skip);
    out += chunk.output.written();
    for (const auto& [place, message] : chunk.skipped) out += message;
    if (chunk.failure) {
      out += *chunk.failure;
      complete = false;
      ring.stop();
      return;
    }
    ring.put(chunk, io::Ring::State::finished);
    ring.release(*ring.take_finished());
  };
  io::InputReader input(options, {.bytes = 64, .records = 3}, ring, kNeverStopped, on_chunk);
  input.run();
  while (auto* chunk = ring.take_finished()) {  // the last one carries the reason for a read error
    complete = false;
    out += chunk->failure.value();
    ring.release(*chunk);
  }
  io::Output rest;
  while (filter.release(complete ? io::Filter::Ending::complete : io::Filter::Ending::stopped, rest)) {
  }
  if (complete) filter.end(rest);
  return out + rest.written();
}

}  // namespace bert::fuzz
