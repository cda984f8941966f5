#include "text/encoding.h"

#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/option.h"
#include "base/spelling.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

struct Close {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};

// Each encoding's name in MIME, or ICU's own.
std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (int32_t i = 0; i < ucnv_countAvailable(); ++i) {
    UErrorCode failure = U_ZERO_ERROR;
    const char* name = ucnv_getStandardName(ucnv_getAvailableName(i), "MIME", &failure);
    names.emplace_back(name != nullptr ? name : ucnv_getAvailableName(i));
  }
  return names;
}

// ICU's own callback writes U+001A for single bytes of some encodings.
void write_replacement(const void*, UConverterToUnicodeArgs* arguments, const char*, int32_t,
                       UConverterCallbackReason reason, UErrorCode* failure) {
  constexpr UChar kReplacement = 0xFFFD;
  if (reason > UCNV_IRREGULAR) return;  // reset, close or clone
  *failure = U_ZERO_ERROR;
  ucnv_cbToUWriteUChars(arguments, &kReplacement, 1, 0, failure);
}

class IcuDecoder : public io::Decoder {
 public:
  IcuDecoder(std::string_view encoding, io::InvalidUtf8 invalid) : encoding_(encoding) {
    UErrorCode failure = U_ZERO_ERROR;
    converter_.reset(ucnv_open(encoding_.c_str(), &failure));
    if (U_FAILURE(failure) || encoding.empty())
      throw Error("unknown encoding \"", encoding, "\"", did_you_mean(encoding, known_names()));
    const auto callback = invalid == io::InvalidUtf8::error ? UCNV_TO_U_CALLBACK_STOP : write_replacement;
    ucnv_setToUCallBack(converter_.get(), callback, nullptr, nullptr, nullptr, &failure);
  }

  void decode(std::string_view bytes, Part part, std::string& out) override {
    const char* from = bytes.data();
    const char* const end = from + bytes.size();
    std::array<UChar, 1024> units;
    UErrorCode failure;
    do {
      UChar* to = units.data();
      failure = U_ZERO_ERROR;
      ucnv_toUnicode(converter_.get(), &to, units.data() + units.size(), &from, end, nullptr,
                     static_cast<UBool>(part == Part::last), &failure);
      for (const UChar* unit = units.data(); unit < to; ++unit) append_unit(*unit, out);
    } while (failure == U_BUFFER_OVERFLOW_ERROR);
    consumed_ += from - bytes.data();
    if (U_FAILURE(failure)) fail();
  }

 private:
  // Joins the two halves of a code point above U+FFFF, which may come from different calls.
  void append_unit(char32_t unit, std::string& out) {
    if (unit >= 0xD800 && unit < 0xDC00) {
      high_ = unit;
    } else if (unit >= 0xDC00 && unit < 0xE000) {
      append(out, 0x10000 + ((high_ - 0xD800) << 10) + (unit - 0xDC00));
    } else {
      append(out, unit);
    }
  }

  [[noreturn]] void fail() const {
    std::array<char, 32> bytes;
    auto size = static_cast<int8_t>(bytes.size());
    UErrorCode failure = U_ZERO_ERROR;
    ucnv_getInvalidChars(converter_.get(), bytes.data(), &size, &failure);
    std::array<char, 3> byte = {'?', '?', '\0'};
    if (U_SUCCESS(failure) && size > 0)
      std::snprintf(byte.data(), byte.size(), "%02x", static_cast<unsigned char>(bytes[0]));
    throw Error("byte 0x", byte.data(), " at offset ", consumed_ - size, " is not valid ", encoding_, "; ",
                opt::invalid_utf8, " replace writes U+FFFD instead");
  }

  const std::string encoding_;
  std::unique_ptr<UConverter, Close> converter_;
  char32_t high_ = 0;
  uint64_t consumed_ = 0;
};

}  // namespace

std::unique_ptr<io::Decoder> decoder_for(std::string_view encoding, io::InvalidUtf8 invalid) {
  return std::make_unique<IcuDecoder>(encoding, invalid);
}

}  // namespace bert::text
