// Reads the records of a FILE with an example reader.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "examples/example.h"
#include "examples/record_source.h"
#include "examples/steps.h"
#include "records.h"

namespace bert::examples {

// The examples of a FILE with this name and text, in order.
inline Examples read_examples(ExampleReader& reader, const std::string& name, const std::string& text,
                              io::InputFormat format = io::InputFormat::automatic) {
  static Log log("test");
  const io::TemporaryDirectory directory;
  auto stream = stream_of({directory.write(name, text)});
  stream.input_format = format;
  const auto source = open_records(stream, {.order = SourceOptions::Order::given, .epochs = 1}, log);
  Steps steps(*source, reader, {.sequences = 3});
  Examples examples;
  for (Step step; steps.next(step);) {
    for (auto& example : step.batches.front().examples) examples.push_back(std::move(example));
  }
  return examples;
}

// The error message for x.jsonl with this one record: "x.jsonl:1: …".
inline std::string error_of(ExampleReader& reader, const std::string& json) {
  try {
    read_examples(reader, "x.jsonl", json);
  } catch (const Error& error) {
    const std::string message = error.what();
    return message.substr(message.find("x.jsonl"));
  }
  return "";
}

}  // namespace bert::examples
