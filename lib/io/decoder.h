// Conversion of other character encodings to UTF-8. text/encoding.h has the Decoders.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/byte_source.h"

namespace bert::io {

enum class InvalidUtf8 { error, replace };

// Converts the parts of a text one after another.
class Decoder {
 public:
  virtual ~Decoder() = default;

  enum class Part { inner, last };
  // Appends UTF-8 to `out`. Throws Error `byte 0x81 at offset 17 is not valid Shift_JIS` after appending what
  // precedes that byte.
  virtual void decode(std::string_view bytes, Part part, std::string& out) = 0;
};

// Text that is UTF-8, or else what another Decoder reads. The first line with bytes beyond ASCII decides, so
// that the result does not depend on how the bytes arrive; it is withheld until it ends.
class Utf8OrOther : public Decoder {
 public:
  // What is noticed, each once; all but utf8_line may be null.
  struct Notes {
    std::function<void()> utf8;                   // it is UTF-8; null: it is never read as such
    std::function<void()> controls;               // other text has one of the bytes 0x80 to 0x9f
    std::function<void(int64_t line)> utf8_line;  // this line is read by the other Decoder, but is UTF-8
    int64_t utf8_bytes = 1;                       // beyond ASCII that such a line has at least
  };
  Utf8OrOther(std::unique_ptr<Decoder> other, Notes notes)
      : other_(std::move(other)),
        notes_(std::move(notes)),
        state_(notes_.utf8 ? State::undecided : State::other) {}
  void decode(std::string_view bytes, Part part, std::string& out) override;

 private:
  void look_for_utf8(std::string_view bytes, Part part);

  std::unique_ptr<Decoder> other_;
  Notes notes_;
  enum class State { undecided, utf8, other } state_;
  std::string withheld_;
  int64_t lines_ = 0;  // that have ended
  std::string line_;   // the beginning of the next one, unless that is too long
};

// Makes the Decoder of an encoding. Throws Error if there is no such encoding.
using DecoderFor = std::unique_ptr<Decoder> (*)(std::string_view encoding, InvalidUtf8 invalid);

class DecodedBytes : public ByteSource {
 public:
  // `begin`: bytes that were already read from `source`, which must outlive this object. `name`: the FILE.
  DecodedBytes(ByteSource& source, std::unique_ptr<Decoder> decoder, std::string_view begin,
               std::string name);

  std::optional<size_t> read(std::span<char> to) override;
  bool ready() const override;

 private:
  void decode(std::string_view bytes, Decoder::Part part);

  ByteSource& source_;
  std::unique_ptr<Decoder> decoder_;
  std::string name_;
  std::vector<char> bytes_;
  std::string text_;  // decoded, and returned up to at_
  size_t at_ = 0;
  bool ended_ = false;
  std::string failure_;  // thrown when all text before it was returned
};

}  // namespace bert::io
