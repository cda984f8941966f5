#include "predict/vector_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/base64.h"
#include "base/error.h"
#include "heads/vector_model.h"
#include "json/json.h"

namespace bert::predict {
namespace {

class JsonWriter final : public VectorWriter {
 public:
  JsonWriter(const text::Tokenizer& tokenizer, io::DropList drop, const VectorText& text)
      : tokenizer_(tokenizer), drop_(heads::with_vector_model(std::move(drop))), text_(text) {}

  void write(const io::Record& record, const Vectors& vectors, io::Output& out) const override {
    io::Added added;
    for (const features::TruncatedField& field : vectors.cut) {
      if (!vectors.ids || field.name != kTokens) added.field(field.name) += field.json;
    }
    if (const auto* window = vectors.window) {
      added.integer("record", window->record);
      added.integer("window", window->window);
      if (const auto& characters = window->characters) {
        added.integer(io::kStart, window->text_begin + characters->begin);
        added.integer(io::kEnd, window->text_begin + characters->end);
      }
      if (const auto& lines = window->lines) {
        added.integer(io::kStartLine, lines->first);
        added.integer(io::kEndLine, lines->second);
      }
    }
    if (vectors.ids) {
      add_tokens(vectors, added);
    } else {
      append_vector(added.field("embedding"), vectors.values);
    }
    if (!vectors.model.empty()) added.string(heads::kVectorModel, vectors.model);
    if (vectors.truncated) added.boolean("truncated", true);
    out.record(record, added, vectors.stale.empty() ? drop_ : io::with_stale(drop_, vectors.stale, added));
  }

 private:
  void add_tokens(const Vectors& vectors, io::Added& added) const {
    const std::vector<int32_t>& ids = *vectors.ids;
    append_tokens(added.field(kTokens), tokenizer_, ids);
    size_t t = 0;
    json::append_array(added.field(kTokenVectors), ids, [&](std::string& out, int32_t) {
      const size_t width = vectors.width;
      append_vector(out, vectors.values.subspan(t++ * width, width));
    });
  }

  void append_vector(std::string& out, std::span<const float> values) const {
    if (text_.base64) {
      out += '"';
      append_base64(out, std::as_bytes(values));
      out += '"';
      return;
    }
    json::append_array(out, values, [&](std::string& text, float value) {
      json::append_number(text, value, text_.precision);
    });
  }

  const text::Tokenizer& tokenizer_;
  io::DropList drop_;
  VectorText text_;
};

class RowWriter final : public VectorWriter {
 public:
  explicit RowWriter(int precision) : precision_(precision) {}

  void write(const io::Record&, const Vectors& vectors, io::Output& out) const override {
    const auto width = vectors.width;
    for (size_t i = 0; i < vectors.values.size(); i += width)
      out.row(vectors.values.subspan(i, width), precision_);
  }

 private:
  int precision_;
};

// JSON output of Google's extract_features.py, byte for byte as Python's json.dumps writes it.
class GoogleWriter final : public VectorWriter {
 public:
  GoogleWriter(const text::Tokenizer& tokenizer, std::vector<int> layers, int precision)
      : tokenizer_(tokenizer), layers_(std::move(layers)), precision_(precision) {}

  void write(const io::Record& record, const Vectors& vectors, io::Output& output) const override {
    std::string& out = output.text();
    const std::vector<int32_t>& ids = *vectors.ids;
    const size_t hidden = vectors.width / layers_.size();
    json::append_integer(out += "{\"linex_index\": ", record.place());
    out += ", \"features\": [";
    for (size_t t = 0; t < ids.size(); ++t) {
      append_python_string(out += t == 0 ? "{\"token\": " : ", {\"token\": ", tokenizer_.subword(ids[t]));
      out += ", \"layers\": [";
      for (size_t k = 0; k < layers_.size(); ++k) {
        json::append_integer(out += k == 0 ? "{\"index\": " : ", {\"index\": ", layers_[k]);
        append_values(out, vectors.values.subspan((t * layers_.size() + k) * hidden, hidden));
      }
      out += "]}";
    }
    out += "]}\n";
  }

 private:
  void append_values(std::string& out, std::span<const float> values) const {
    out += ", \"values\": [";
    for (size_t i = 0; i < values.size(); ++i)
      append_python_number(i == 0 ? out : out += ", ", values[i], precision_);
    out += "]}";
  }

  const text::Tokenizer& tokenizer_;
  std::vector<int> layers_;
  int precision_;
};

// Code point at text[i], which is valid UTF-8. Moves i past it.
uint32_t next_code_point(std::string_view text, size_t& i) {
  const auto byte = [&] { return static_cast<uint32_t>(static_cast<unsigned char>(text[i++])); };
  const uint32_t lead = byte();
  if (lead < 0x80) return lead;
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  uint32_t code = lead & (0x3fu >> more);
  for (int k = 0; k < more; ++k) code = (code << 6) | (byte() & 0x3f);
  return code;
}

void append_escape(std::string& out, uint32_t unit) {
  constexpr char kHex[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(unit >> shift) & 15];
}

void append_escaped(std::string& out, uint32_t code) {
  constexpr std::string_view kShort = "\b\f\n\r\t\"\\", kLetters = "bfnrt\"\\";
  if (code < 0x80) {
    if (const size_t i = kShort.find(static_cast<char>(code)); i != std::string_view::npos) {
      out += '\\';
      out += kLetters[i];
      return;
    }
    if (code >= 0x20 && code < 0x7f) {
      out += static_cast<char>(code);
      return;
    }
  }
  if (code >= 0x10000) {
    append_escape(out, 0xd800 + ((code - 0x10000) >> 10));
    code = 0xdc00 + ((code - 0x10000) & 0x3ff);
  }
  append_escape(out, code);
}

}  // namespace

std::unique_ptr<VectorWriter> make_json_writer(const text::Tokenizer& tokenizer, io::DropList drop,
                                               const VectorText& text) {
  return std::make_unique<JsonWriter>(tokenizer, std::move(drop), text);
}

void append_tokens(std::string& out, const text::Tokenizer& tokenizer, std::span<const int32_t> ids) {
  json::append_array(
      out, ids, [&](std::string& text, int32_t id) { json::append_string(text, tokenizer.subword(id)); });
}

std::unique_ptr<VectorWriter> make_google_writer(const text::Tokenizer& tokenizer, std::vector<int> layers,
                                                 int precision) {
  return std::make_unique<GoogleWriter>(tokenizer, std::move(layers), precision);
}

std::unique_ptr<VectorWriter> make_row_writer(int precision) {
  return std::make_unique<RowWriter>(precision);
}

void append_python_string(std::string& out, std::string_view text) {
  out += '"';
  for (size_t i = 0; i < text.size();) append_escaped(out, next_code_point(text, i));
  out += '"';
}

void append_python_number(std::string& out, float x, int precision) {
  if (!std::isfinite(x)) throw Error("a value is ", x, ", which JSON cannot represent");
  std::array<char, 128> text;
  char* const end = text.data() + text.size();
  auto written = std::to_chars(text.data(), end, static_cast<double>(x), std::chars_format::fixed, precision);
  double rounded = 0;
  std::from_chars(text.data(), written.ptr, rounded);
  // repr uses an exponent below 1e-4 and from 1e16 on; hidden states practically never reach 1e16.
  const bool small = rounded != 0 && std::abs(rounded) < 1e-4;
  const bool exponent = small || std::abs(rounded) >= 1e16;
  written = std::to_chars(text.data(), end, rounded,
                          exponent ? std::chars_format::scientific : std::chars_format::fixed);
  const std::string_view shortest(text.data(), written.ptr - text.data());
  out += shortest;
  if (shortest.find_first_of(".e") == std::string_view::npos) out += ".0";
}

GoogleTexts google_texts(std::string_view line) {
  constexpr std::string_view kBetween = " ||| ", kWhite = " \t\r\n\f\v";
  const size_t begin = line.find_first_not_of(kWhite);
  if (begin == std::string_view::npos) return {};
  // Like the script's strip() before it splits.
  line = line.substr(begin, line.find_last_not_of(kWhite) + 1 - begin);
  const size_t at = line.rfind(kBetween);
  if (at == std::string_view::npos) return {.first = line};
  return {.first = line.substr(0, at), .second = line.substr(at + kBetween.size()), .pair = true};
}

}  // namespace bert::predict
