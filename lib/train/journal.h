// What a run tells: JSON lines on stdout for programs, a line on stderr for a person.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/output_file.h"

namespace bert::train {

struct Metric {
  std::string_view name;
  double value;
};

// Means over the steps since the last line.
struct StepLine {
  int64_t step = 0;  // steps done
  double loss = 0;
  std::span<const Metric> parts;  // of the loss: mlm_loss, nsp_loss
  double learning_rate = 0;       // of the step
  double gradient_norm = 0;       // before clipping
  double tokens_per_second = 0;
  double seconds = 0;  // since the run began, earlier parts of a resumed one included
};

// {"step":1200,"loss":6.12,"mlm_loss":5.5,"nsp_loss":0.62,"lr":0.00081,"gradient_norm":1.3,
//  "tokens_per_second":6540,"seconds":183.5}
std::string json_line(const StepLine& line);

// {"step":1200,"dev_loss":6.2,"dev_mlm_loss":5.6,"dev_mlm_accuracy":0.31}: "dev_" is put before each name;
// in full, to be compared with what bert-score says.
std::string json_line(int64_t step, std::span<const Metric> dev);

// Each line is passed on at once. Write errors as those of any output (OutputFile).
class Journal {
 public:
  void write(const StepLine& line) { out_.write(json_line(line)); }
  void write_dev(int64_t step, std::span<const Metric> dev) { out_.write(json_line(step, dev)); }
  void commit() { out_.commit(); }

 private:
  OutputFile out_{"-"};
};

// "step 1200/20000  loss 6.12  lr 8.1e-04  6,540 tokens/s  1 h 12 min left"
struct ProgressLine {
  int64_t step = 0;
  std::optional<int64_t> steps;  // in all, where that is known
  double loss = 0, learning_rate = 0, tokens_per_second = 0;
  std::optional<double> seconds_left;
};
std::string text(const ProgressLine& line);

}  // namespace bert::train
