// bert-score: predictions, gold labels in a separate FILE and null scores in another, separated by NULs. The
// low half of the first byte selects the task, bit 4 whether the extra FILEs exist, and the rest the format
// of the predictions.
#include "base/log.h"
#include "metric/score_filter.h"
#include "records.h"

using namespace bert;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Files files;
  static Log log("fuzz", Log::Level::quiet);
  if (size == 0) return 0;
  const auto parts = fuzz::parts_of(fuzz::text_of(data + 1, size - 1), 3);
  metric::ScoreFilterOptions score{.on_error = io::OnError::skip};
  const auto tasks = task::tasks_with(&task::Entry::scored);
  score.score.task = tasks[data[0] % 16 % tasks.size()];
  if (data[0] / 16 % 2 == 1) {
    score.gold = files.write("gold", parts[1]);
    if (!parts[2].empty()) score.null_scores = files.write("null_scores", parts[2]);
  }
  io::StreamOptions options{.files = {files.write("predictions", parts[0])}};
  constexpr std::array kForms = {io::InputFormat::automatic, io::InputFormat::tsv, io::InputFormat::conll};
  options.input_format = kForms[data[0] / 32 % kForms.size()];
  options.recognize = metric::recognize_answers;
  fuzz::answered([&] {
    metric::ScoreFilter filter(score, options, log);
    fuzz::run(options, filter);
  });
  return 0;
}
