// Conversion of other character encodings to UTF-8. text/encoding.h has the Decoders.
#pragma once

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
  // The functions are called once, when it is known to be UTF-8, and, unless it is null, when other text has
  // one of the bytes 0x80 to 0x9f.
  Utf8OrOther(std::unique_ptr<Decoder> other, std::function<void()> when_utf8,
              std::function<void()> when_controls)
      : other_(std::move(other)),
        when_utf8_(std::move(when_utf8)),
        when_controls_(std::move(when_controls)) {}
  void decode(std::string_view bytes, Part part, std::string& out) override;

 private:
  std::unique_ptr<Decoder> other_;
  std::function<void()> when_utf8_, when_controls_;
  enum class State { undecided, utf8, other } state_ = State::undecided;
  std::string withheld_;
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
