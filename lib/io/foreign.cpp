#include "io/foreign.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/file.h"
#include "io/array_shape.h"
#include "io/input_format.h"
#include "json/utf8.h"

namespace bert::io {
namespace {

using std::string_view_literals::operator""sv;

constexpr Compression kCompressions[] = {{"gzip", "gzip", ".gz", "\x1f\x8b"},
                                         {"bzip2", "bzip2", ".bz2", "BZh"},
                                         {"xz", "xz-utils", ".xz", "\xfd\x37zXZ"},
                                         {"zstd", "zstd", ".zst", "\x28\xb5\x2f\xfd"}};

struct Foreign {
  std::string_view magic, suffix, what, advice;  // suffix "": any; "FILE" in the advice is the FILE's name
};
constexpr std::string_view kZip = "PK\x03\x04", kOffice = "\xd0\xcf\x11\xe0\xa1\xb1";
// The first that fits.
constexpr Foreign kForeign[] = {
    {kZip, ".xlsx", "an Excel workbook", "save it as CSV, or run ssconvert FILE table.csv"},
    {kZip, ".ods", "a spreadsheet", "save it as CSV, or run ssconvert FILE table.csv"},
    {kZip, ".docx", "a Word document", "save it as text, or run pandoc -t plain FILE"},
    {kZip, ".odt", "a text document", "save it as text, or run pandoc -t plain FILE"},
    {kZip, ".epub", "an e-book", "run pandoc -t plain FILE"},
    {kZip, "", "a zip archive or an office document", "run unzip -p FILE, or save it as text or CSV"},
    {kOffice, ".xls", "an Excel workbook", "save it as CSV, or run ssconvert FILE table.csv"},
    {kOffice, "", "an old office document", "save it as text or CSV"},
    {"%PDF-", "", "a PDF", "run pdftotext FILE -"},
    {"{\\rtf", "", "an RTF document", "save it as text, or run pandoc -f rtf -t plain FILE"},
    {"7z\xbc\xaf\x27\x1c", "", "a 7-Zip archive", "run 7z x -so FILE"},
    {"Rar!\x1a", "", "a RAR archive", "unpack it"},
    {"PAR1\x15", "", "a Parquet file", "convert it to JSONL or CSV"},
    {"SQLite format 3\0"sv, "", "an SQLite database", "run sqlite3 -csv -header FILE 'SELECT ...'"},
};

bool begins_with(Input& input, std::string_view magic) {
  while (input.unread().size() < magic.size() && magic.starts_with(input.unread()) && input.read_more()) {
  }
  return input.unread().starts_with(magic);
}

bool has(Input& input, size_t size) {
  while (input.unread().size() < size && input.read_more()) {
  }
  return input.unread().size() >= size;
}

// "BZh" alone may be text: the level and the first block, or the end of an empty file, follow.
bool is_bzip2(Input& input) {
  return has(input, 4) && input.unread()[3] >= '1' && input.unread()[3] <= '9' && has(input, 10) &&
         (input.unread().substr(4, 6) == "1AY&SY" || input.unread().substr(4, 6) == "\x17rE8P\x90");
}

std::string advice_for(const Input& input, std::string_view advice) {
  std::string text(advice);
  const size_t at = text.find("FILE");
  if (at != std::string::npos && input.name() != "-") text.replace(at, 4, input.name());
  return text;
}

[[noreturn]] void refuse(const Input& input, std::string_view what, std::string_view advice) {
  throw Error(input.name(), ": is ", what, "; ", advice_for(input, advice));
}

bool is_tar(Input& input) { return has(input, 262) && input.unread().substr(257, 5) == "ustar"; }

// The byte order of UTF-16 without a mark, whose ASCII characters have a NUL at every other byte.
std::string_view utf16_order(std::string_view bytes) {
  if (bytes.size() < 4) return "";
  const std::array<bool, 4> nul = {bytes[0] == '\0', bytes[1] == '\0', bytes[2] == '\0', bytes[3] == '\0'};
  if (nul == std::array{false, true, false, true}) return "UTF-16LE";
  return nul == std::array{true, false, true, false} ? "UTF-16BE" : "";
}

}  // namespace

const Compression* compression_of(Input& input) {
  for (const auto& compression : kCompressions) {
    if (begins_with(input, compression.magic) && (compression.suffix != ".bz2" || is_bzip2(input)))
      return &compression;
  }
  return nullptr;
}

std::string_view without_compression_suffix(std::string_view path) {
  for (const auto& compression : kCompressions)
    if (path.ends_with(compression.suffix)) return path.substr(0, path.size() - compression.suffix.size());
  return path;
}

std::optional<std::string_view> marked_encoding(Input& input) {
  constexpr std::pair<std::string_view, std::string_view> kMarks[] = {{"\xff\xfe\0\0"sv, "UTF-32LE"},
                                                                      {"\0\0\xfe\xff"sv, "UTF-32BE"},
                                                                      {"\xff\xfe", "UTF-16LE"},
                                                                      {"\xfe\xff", "UTF-16BE"}};
  for (const auto& [mark, encoding] : kMarks)
    if (begins_with(input, mark)) return encoding;
  return std::nullopt;
}

void require_utf8(std::string_view text, size_t begin) {
  try {
    json::check_utf8(text, begin);
  } catch (const Error& error) {
    throw Error(error.what(), "; for Windows or Latin-1 text, use --encoding windows-1252");
  }
}

void refuse_foreign(Input& input) {
  for (const auto& [magic, suffix, what, advice] : kForeign)
    if (begins_with(input, magic) && (suffix.empty() || input.name().ends_with(suffix)))
      refuse(input, what, advice);
}

void refuse_binary(Input& input, std::string_view remedy) {
  constexpr size_t kMostBytes = 4096;
  size_t searched = 0, at;
  while ((at = input.unread().substr(0, kMostBytes).find_first_of("\0\n"sv, searched)) ==
         std::string_view::npos) {
    searched = input.unread().size();
    if (searched >= kMostBytes || !input.read_more()) return;
  }
  if (input.unread()[at] == '\n') return;
  if (is_npy(input.unread())) refuse(input, "a NumPy array", "this tool reads text");
  if (is_tar(input)) refuse(input, "a tar archive", "run tar -xOf FILE, or unpack it");
  if (const auto order = utf16_order(input.unread()); !order.empty())
    throw Error(input.name(), ": is UTF-16 without a byte order mark; use --encoding ", order);
  throw Error(input.name(), ": is not text: byte ", at, " is NUL; ", remedy);
}

void refuse_directory(std::string_view path) {
  if (path == "-") throw Error("-: is a directory; name its files");
  const size_t end = path.find_last_not_of('/');
  const std::string folder(end == path.npos ? "/." : path.substr(0, end + 1));
  if (is_file(folder + "/config.json")) throw Error(path, ": is a model directory; name it with -m");
  throw Error(path, ": is a directory; name its files, as in ", folder, "/*, or run find ", folder,
              " -name '*.txt' -exec ... {} + >OUTPUT");
}

bool is_mail(std::string_view line) {
  constexpr std::string_view kDigits = "0123456789";
  const auto year = line.substr(line.size() - std::min<size_t>(line.size(), 4));
  return line.starts_with("From ") && line.find(':') != line.npos &&
         year.find_first_not_of(kDigits) == line.npos;
}

}  // namespace bert::io
