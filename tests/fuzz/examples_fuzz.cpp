// Records as bert-train reads them. The low half of the first byte selects the task, the high half the
// format. The last task is to tag words within their document.
#include "base/log.h"
#include "examples/answer_example.h"
#include "examples/choose_example.h"
#include "examples/pretrain_example.h"
#include "examples/sentence_example.h"
#include "examples/tag_example.h"
#include "features/letters.h"
#include "records.h"

using namespace bert;

namespace {

constexpr int64_t kMaxLength = 12;

struct Readers {
  text::Tokenizer tokenizer = features::letters();
  features::FeatureOptions split{.take_ids = features::TakeIds::where_present,
                                 .max_length = kMaxLength,
                                 .overflow = features::Overflow::split,
                                 .overlap = 2,
                                 .wanted = {.words = true}};
  features::Featurizer windows{tokenizer, split};
  features::Featurizer context{tokenizer, in_document(split)};
  features::Featurizer cut{tokenizer,
                           {.take_ids = features::TakeIds::where_present, .max_length = kMaxLength}};
  examples::Labels labels{{"no", "yes", "1"}};
  examples::Labels tags{{"O", "B-PER", "I-PER"}};
  std::vector<std::unique_ptr<examples::ExampleReader>> all;

  Readers() {
    for (auto* read_label : {examples::read_class, examples::read_value, examples::read_label_set})
      all.push_back(std::make_unique<examples::SentenceReader>(read_label, cut, "label", labels));
    for (const auto use : {examples::TagReader::For::learning, examples::TagReader::For::evaluation})
      all.push_back(std::make_unique<examples::TagReader>(windows, "tags", tags, use));
    for (const auto use : {examples::AnswerReader::For::learning, examples::AnswerReader::For::evaluation})
      all.push_back(std::make_unique<examples::AnswerReader>(
          tokenizer, features::AnswerRule{.max_length = 16, .stride = 4}, use));
    all.push_back(std::make_unique<examples::ChooseReader>(cut, "label"));
    all.push_back(std::make_unique<examples::PretrainReader>(tokenizer, corpus::MaskOptions{},
                                                             examples::PretrainLimits{32, 2}));
    all.push_back(
        std::make_unique<examples::TagReader>(context, "tags", tags, examples::TagReader::For::learning));
  }

  static features::FeatureOptions in_document(features::FeatureOptions options) {
    options.document = true;
    return options;
  }
};

// Creates the examples of each record and checks them for consistency.
class ExampleFilter : public io::Filter {
 public:
  ExampleFilter(const Readers& readers, const examples::ExampleReader& reader)
      : readers_(readers), reader_(reader) {}

  void prepare(const io::Fields& fields, io::Record& record) const override {
    examples::Examples examples;
    reader_.read(fields, record, 0, examples);
    for (const auto& example : examples) {
      if (example->ids.empty() || example->types.size() != example->ids.size()) std::abort();
      for (const auto id : example->ids)
        if (id < 0 || id >= readers_.tokenizer.size()) std::abort();
    }
  }
  void finish(io::Record&, io::Output&) const override {}

 private:
  const Readers& readers_;
  const examples::ExampleReader& reader_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Files files;
  static const Readers readers;
  if (size == 0) return 0;
  io::StreamOptions options{.files = {files.write("input", fuzz::text_of(data + 1, size - 1))}};
  options.input_format = fuzz::kFormats[data[0] / 16 % fuzz::kFormats.size()];
  options.columns = {"text", "label", "text_pair"};
  if (options.input_format != io::InputFormat::tsv) options.columns.clear();
  const auto reader = data[0] % 16 % readers.all.size();
  if (reader + 1 == readers.all.size()) {
    options.context_words = kMaxLength;
    options.context_tags = "tags";
  }
  ExampleFilter filter(readers, *readers.all[reader]);
  fuzz::answered([&] { fuzz::run(options, filter); });
  return 0;
}
