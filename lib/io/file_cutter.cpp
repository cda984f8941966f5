#include "base/error.h"
#include "io/line_cutter.h"

namespace bert::io {
namespace {

// Each named FILE is one record, even if empty; an empty stdin has no record. With a Location, a blank FILE
// has none.
class FileCutter final : public RecordCutter {
 public:
  explicit FileCutter(const CutterOptions& options)
      : input_(options.input), located_(options.source.located) {}

  bool fill(Chunk& chunk) override {
    size_t size = 0;
    try {
      while (!ended_ && input_.read_more()) {
      }
      size = input_.unread().size();
      const bool wanted = located_ ? !is_blank(input_.unread()) : size > 0 || input_.name() != "-";
      if (!ended_ && wanted) chunk.cuts.push_back({.size = size, .line = 1});
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
  const bool located_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<RecordCutter> make_file_cutter(const CutterOptions& options) {
  return std::make_unique<FileCutter>(options);
}

}  // namespace bert::io
