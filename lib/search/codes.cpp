#include "search/codes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "base/checksum.h"
#include "base/error.h"
#include "base/option.h"
#include "nn/blocks.h"
#include "nn/dot.h"

namespace bert::search {
namespace {

constexpr std::string_view kAnyMagic = "bert-search codes ";
constexpr std::string_view kMagic = "bert-search codes 1\n";
constexpr std::string_view kAgain = "; remove it to make it again";
constexpr size_t kHeaderBytes = 128, kAligned = 64;
constexpr int64_t kPart = 64;  // blocks that are coded before they are written

struct Header {
  uint64_t kind, width, rows, unit;  // unit: there are no norms
  FileState state;                   // of the vectors' file
  uint64_t vectors;                  // its checksum
};
static_assert(kMagic.size() + sizeof(Header) <= kHeaderBytes);

size_t bytes_of_row(Codes::Kind kind, int64_t width) {
  return kind == Codes::Kind::int8 ? width : (width + 7) / 8;
}

size_t place_of_codes(const Header& header) {
  const uint64_t floats = 2 * header.width + (header.unit != 0 ? 0 : header.rows);
  return nn::round_up(static_cast<int64_t>(kHeaderBytes + floats * sizeof(float)), kAligned);
}

template <class T>
std::string_view text_of(const T& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])};
}

// What is known of one number of all directions.
struct Range {
  float least = INFINITY, most = -INFINITY;
  double sum = 0, squares = 0;

  void add(const Range& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    sum += other.sum;
    squares += other.squares;
  }
};

class Coder {
 public:
  Coder(const Vectors& vectors, Codes::Kind kind, Pool& pool)
      : vectors_(vectors),
        kind_(kind),
        pool_(pool),
        width_(vectors.width()),
        norms_(vectors.rows()),
        scratch_(pool.size()),
        directions_(pool.size(), std::vector<float>(width_)) {
    set_levels(measured());
  }

  void write(OutputFile& to);

 private:
  std::vector<Range> measured();
  void set_levels(std::span<const Range> ranges);
  std::string coded(int64_t begin, int64_t end);
  void code(std::span<const float> direction, std::byte* to) const;

  // Calls run(row, direction) for the rows of a block.
  template <class Run>
  void for_rows(int64_t b, int thread, Run run) {
    const float* numbers = vectors_.block(b, scratch_[thread]);
    auto& direction = directions_[thread];
    for (int64_t i = b * kBlock; i < std::min(vectors_.rows(), (b + 1) * kBlock); ++i, numbers += width_) {
      const double norm = std::sqrt(nn::dot({numbers, static_cast<size_t>(width_)}, numbers));
      norms_[i] = static_cast<float>(std::min<double>(norm, std::numeric_limits<float>::max()));
      const double scale = norm > 0 ? 1 / norm : 0;
      for (int64_t d = 0; d < width_; ++d) direction[d] = static_cast<float>(numbers[d] * scale);
      run(i, direction);
    }
    vectors_.release(b);
  }

  const Vectors& vectors_;
  const Codes::Kind kind_;
  Pool& pool_;
  const int64_t width_;
  std::vector<float> norms_, low_, step_;
  std::vector<nn::Memory> scratch_;  // for each thread
  std::vector<std::vector<float>> directions_;
};

// Blocks are added in order, so that sums do not depend on threads.
std::vector<Range> Coder::measured() {
  std::vector<Range> all(width_);
  std::atomic<int64_t> bad = vectors_.rows();  // the first row with a number that is not finite
  for (int64_t begin = 0; begin < vectors_.blocks(); begin += kPart) {
    std::vector<std::vector<Range>> parts(std::min(kPart, vectors_.blocks() - begin));
    pool_.run_grid(std::ssize(parts), [&](int64_t part, int thread) {
      auto& ranges = parts[part];
      ranges.resize(width_);
      for_rows(begin + part, thread, [&](int64_t row, std::span<const float> direction) {
        for (int64_t d = 0; d < width_; ++d) {
          const float x = direction[d];
          ranges[d].add({.least = x, .most = x, .sum = x, .squares = static_cast<double>(x) * x});
        }
        if (std::ranges::all_of(direction, [](float x) { return std::isfinite(x); })) return;
        for (int64_t first = bad; row < first && !bad.compare_exchange_weak(first, row);) {
        }
      });
    });
    for (const auto& ranges : parts)
      for (int64_t d = 0; d < width_; ++d) all[d].add(ranges[d]);
  }
  if (bad < vectors_.rows())
    throw Error(vectors_.file()->path(), ": row ", bad, " has a number that is not finite");
  return all;
}

// A number of Gaussian directions differs from the mean by √(2/π) standard deviations on average.
void Coder::set_levels(std::span<const Range> ranges) {
  const double rows = vectors_.rows();
  for (const Range& range : ranges) {
    const double mean = range.sum / rows, variance = std::max(0.0, range.squares / rows - mean * mean);
    const double deviation = std::sqrt(variance * 2 / std::numbers::pi);
    const bool is_sign = kind_ == Codes::Kind::sign;
    low_.push_back(static_cast<float>(is_sign ? mean - deviation : range.least));
    step_.push_back(static_cast<float>(is_sign ? 2 * deviation : (double(range.most) - range.least) / 255));
  }
}

void Coder::code(std::span<const float> direction, std::byte* to) const {
  const bool is_sign = kind_ == Codes::Kind::sign;
  for (int64_t d = 0; d < width_; ++d) {
    const float steps = step_[d] > 0 ? (direction[d] - low_[d]) / step_[d] + 0.5f : 0;
    if (is_sign) {
      if (steps >= 1) to[d / 8] |= std::byte{1} << (d % 8);
    } else {
      to[d] = static_cast<std::byte>(std::clamp(steps, 0.0f, 255.0f));
    }
  }
}

std::string Coder::coded(int64_t begin, int64_t end) {
  const int64_t first = begin * kBlock, rows = std::min(vectors_.rows(), end * kBlock) - first;
  const size_t row_bytes = bytes_of_row(kind_, width_);
  std::string bytes(rows * row_bytes, '\0');
  auto* const to = reinterpret_cast<std::byte*>(bytes.data());
  pool_.run_grid(end - begin, [&](int64_t i, int thread) {
    for_rows(begin + i, thread, [&](int64_t row, std::span<const float> direction) {
      code(direction, to + (row - first) * row_bytes);
    });
  });
  return bytes;
}

void Coder::write(OutputFile& to) {
  const MappedFile& file = *vectors_.file();
  const bool unit = std::ranges::all_of(norms_, [](float norm) { return std::abs(norm - 1) < 1e-2f; });
  const Header header = {.kind = static_cast<uint64_t>(kind_),
                         .width = static_cast<uint64_t>(width_),
                         .rows = static_cast<uint64_t>(vectors_.rows()),
                         .unit = unit,
                         .state = FileState::of(file.path()),
                         .vectors = checksum(file)};
  file.require_unchanged();  // so the state is that of the file that was read
  Checksum sum;
  const auto add = [&](std::string_view bytes) {
    sum.add(bytes);
    to.write(bytes);
  };
  const auto pad = [&](size_t size) { add(std::string(size - to.size(), '\0')); };
  add(kMagic);
  add(text_of(std::span(&header, 1)));
  pad(kHeaderBytes);
  add(text_of(low_));
  add(text_of(step_));
  if (!unit) add(text_of(norms_));
  pad(place_of_codes(header));
  for (int64_t begin = 0; begin < vectors_.blocks(); begin += kPart)
    add(coded(begin, std::min(begin + kPart, vectors_.blocks())));
  file.require_unchanged();
  const uint64_t value = sum.value();
  to.write(text_of(std::span(&value, 1)));
  to.commit();
}

// The codes of a byte, lowest bit first.
using Unpacked = std::array<uint8_t, 8>;
constexpr auto kUnpacked = [] {
  std::array<Unpacked, 256> all = {};
  for (size_t byte = 0; byte < all.size(); ++byte)
    for (size_t bit = 0; bit < 8; ++bit) all[byte][bit] = byte >> bit & 1;
  return all;
}();

}  // namespace

void Codes::write(OutputFile& to, const Vectors& vectors, Kind kind, Pool& pool) {
  Coder(vectors, kind, pool).write(to);
}

bool Codes::is_file(std::string_view begin) { return begin.starts_with(kAnyMagic); }

Codes::Codes(const std::string& path) : file_(path) {
  const auto text = file_.text();
  const auto require = [&](bool fits, std::string_view what) {
    if (!fits) throw Error(path, what, kAgain);
  };
  if (!is_file(text)) throw Error(path, ": has no codes that bert-search has written");
  require(text.starts_with(kMagic), ": has the codes of another version of bert-search");
  constexpr std::string_view kDamaged = ": is damaged";
  require(text.size() >= kHeaderBytes, kDamaged);
  Header header;
  std::memcpy(&header, text.data() + kMagic.size(), sizeof header);
  require(header.kind < std::size(kCodeNames) && header.width > 0 && header.width <= text.size(), kDamaged);
  kind_ = static_cast<Kind>(header.kind);
  width_ = header.width;
  row_bytes_ = bytes_of_row(kind_, width_);
  require(header.rows <= text.size() / row_bytes_, kDamaged);
  rows_ = header.rows;
  depth_ = kind_ == Kind::int8 ? width_ : static_cast<int64_t>(8 * row_bytes_);
  const size_t begin = place_of_codes(header), end = begin + rows_ * row_bytes_;
  require(text.size() == end + sizeof(uint64_t), kDamaged);
  Checksum sum;
  sum.add(text.substr(0, end));
  uint64_t stored = 0;
  std::memcpy(&stored, text.data() + end, sizeof stored);
  require(stored == sum.value(), kDamaged);
  const std::span floats(reinterpret_cast<const float*>(text.data() + kHeaderBytes),
                         2 * width_ + (header.unit != 0 ? 0 : rows_));
  require(std::ranges::all_of(floats, [](float x) { return std::isfinite(x); }), kDamaged);
  low_ = floats.first(width_);
  step_ = floats.subspan(width_, width_);
  norms_ = floats.subspan(2 * width_);
  codes_ = reinterpret_cast<const uint8_t*>(text.data()) + begin;
  state_ = header.state;
  vectors_ = header.vectors;
}

void Codes::require_of(const Vectors& vectors, std::optional<Kind> kind) const {
  const auto name = [](Kind of) { return kCodeNames[static_cast<size_t>(of)].first; };
  if (kind && kind_ != *kind)
    throw Error(file_.path(), ": has codes of the kind ", name(kind_), ", not ", name(*kind), kAgain);
  const MappedFile& file = *vectors.file();
  if (vectors.width() != width_ || vectors.rows() != rows_ ||
      (FileState::of(file.path()) != state_ && checksum(file) != vectors_))
    throw Error(file_.path(), ": has the codes of other vectors", kAgain);
  file.require_unchanged();
}

const uint8_t* Codes::rows(int64_t begin, int64_t count, std::vector<uint8_t>& scratch) const {
  const uint8_t* const from = codes_ + begin * row_bytes_;
  if (kind_ == Kind::int8) return from;
  const size_t bytes = count * row_bytes_;
  scratch.resize(8 * bytes);
  for (size_t i = 0; i < bytes; ++i)
    std::memcpy(scratch.data() + 8 * i, kUnpacked[from[i]].data(), sizeof(Unpacked));
  return scratch.data();
}

const uint8_t* Codes::block(int64_t b, std::vector<uint8_t>& scratch) const {
  return rows(b * kBlock, std::min(kBlock, rows_ - b * kBlock), scratch);
}

CodedVectors::CodedVectors(const std::string& path) : Vectors(0), codes_(path) {
  rows_ = codes_.rows();
  width_ = codes_.width();
}

CodedVectors::CodedVectors(const std::string& path, Pool& pool) : CodedVectors(path) { measure(pool); }

const float* CodedVectors::decoded(int64_t begin, int64_t count, nn::Memory& scratch) const {
  const size_t floats = kBlock * width_;
  if (scratch.size() < floats) scratch = nn::Memory(floats);
  std::vector<uint8_t> unpacked;
  const uint8_t* codes = codes_.rows(begin, count, unpacked);
  const auto low = codes_.low(), step = codes_.step(), norms = codes_.norms();
  float* to = scratch.data();
  for (int64_t i = begin; i < begin + count; ++i, codes += codes_.depth(), to += width_) {
    const float norm = norms.empty() ? 1 : norms[i];
    for (int64_t d = 0; d < width_; ++d) to[d] = norm * (low[d] + step[d] * codes[d]);
  }
  return scratch.data();
}

const float* CodedVectors::block(int64_t b, nn::Memory& scratch) const {
  return decoded(b * kBlock, std::min(kBlock, rows() - b * kBlock), scratch);
}

const float* CodedVectors::row(int64_t i, nn::Memory& scratch) const { return decoded(i, 1, scratch); }

}  // namespace bert::search
