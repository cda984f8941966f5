#include "text/sentencepiece_file.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/download.h"
#include "base/error.h"
#include "base/file.h"
#include "json/utf8.h"

namespace bert::text {
namespace {

// One field of a message: a number, or bytes.
struct ProtoField {
  uint64_t number = 0;
  uint64_t value = 0;  // varint or fixed
  std::string_view bytes;
};

// Iterates over the fields of a message. Throws Error where it is cut off or not a protocol buffer.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : rest_(std::as_bytes(std::span(message))) {}

  std::optional<ProtoField> next() {
    if (rest_.empty()) return std::nullopt;
    const uint64_t key = rest_.varint();
    ProtoField field{.number = key >> 3};
    switch (key & 7) {
      case 0:
        field.value = rest_.varint();
        break;
      case 1:
        field.value = rest_.number<uint64_t>();
        break;
      case 2:
        field.bytes = rest_.text(rest_.varint());
        break;
      case 5:
        field.value = rest_.number<uint32_t>();
        break;
      default:
        throw Error("has a field of the unknown wire type ", key & 7);
    }
    return field;
  }

 private:
  Bytes rest_;
};

SentencePieceModel::Piece read_piece(std::string_view message) {
  SentencePieceModel::Piece piece;
  ProtoReader fields(message);
  while (const auto field = fields.next()) {
    if (field->number == 1) piece.text = field->bytes;
    if (field->number == 2) piece.score = std::bit_cast<float>(static_cast<uint32_t>(field->value));
    if (field->number == 3) piece.kind = field->value;
  }
  if (!json::is_utf8(piece.text)) throw Error("has a piece that is not valid UTF-8");
  return piece;
}

void read_trainer(std::string_view message, SentencePieceModel& model) {
  ProtoReader fields(message);
  while (const auto field = fields.next()) {
    if (field->number == 3) model.type = static_cast<SentencePieceModel::Type>(field->value);
    if (field->number == 35) model.byte_fallback = field->value != 0;
  }
}

void read_charsmap(std::string_view message, SentencePieceModel& model) {
  ProtoReader fields(message);
  while (const auto field = fields.next())
    if (field->number == 2) model.charsmap = field->bytes;
}

SentencePieceModel parse(std::string_view content) {
  SentencePieceModel model;
  ProtoReader fields(content);
  while (const auto field = fields.next()) {
    if (field->number == 1) model.pieces.push_back(read_piece(field->bytes));
    if (field->number == 2) read_trainer(field->bytes, model);
    if (field->number == 3) read_charsmap(field->bytes, model);
  }
  if (model.pieces.empty()) throw Error("has no pieces");
  return model;
}

}  // namespace

SentencePieceModel read_sentencepiece(const std::string& path) {
  const std::string content = read_file(path);
  refuse_failed_download(path, content);
  try {
    return parse(content);
  } catch (const Error& error) {
    throw Error(path, ": ", error.what(), "; it is not a SentencePiece model");
  }
}

}  // namespace bert::text
