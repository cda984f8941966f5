// The teacher's vectors that the sentence vectors of a run are to equal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "examples/embed_example.h"
#include "examples/record_source.h"
#include "heads/vector_model.h"
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

  // The vector of the first record.
  struct First {
    int64_t width = 0;  // 0: it has none
    std::string model;  // see heads::read_vector_model
  };

  // Opens the files of vectors in the options. Throws Error if the teacher's vectors are not found or cannot
  // be learned.
  Teacher(const EmbedTaskOptions& options, const Student& student, const First& first);

  const nn::VectorLossOptions& loss() const { return loss_; }
  int64_t width() const { return width_; }
  // Whether the student needs a new projection to have vectors of the teacher's width.
  bool needs_projection() const { return width_ != student_.width; }

  examples::TeacherVectors training_vectors() const { return {file_ ? &*file_ : nullptr, width_}; }
  examples::TeacherVectors dev_vectors() const { return {dev_file_ ? &*dev_file_ : nullptr, width_}; }
  // A reader of the same examples, which takes only vectors of this teacher from records.
  std::unique_ptr<examples::ExampleReader> of_one(std::unique_ptr<examples::ExampleReader> reader) const;
  // Whether the teacher is the model in this directory, as far as is known; "": a new model.
  bool is(const std::string& directory, const text::Tokenizer& tokenizer) const;

  // Throw Error unless a file of vectors has a row for each record.
  void require_rows(const examples::RecordSource& records) const;
  void require_dev_rows(const examples::RecordSource& records) const;
  // Warns if the student's vectors cannot have the lengths of the teacher's, or some have none. Throws Error
  // if all are 0.
  void compare_lengths(double least, double most, Log& log) const;

  void add_settings(Settings& settings) const;

 private:
  class Reader;
  int64_t width_of(const EmbedTaskOptions& options, int64_t first) const;
  // How vectors with this description are those of another teacher: "pooling cls, ... mean"; "" if they are
  // not.
  std::string mismatch(std::string_view model) const;

  const Student student_;
  nn::VectorLossOptions loss_;
  std::optional<io::ArrayFile> file_, dev_file_;
  std::string whose_;                        // the subject of messages about model_: "texts.npy has"
  std::optional<heads::VectorModel> model_;  // nullopt: unknown
  bool in_records_ = false;                  // the first record has a vector
  int64_t width_ = 0;
};

}  // namespace bert::train
