#include "io/pull_reader.h"

#include <algorithm>

#include "base/error.h"
#include "json/utf8.h"

namespace bert::io {
namespace {

// Enough for one or more training steps, so that their records are available when a step starts.
size_t chunks_ahead(const StreamOptions& options) {
  constexpr size_t kBytes = 4 << 20, kMost = 1024;
  return std::clamp<size_t>(kBytes / options.chunk_bytes, 4, kMost);
}

const StreamOptions& with_files(const StreamOptions& options) {
  check_files(options);
  return options;
}

}  // namespace

PullReader::PullReader(const StreamOptions& options, Interrupted interrupted)
    : options_(with_files(options)),
      interrupted_(std::move(interrupted)),
      ring_(chunks_ahead(options)),
      input_(options_, {.bytes = options.chunk_bytes, .records = options.chunk_records}, ring_, stop_.get(),
             [this](Chunk& chunk) { ring_.put(chunk, Ring::State::finished); }),
      thread_(start_thread([this] { input_.run(); })) {}

PullReader::~PullReader() {
  ring_.stop();
  stop_.set();
  thread_.join();
}

const Chunk* PullReader::next_chunk() {
  while (!ended_) {
    if (chunk_ != nullptr) {
      if (chunk_->failure) throw Error(*chunk_->failure);
      ring_.release(*std::exchange(chunk_, nullptr));
    }
    cut_ = 0;
    chunk_ = ring_.take_finished(interrupted_);
    if (chunk_ == nullptr) {
      ended_ = !(interrupted_ && interrupted_());
      return nullptr;
    }
    if (chunk_->skipped_file && options_.left_out) options_.left_out(*chunk_->skipped_file);
    if (!chunk_->cuts.empty()) return chunk_;
  }
  return nullptr;
}

int64_t PullReader::characters_before(const Cut& cut) {
  if (cut_ == 0) {
    counted_ = 0;
    characters_ = chunk_->characters;
  }
  const std::string_view data(chunk_->data);
  characters_ += json::count_code_points(data.substr(counted_, cut.begin - counted_));
  counted_ = cut.begin;
  return characters_;
}

bool PullReader::next(RawRecord& record) {
  if ((chunk_ == nullptr || cut_ == chunk_->cuts.size()) && next_chunk() == nullptr) return false;
  const Cut& cut = chunk_->cuts[cut_];
  record.source = chunk_->source;
  record.line = cut.line;
  if (chunk_->source->located) record.characters = characters_before(cut);
  record.place = chunk_->first_place + cut_;
  record.bytes.reserve(cut.size + json::kPadding);
  record.bytes.assign(chunk_->data, cut.begin, cut.size);
  record.bytes.append(json::kPadding, '\0');
  if (!chunk_->contexts.empty()) record.context = std::move(chunk_->contexts[cut_]);
  ++cut_;
  return true;
}

}  // namespace bert::io
