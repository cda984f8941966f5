// Throughput of the record stream alone, in MB/s of input: text, JSONL unchanged, and JSONL with a field
// replaced. `stream_bench [MEGABYTES]`; input and output are in memory or discarded.
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/output_file.h"
#include "io/stream.h"
#include "json/json.h"

using namespace bert;
using namespace bert::io;

namespace {

class Passing : public Filter {
 public:
  explicit Passing(std::string_view added) : added_(added) {}
  void prepare(const Fields& fields, Record&) const override { fields.required_text("text"); }
  void finish(Record& record, Output& out) const override {
    Added added;
    if (!added_.empty()) bert::json::append_integer(added.field(added_), record.place());
    out.record(record, added);
  }

 private:
  std::string_view added_;
};

std::string lines(size_t bytes, InputFormat format) {
  static constexpr std::string_view kText =
      "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of "
      "foolishness";
  std::string all;
  for (size_t i = 0; all.size() < bytes; ++i) {
    const auto text = kText.substr(0, 20 + i * 7919 % (kText.size() - 20));
    if (format == InputFormat::jsonl) all += "{\"id\": " + std::to_string(i) + ", \"text\": \"";
    all += text;
    all += format == InputFormat::jsonl ? "\"}\n" : "\n";
  }
  return all;
}

void measure(const char* name, size_t bytes, InputFormat format, std::string_view added) {
  const int memory = ::memfd_create("input", 0);
  const std::string path = "/dev/fd/" + std::to_string(memory);
  {
    const std::string text = lines(bytes, format);
    if (::write(memory, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      throw Error("no memory");
  }
  for (const int threads : {1, 2}) {
    StreamOptions options;
    options.files = {path};
    options.output = "/dev/null";
    options.input_format = format;
    Pool pool(threads);
    Log log("stream_bench");
    Passing filter(added);
    double best_s = 1e9;
    for (int round = 0; round < 5; ++round) {
      const auto begin = std::chrono::steady_clock::now();
      run_stream(options, pool, log, filter);
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      best_s = std::min(best_s, passed.count());
    }
    std::printf("%-22s %d threads %8.0f MB/s\n", name, threads, static_cast<double>(bytes) / best_s / 1e6);
  }
  ::close(memory);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t bytes = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200) * 1000000;
  try {
    measure("text to JSONL", bytes, InputFormat::text, "");
    measure("JSONL as it came", bytes, InputFormat::jsonl, "");
    measure("JSONL, field added", bytes, InputFormat::jsonl, "place");
    measure("JSONL, field replaced", bytes, InputFormat::jsonl, "id");
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
