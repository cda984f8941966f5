// The teacher's vectors that the sentence vectors of a run are to equal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/log.h"
#include "examples/embed_example.h"
#include "examples/record_source.h"
#include "io/array_file.h"
#include "nn/vector_losses.h"
#include "train/settings.h"
#include "train/training_task.h"

namespace bert::train {

// A file of vectors; nullopt if the path is "". `width`: of raw f32 without FILE.json, which would say it.
std::optional<io::ArrayFile> open_vectors(const std::string& path, std::optional<int64_t> width);

class Teacher {
 public:
  // The vectors that the student has without a new projection.
  struct Student {
    int64_t width = 0;
    bool unit_length = false;  // its directory scales them to unit length
    bool projected = false;    // they are made by a projection already
  };

  // Opens the files of vectors in the options. `first`: numbers in the `embedding` of the first record; 0: it
  // has none. Throws Error if the teacher's vectors are not found or cannot be learned.
  Teacher(const EmbedTaskOptions& options, const Student& student, int64_t first);

  const nn::VectorLossOptions& loss() const { return loss_; }
  int64_t width() const { return width_; }
  // Whether the student needs a new projection to have vectors of the teacher's width.
  bool needs_projection() const { return width_ != student_.width; }

  examples::TeacherVectors training_vectors() const { return {file_ ? &*file_ : nullptr, width_}; }
  examples::TeacherVectors dev_vectors() const { return {dev_file_ ? &*dev_file_ : nullptr, width_}; }
  // Throw Error unless a file of vectors has a row for each record.
  void require_rows(const examples::RecordSource& records) const;
  void require_dev_rows(const examples::RecordSource& records) const;
  // Warns if the student's vectors cannot have the lengths of the teacher's.
  void compare_lengths(double least, double most, Log& log) const;

  void add_settings(Settings& settings) const;

 private:
  int64_t width_of(const EmbedTaskOptions& options, int64_t first) const;

  const Student student_;
  nn::VectorLossOptions loss_;
  std::optional<io::ArrayFile> file_, dev_file_;
  int64_t width_ = 0;
};

}  // namespace bert::train
