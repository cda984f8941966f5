#include "base/error.h"
#include "io/record_cutter.h"

namespace bert::io {
namespace {

// Each named FILE is one record, even if empty; an empty stdin has no record.
class FileCutter final : public RecordCutter {
 public:
  explicit FileCutter(const CutterOptions& options) : input_(options.input) {}

  bool fill(Chunk& chunk) override {
    size_t size = 0;
    try {
      while (!ended_ && input_.read_more()) {
      }
      size = input_.unread().size();
      if (!ended_ && (size > 0 || input_.name() != "-")) chunk.cuts.push_back({.size = size, .line = 1});
      ended_ = true;
    } catch (const Error& error) {
      chunk.failure = error.what();
    }
    take_data(input_, size, chunk);
    input_.consume(size);
    return !chunk.cuts.empty() || chunk.failure;
  }

 private:
  Input& input_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<RecordCutter> make_file_cutter(const CutterOptions& options) {
  return std::make_unique<FileCutter>(options);
}

}  // namespace bert::io
