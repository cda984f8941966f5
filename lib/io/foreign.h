// Files of other programs, recognized by their first bytes: those that are converted, and those that are
// refused with the command that converts them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/option.h"
#include "io/input.h"

namespace bert::io {

// A format that `program -dc` decompresses.
struct Compression {
  const char* program;
  std::string_view package;  // Debian's, with the program
  std::string_view suffix;   // ".gz"
  std::string_view magic;    // the first bytes; no UTF-8 text begins so, except for bzip2
};

// How the input is compressed; nullptr if it is not. Reads as many bytes as are needed to tell.
const Compression* compression_of(Input& input);

// "reviews.csv.gz" -> "reviews.csv"
std::string_view without_compression_suffix(std::string_view path);

// UTF-16 or UTF-32, if the input begins with its byte order mark.
std::optional<std::string_view> marked_encoding(Input& input);

// Notes what shows that the text does not have this encoding, and warns of a line that is UTF-8 but not read
// so. If the encoding has one byte for each character, reads UTF-8 as such instead.
std::unique_ptr<Decoder> watched(std::unique_ptr<Decoder> decoder, const std::string& encoding,
                                 const std::function<void(const std::string&)>& note,
                                 const std::function<void(const std::string&)>& warn);
std::string note_of_utf8(const std::string& encoding);

// The encoding to decode from if the user asked for `asked`: the byte order of UTF-16 without a mark is
// detected from its NUL bytes, and kUtf8 is returned if its mark is found instead of an encoding with one
// byte for each character. Throws Error if the input shows that it has another encoding.
constexpr std::string_view kUtf8 = "UTF-8";
std::string encoding_of(Input& input, std::string_view asked);

// Like json::check_utf8; the Error also says how other encodings are read.
void require_utf8(std::string_view text, size_t begin = 0, std::string_view encoding = {});

// Throws Error that says what to do if the input is a file of another program, such as an archive or a PDF.
void refuse_foreign(Input& input);
// The same for any other input whose first line has a NUL byte, or that has many control characters: UTF-16
// without a mark, or an unknown file. `decoded`: whether --encoding has made UTF-8 of any bytes. `remedy` is
// for an unknown file.
enum class Decoded { no, yes };
void refuse_binary(Input& input, Decoded decoded,
                   std::string_view remedy = opt::input_format + " text reads it anyway");
// The same for text whose lines end with CR without LF. Waits for the end of the first line.
void refuse_old_line_ends(Input& input);
// The same for the header of a table, after which cells may have LF.
void refuse_old_line_ends(const Input& input, std::string_view header);
// For files that nobody has named: throws NotText if the first block has a NUL byte or is not UTF-8.
void require_text(Input& input, InvalidUtf8 invalid, std::string_view encoding);
// For FILEs that are directories.
enum class Folders { unread, on_request };
[[noreturn]] void refuse_directory(std::string_view path, Folders folders = Folders::unread);

}  // namespace bert::io
