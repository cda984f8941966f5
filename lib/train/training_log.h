// The training log: JSON lines on stdout for programs, on a terminal a table for people, and a progress line
// on stderr.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/output_file.h"
#include "metric/metrics.h"

namespace bert::train {

struct Baseline;

constexpr std::string_view kDevPrefix = "dev_";  // begins the name of a metric of the dev set

// Means over the steps since the last line.
struct StepLine {
  int64_t step = 0;  // steps done
  double loss = 0;
  std::span<const metric::Value> parts;  // of the loss: mlm_loss, nsp_loss
  double learning_rate = 0;              // of the last step
  double gradient_norm = 0;              // before clipping
  double tokens_per_second = 0;
  double seconds = 0;               // since the start of the run, including the time before a resume
  std::optional<double> peak_rate;  // in the first line of a run with the default learning rate
};

// {"step":1200,"loss":6.12,"mlm_loss":5.5,"nsp_loss":0.62,"lr":0.00081,"gradient_norm":1.3,
//  "tokens_per_second":6540,"seconds":183.5}, in the first line perhaps also "peak_lr":0.001
std::string json_line(const StepLine& line);

// {"step":1200,"dev_loss":6.2,"dev_mlm_loss":5.6,"dev_mlm_accuracy":0.31}: adds "dev_" to each name. Values
// are not rounded, for comparison with bert-score.
std::string json_line(int64_t step, std::span<const metric::Value> dev);

// {"baseline":"majority","dev_loss":0.69,"dev_accuracy":0.51}
std::string json_line(const Baseline& baseline);

// The same for people: rows of an aligned table, the metrics of the dev set with their names.
std::string table_header(const StepLine& line);
std::string table_line(const StepLine& line);
std::string table_line(int64_t step, std::span<const metric::Value> dev);
std::string table_line(const Baseline& baseline);

// JSON lines; on a terminal a table. Flushes each line. Reports write errors like all outputs (OutputFile).
class TrainingLog {
 public:
  TrainingLog();

  void write(const StepLine& line);
  void write_dev(int64_t step, std::span<const metric::Value> dev) {
    out_.write(is_table_ ? table_line(step, dev) : json_line(step, dev));
  }
  void write(const Baseline& baseline);
  void commit() { out_.commit(); }

 private:
  OutputFile out_{"-"};
  bool is_table_, has_header_ = false;
};

// "step 1200/20000  loss 6.12  lr 8.1e-04  6,540 tokens/s  1 h 12 min left"
struct ProgressLine {
  int64_t step = 0;
  std::optional<int64_t> steps;  // total, if known
  double loss = 0, learning_rate = 0, tokens_per_second = 0;
  std::optional<double> seconds_left;
};
std::string text(const ProgressLine& line);

}  // namespace bert::train
