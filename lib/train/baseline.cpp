#include "train/baseline.h"

#include <algorithm>

#include "io/record_reader.h"

namespace bert::train {
namespace {

using examples::SentenceExample;

template <class Use>
void for_each_example(const ReadRecords& records, Use use) {
  constexpr int64_t kTogether = 1024;
  io::RawRecordReader reader(records.source.invalid_utf8(), io::OnError::skip);
  const int64_t count = records.source.records();
  for (int64_t i = 0; i < count;) {
    auto some = records.source.copy({i, std::min(count, i + kTogether)});
    i += std::ssize(some);
    for (auto& raw : some) {
      examples::Examples examples;
      reader.read(raw, [&](const io::Fields& fields, const io::Record& record) {
        records.reader.read(fields, record, 0, examples);
      });
      for (const auto& example : examples) use(example->as<SentenceExample>());
    }
  }
}

std::vector<int32_t> tokens_of(const SentenceExample& example, const text::Tokenizer& tokenizer) {
  auto tokens = example.ids;
  std::erase_if(tokens, [&](int32_t id) { return tokenizer.is_special(id); });
  return tokens;
}

}  // namespace

std::vector<Baseline> baselines(const BaselineTask& task, const ReadRecords& train, const ReadRecords& dev,
                                const text::Tokenizer& tokenizer) {
  BagOfTokens bag(task.loss, task.outputs);
  for_each_example(train, [&](const SentenceExample& example) {
    bag.add(tokens_of(example, tokenizer), task.target(example));
  });
  bag.fit();
  const auto constant = bag.constant();
  metric::Evaluation of_constant, of_tokens;
  of_constant.positive = of_tokens.positive = task.positive;
  int64_t count = 0;
  for_each_example(dev, [&](const SentenceExample& example) {
    const auto outputs = bag.outputs(tokens_of(example, tokenizer));
    const auto target = task.target(example);
    task.compare(example, constant, of_constant);
    task.compare(example, outputs, of_tokens);
    of_constant.loss += output_loss(task.loss, target, constant);
    of_tokens.loss += output_loss(task.loss, target, outputs);
    ++count;
  });
  of_constant.loss /= static_cast<double>(count);
  of_tokens.loss /= static_cast<double>(count);
  return {{task.loss == OutputLoss::squared ? "mean" : "majority", dev_values(of_constant, task.task)},
          {"tokens", dev_values(of_tokens, task.task)}};
}

}  // namespace bert::train
