#include "search/vectors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/dtype.h"
#include "base/error.h"
#include "nn/dot.h"
#include "nn/kernels/kernels.h"

namespace bert::search {
namespace {

io::ArrayShape shape_of(const MappedFile& file, std::optional<int64_t> width) {
  try {
    return io::shape_of_file(file.path(), file.text(), file.bytes().size(), width);
  } catch (const Error& error) {
    throw Error(file.path(), ": ", error.what());
  }
}

float* reserve(nn::Memory& memory, int64_t floats) {
  if (memory.size() < static_cast<size_t>(floats)) memory = nn::Memory(floats);
  return memory.data();
}

}  // namespace

// Plain sums in f64 would take most of the time of a search for one query.
float norm(std::span<const float> values) {
  const auto rest = values.last(values.size() % 16);
  const auto whole = static_cast<int64_t>(values.size() - rest.size());
  const double squares =
      nn::usable_kernels().sum_of_squares(whole, values.data()) + nn::dot(rest, rest.data());
  const double norm = std::sqrt(squares);
  return norm > std::numeric_limits<float>::max() ? INFINITY : norm;
}

int64_t Vectors::measure(int64_t b, const float* numbers, std::span<float> norms) const {
  const int64_t begin = b * kBlock, end = std::min(rows(), begin + kBlock);
  int64_t bad = rows();
  for (int64_t i = begin; i < end; ++i, numbers += width_) {
    const std::span<const float> row(numbers, width_);
    const float length = norms[i] = norm(row);
    if (std::isfinite(length) || std::ranges::all_of(row, [](float x) { return std::isfinite(x); })) continue;
    bad = std::min(bad, i);
  }
  return bad;
}

void Vectors::measure(Pool& pool) {
  norms_.resize(rows());
  std::vector<nn::Memory> scratch(pool.size());
  std::vector<int64_t> bad(pool.size(), rows());
  pool.run_grid(blocks(), [&](int64_t b, int thread) {
    bad[thread] = std::min(bad[thread], measure(b, block(b, scratch[thread]), norms_));
  });
  if (const int64_t first = std::ranges::min(bad); first < rows()) refuse(first);
}

void Vectors::refuse(int64_t row) const {
  throw Error(file() == nullptr ? "" : file()->path() + ": ", "row ", row,
              " has a number that is not finite");
}

MappedVectors::MappedVectors(const std::string& path, std::optional<int64_t> width)
    : Vectors(0), file_(path), shape_(shape_of(file_, width)) {
  rows_ = shape_.rows;
  width_ = shape_.width;
}

MappedVectors::MappedVectors(const std::string& path, std::optional<int64_t> width, Pool& pool)
    : MappedVectors(path, width) {
  measure(pool);
}

const std::byte* MappedVectors::bytes_of(int64_t row) const {
  return file_.bytes().data() + shape_.begin + row * shape_.row_bytes();
}

const float* MappedVectors::copy(int64_t begin, int64_t count, nn::Memory& scratch) const {
  float* const to = reserve(scratch, kBlock * width_);
  to_f32(shape_.dtype, bytes_of(begin), std::span(to, count * width_));
  return to;
}

bool MappedVectors::is_in_place(const std::byte* row) const {
  return shape_.dtype == Dtype::f32 && reinterpret_cast<uintptr_t>(row) % alignof(float) == 0;
}

const float* MappedVectors::block(int64_t b, nn::Memory& scratch) const {
  const int64_t begin = b * kBlock;
  const std::byte* const bytes = bytes_of(begin);
  if (is_in_place(bytes) && begin + kBlock <= rows()) return reinterpret_cast<const float*>(bytes);
  return copy(begin, std::min(kBlock, rows() - begin), scratch);
}

const float* MappedVectors::row(int64_t i, nn::Memory& scratch) const {
  const std::byte* const bytes = bytes_of(i);
  return is_in_place(bytes) ? reinterpret_cast<const float*>(bytes) : copy(i, 1, scratch);
}

void MappedVectors::release(int64_t b) const {
  const int64_t count = std::min(kBlock, rows() - b * kBlock);
  MappedFile::release({bytes_of(b * kBlock), count * shape_.row_bytes()});
}

void StoredVectors::add(std::span<const float> row) {
  const int64_t at = rows() % kBlock;
  if (at == 0) blocks_.emplace_back(kBlock * width_);
  std::ranges::copy(row, blocks_.back().data() + at * width_);
  norms_.push_back(norm(row));
  ++rows_;
}

const float* StoredVectors::block(int64_t b, nn::Memory&) const { return blocks_[b].data(); }

const float* StoredVectors::row(int64_t i, nn::Memory&) const {
  return blocks_[i / kBlock].data() + i % kBlock * width_;
}

SelectedVectors::SelectedVectors(const Vectors& from, std::vector<int64_t> rows)
    : Vectors(from.width()), from_(from), places_(std::move(rows)) {
  rows_ = std::ssize(places_);
  if (from.norms().empty()) return;
  norms_.reserve(places_.size());
  for (const int64_t place : places_) norms_.push_back(from.norms()[place]);
}

const float* SelectedVectors::block(int64_t b, nn::Memory& scratch) const {
  float* const to = reserve(scratch, kBlock * width_);
  nn::Memory one;
  const int64_t begin = b * kBlock, count = std::min(kBlock, rows() - begin);
  for (int64_t i = 0; i < count; ++i) std::copy_n(row(begin + i, one), width_, to + i * width_);
  return to;
}

const float* SelectedVectors::row(int64_t i, nn::Memory& scratch) const {
  return from_.row(places_[i], scratch);
}

}  // namespace bert::search
