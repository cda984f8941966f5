// Records and their vectors as JSON.
#include "json/json.h"
#include "predict/google_json.h"
#include "predict/vector_writer.h"

namespace bert::predict {
namespace {

constexpr std::string_view kTokens = "tokens";

class JsonWriter final : public VectorWriter {
 public:
  JsonWriter(const text::Tokenizer& tokenizer, std::vector<std::string> drop, int precision)
      : tokenizer_(tokenizer), writer_(std::move(drop)), precision_(precision) {}

  void write(const io::Record& record, const Vectors& vectors, std::string& out) const override {
    io::Added added;
    for (const features::TruncatedField& field : vectors.cut) {
      if (!vectors.ids || field.name != kTokens) added.field(field.name) += field.json;
    }
    if (vectors.ids) {
      add_tokens(vectors, added);
    } else {
      append_vector(added.field("embedding"), vectors.values);
    }
    if (vectors.truncated) added.field("truncated") += "true";
    writer_.write(record, added, out);
  }

 private:
  void add_tokens(const Vectors& vectors, io::Added& added) const {
    const std::vector<int32_t>& ids = *vectors.ids;
    json::append_array(added.field(kTokens), ids, [&](std::string& out, int32_t id) {
      json::append_string(out, tokenizer_.subword(id));
    });
    size_t t = 0;
    json::append_array(added.field("embeddings"), ids, [&](std::string& out, int32_t) {
      const auto width = static_cast<size_t>(vectors.width);
      append_vector(out, vectors.values.subspan(t++ * width, width));
    });
  }

  void append_vector(std::string& out, std::span<const float> values) const {
    json::append_array(out, values,
                       [&](std::string& text, float value) { json::append_number(text, value, precision_); });
  }

  const text::Tokenizer& tokenizer_;
  io::RecordWriter writer_;
  int precision_;
};

class GoogleWriter final : public VectorWriter {
 public:
  GoogleWriter(const text::Tokenizer& tokenizer, std::vector<int> layers, int precision)
      : tokenizer_(tokenizer), layers_(std::move(layers)), precision_(precision) {}

  void write(const io::Record& record, const Vectors& vectors, std::string& out) const override {
    const std::vector<int32_t>& ids = *vectors.ids;
    const size_t hidden = static_cast<size_t>(vectors.width) / layers_.size();
    std::vector<GoogleLayer> layers(layers_.size());
    begin_google_line(out, record.place());
    for (size_t t = 0; t < ids.size(); ++t) {
      for (size_t k = 0; k < layers.size(); ++k) {
        layers[k] = {.index = layers_[k],
                     .values = vectors.values.subspan((t * layers.size() + k) * hidden, hidden)};
      }
      append_google_token(out, tokenizer_.subword(ids[t]), layers, t == 0, precision_);
    }
    end_google_line(out);
  }

 private:
  const text::Tokenizer& tokenizer_;
  std::vector<int> layers_;
  int precision_;
};

}  // namespace

std::unique_ptr<VectorWriter> make_json_writer(const text::Tokenizer& tokenizer,
                                               std::vector<std::string> drop, int precision) {
  return std::make_unique<JsonWriter>(tokenizer, std::move(drop), precision);
}

std::unique_ptr<VectorWriter> make_google_writer(const text::Tokenizer& tokenizer, std::vector<int> layers,
                                                 int precision) {
  return std::make_unique<GoogleWriter>(tokenizer, std::move(layers), precision);
}

}  // namespace bert::predict
