#include "io/foreign.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "base/spelling.h"
#include "io/array_shape.h"
#include "io/input_format.h"
#include "io/line_cutter.h"
#include "io/mail.h"
#include "io/text_check.h"
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
constexpr std::string_view kReadsText = "this tool reads text";
constexpr size_t kBinaryBytes = 4096;  // examined to tell whether a FILE is text
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
    {"ARROW1\0"sv, "", "an Arrow file", "convert it to JSONL or CSV"},
    {"Obj\1", "", "an Avro file", "convert it to JSONL or CSV"},
    {"\x89HDF\r\n", "", "an HDF5 file", "convert it to JSONL or CSV"},
    {"\x89PNG\r\n", "", "an image (PNG)", kReadsText},
    {"\xff\xd8\xff", "", "an image (JPEG)", kReadsText},
    {"II*\0"sv, "", "an image (TIFF)", kReadsText},
    {"MM\0*"sv, "", "an image (TIFF)", kReadsText},
    {"ID3\2", "", "audio (MP3)", kReadsText},
    {"ID3\3", "", "audio (MP3)", kReadsText},
    {"ID3\4", "", "audio (MP3)", kReadsText},
    {"\xff\xfb", ".mp3", "audio (MP3)", kReadsText},
    {"fLaC\0"sv, "", "audio (FLAC)", kReadsText},
    {"OggS\0"sv, "", "audio or video (Ogg)", kReadsText},
    {"\x1a\x45\xdf\xa3", "", "video (Matroska)", kReadsText},
    {"\x7f"
     "ELF",
     "", "a program", kReadsText},
    {"MZ\x90\0"sv, "", "a program", kReadsText},
    {"\xca\xfe\xba\xbe", "", "a program", kReadsText},
    {"\0asm"sv, "", "a program", kReadsText},
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
  if (at != std::string::npos && input.name() != "-") text.replace(at, 4, shell_word(input.name()));
  return text;
}

[[noreturn]] void refuse(const Input& input, std::string_view what, std::string_view advice) {
  throw NotText(input.name(), ": is ", what, "; ", advice_for(input, advice));
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' && !is_white(c) && c != '\x1b' && c != '\b';
}

// Formats whose first bytes alone may be text.
void refuse_media(Input& input) {
  constexpr size_t kHeaderBytes = 13;
  const auto has_at = [&](size_t at, std::string_view magic) {
    return has(input, kHeaderBytes) && input.unread().substr(at, magic.size()) == magic;
  };
  const bool gif = begins_with(input, "GIF87a") || begins_with(input, "GIF89a");
  if (gif && has(input, kHeaderBytes) && std::ranges::any_of(input.unread().substr(6, 7), is_control))
    refuse(input, "an image (GIF)", kReadsText);
  if (begins_with(input, "RIFF") && has(input, kHeaderBytes) &&
      std::ranges::any_of(input.unread().substr(4, 4), is_control)) {
    if (has_at(8, "WEBP")) refuse(input, "an image (WebP)", kReadsText);
    if (has_at(8, "WAVE")) refuse(input, "audio (WAV)", kReadsText);
    if (has_at(8, "AVI ")) refuse(input, "video (AVI)", kReadsText);
  }
  if (begins_with(input, "\0"sv) && has_at(4, "ftyp")) refuse(input, "audio or video (MP4)", kReadsText);
}

// Whether a block of bytes is not text in any encoding: it has many control characters. A tenth of random
// bytes are control characters.
bool is_binary(std::string_view block) {
  constexpr size_t kFewestBytes = 512;
  constexpr ptrdiff_t kCharactersForOne = 16;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  const auto characters = static_cast<ptrdiff_t>(block.size()) - std::ranges::count_if(block, continues);
  return block.size() >= kFewestBytes &&
         std::ranges::count_if(block, is_control) * kCharactersForOne > characters;
}

void refuse_controls(const Input& input, Decoded decoded) {
  const auto block = input.unread().substr(0, kBinaryBytes);
  const bool suspect = decoded == Decoded::yes || block.find('\0') != block.npos || !json::is_utf8(block);
  if (suspect && is_binary(block))
    throw NotText(input.name(), ": is not text: its beginning has ", std::ranges::count_if(block, is_control),
                  " control characters; ", opt::input_format, " text reads it anyway");
}

// "UTF-16" -> "utf16"
std::string plain_name(std::string_view encoding) {
  std::string name;
  for (const char c : encoding)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

// Whether characters of an encoding with this plain name have two or four bytes.
bool is_wide(std::string_view name) {
  constexpr std::string_view kBegins[] = {"utf16", "utf32", "ucs", "unicode", "iso10646"};
  return std::ranges::any_of(kBegins, [&](std::string_view begin) { return name.starts_with(begin); });
}

// Whether characters have one byte each, so that text is hardly ever valid UTF-8 beyond ASCII.
bool has_one_byte(std::string_view encoding) {
  constexpr std::string_view kBegins[] = {"windows125", "cp125", "iso8859", "latin",
                                          "koi8",       "mac",   "ibm",     "cp8"};
  const auto name = plain_name(encoding);
  return std::ranges::any_of(kBegins, [&](std::string_view begin) { return name.starts_with(begin); });
}

std::string iconv_from(std::string_view encoding) { return "iconv -f " + shell_word(encoding) + " -t UTF-8"; }

// The byte order of UTF-16 without a mark. In most scripts, spaces, digits and line ends have a NUL in their
// upper byte, and few other characters have one in the lower byte.
std::string_view likely_utf16_order(std::string_view bytes) {
  ptrdiff_t even = 0, odd = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] == '\0') ++(i % 2 == 0 ? even : odd);
  return odd > even ? "UTF-16LE" : "UTF-16BE";
}

bool is_tar(Input& input) { return has(input, 262) && input.unread().substr(257, 5) == "ustar"; }

// The byte order of UTF-16 without a mark, whose ASCII characters have a NUL at every other byte.
std::string_view utf16_order(std::string_view bytes) {
  if (bytes.size() < 4) return "";
  const std::array<bool, 4> nul = {bytes[0] == '\0', bytes[1] == '\0', bytes[2] == '\0', bytes[3] == '\0'};
  if (nul == std::array{false, true, false, true}) return "UTF-16LE";
  return nul == std::array{true, false, true, false} ? "UTF-16BE" : "";
}

// What is wrong with lines that end with CR, and what to do.
std::string old_line_ends(const Input& input) {
  const bool plain = input.name() != "-" && !input.converted();
  return "its lines end with CR only; convert them with tr '\\r' '\\n'" +
         (plain ? " < " + shell_word(input.name()) : "");
}

// The most common suffix of the texts in a folder; ".txt" if there are none.
std::string most_common_suffix(const std::string& folder) {
  constexpr std::string_view kText[] = {".txt", ".md",  ".markdown", ".rst",   ".org",    ".tex",
                                        ".csv", ".tsv", ".jsonl",    ".conll", ".conllu", ".conllup"};
  std::map<std::string, int> counts = {{".txt", 0}};
  std::error_code error;
  const auto end = std::filesystem::recursive_directory_iterator();
  int looked_at = 0;
  for (std::filesystem::recursive_directory_iterator file(folder, error);
       !error && file != end && looked_at < 1000; file.increment(error), ++looked_at) {
    const auto suffix = file->path().extension().string();
    if (std::ranges::find(kText, suffix) != std::end(kText) && !file->is_directory(error)) ++counts[suffix];
  }
  return std::ranges::max_element(counts, {}, &std::pair<const std::string, int>::second)->first;
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

void require_utf8(std::string_view text, size_t begin, std::string_view encoding) {
  try {
    json::check_utf8(text, begin);
  } catch (const Error& error) {
    if (encoding.empty())
      throw Error(error.what(), "; for Windows or Latin-1 text, use ", opt::encoding, " windows-1252");
    throw Error(error.what(), "; lines before it are UTF-8, so ", opt::encoding, " ", encoding,
                " is not used; convert the others with ", iconv_from(encoding), ", or write U+FFFD with ",
                opt::invalid_utf8, " replace");
  }
}

std::string note_of_utf8(const std::string& encoding) {
  return "is UTF-8, not " + encoding + ", and read as such";
}

std::unique_ptr<Decoder> watched(std::unique_ptr<Decoder> decoder, const std::string& encoding,
                                 const std::function<void(const std::string&)>& note,
                                 const std::function<void(const std::string&)>& warn) {
  const auto name = plain_name(encoding);
  if (is_wide(name) || name.starts_with("utf")) return decoder;
  Utf8OrOther::Notes notes;
  if (!has_one_byte(encoding)) {
    notes.utf8_bytes = 12;  // a few characters of Shift_JIS or GBK are UTF-8 by chance
    notes.utf8_line = [=](int64_t line) {
      warn("line " + std::to_string(line) + " is UTF-8, too; if it is not " + encoding + ", leave " +
           opt::encoding + " out");
    };
    return std::make_unique<Utf8OrOther>(std::move(decoder), std::move(notes));
  }
  notes.utf8 = [=] { note(note_of_utf8(encoding)); };
  notes.utf8_line = [=](int64_t line) {
    warn("line " + std::to_string(line) + " is UTF-8, but read as " + encoding +
         ", which lines before it are in; convert these with " + iconv_from(encoding));
  };
  if (name.starts_with("latin") || name.starts_with("iso8859"))  // with control characters from 0x80 to 0x9f
    notes.controls = [=] {
      note("has bytes from 0x80 to 0x9f, which are control characters in " + encoding +
           "; is it windows-1252?");
    };
  return std::make_unique<Utf8OrOther>(std::move(decoder), std::move(notes));
}

std::string encoding_of(Input& input, std::string_view asked) {
  constexpr size_t kMostBytes = 4096, kFewestBytes = 8;
  const auto name = plain_name(asked);
  const bool wide = is_wide(name);
  const auto mark = begins_with(input, "\xef\xbb\xbf") ? std::optional("UTF-8"sv) : marked_encoding(input);
  if (mark == "UTF-8" && has_one_byte(asked)) return std::string(kUtf8);
  const bool other_order = mark && name.starts_with("utf") && !plain_name(*mark).starts_with(name);
  if (mark && (*mark == "UTF-8" ? !name.starts_with("utf8") : !wide || other_order))
    throw Error(input.name(), ": starts with the byte order mark of ", *mark, "; leave ", opt::encoding,
                " out, or convert it with iconv if other FILEs need that");
  const bool utf16 = name.starts_with("utf16"), utf32 = name.starts_with("utf32");
  if (mark || (!utf16 && !utf32) || !has(input, 4)) return std::string(asked);
  const auto bytes = input.unread().substr(0, kMostBytes);
  const auto is_ascii = [](char c) { return c > '\0'; };
  if (bytes.size() >= kFewestBytes && std::ranges::all_of(bytes, is_ascii))
    throw Error(input.name(), ": is not ", asked, ", since it has only ASCII characters; leave ",
                opt::encoding, " out");
  if (name == "utf16") return std::string(likely_utf16_order(bytes));
  if (name == "utf32" && bytes[0] != '\0' && bytes[3] == '\0') return "UTF-32LE";
  return std::string(asked);
}

void refuse_foreign(Input& input) {
  for (const auto& [magic, suffix, what, advice] : kForeign)
    if (begins_with(input, magic) && (suffix.empty() || input.name().ends_with(suffix)))
      refuse(input, what, advice);
  refuse_media(input);
}

void require_text(Input& input, InvalidUtf8 invalid, std::string_view encoding) {
  constexpr size_t kBlock = 64 << 10, kLongest = 4;
  while (input.unread().size() < kBlock && input.read_more()) {
  }
  auto block = input.unread().substr(0, kBlock);
  if (const size_t at = block.find('\0'); at != block.npos)
    throw NotText(input.name(), ": is not text: byte ", at, " is NUL");
  if (block.size() == kBlock) {  // may end inside a character
    size_t end = kBlock - 1;
    while (end > kBlock - kLongest && json::count_code_points(block.substr(end, 1)) == 0) --end;
    block = block.substr(0, end);
  }
  const bool is_bad = invalid == InvalidUtf8::error && !json::is_utf8(block);
  if (is_bad && is_mail(input, Found::yes))
    throw MailNotUtf8(input.name(), ": is not UTF-8, but looks like mail; ", kMailAdvice);
  if (is_bad && (!encoding.empty() || is_mostly_utf8(block)))
    throw PartlyUtf8(input.name(), ": is partly UTF-8 and partly not; convert the other lines with ",
                     iconv_from(encoding.empty() ? "windows-1252" : encoding), ", or write U+FFFD with ",
                     opt::invalid_utf8, " replace");
  if (is_bad)
    throw NotUtf8(input.name(), ": is not UTF-8; for Windows or Latin-1 text, use ", opt::encoding,
                  " windows-1252");
}

void refuse_old_line_ends(Input& input) {
  constexpr size_t kMostBytes = 64 << 10;
  for (size_t searched = 0; input.unread().find('\n', searched) == std::string_view::npos;) {
    searched = input.unread().size();
    if (searched < kMostBytes && input.read_more()) continue;
    const auto text = input.unread();
    const size_t end = text.find('\r');
    if (end == std::string_view::npos || is_blank(text.substr(end))) return;
    if (text.substr(0, kBinaryBytes).find('\0') != std::string_view::npos) return;  // see refuse_binary
    throw NotText(input.name(), ": ", old_line_ends(input));
  }
}

void refuse_old_line_ends(const Input& input, std::string_view header) {
  const auto plain = header.substr(0, header.find('"'));
  const size_t end = plain.find('\r');
  if (end != plain.npos && end + 1 < plain.size() && plain[end + 1] != '\n')
    throw Error(old_line_ends(input));
}

void refuse_binary(Input& input, Decoded decoded, std::string_view remedy) {
  size_t searched = 0, at;
  while ((at = input.unread().substr(0, kBinaryBytes).find_first_of("\0\n"sv, searched)) ==
         std::string_view::npos) {
    searched = input.unread().size();
    if (searched >= kBinaryBytes || !input.read_more()) return refuse_controls(input, decoded);
  }
  if (input.unread()[at] == '\n') return refuse_controls(input, decoded);
  if (is_npy(input.unread())) refuse(input, "a NumPy array", "this tool reads text");
  if (is_tar(input)) refuse(input, "a tar archive", "run tar -xOf FILE, or unpack it");
  if (const auto order = utf16_order(input.unread()); !order.empty())
    throw NotText(input.name(), ": is UTF-16 without a byte order mark; use ", opt::encoding, " ", order);
  throw NotText(input.name(), ": is not text: byte ", at, " is NUL; ", remedy);
}

void refuse_directory(std::string_view path, Folders folders) {
  if (path == "-") throw UnreadableFile("-: is a directory; name its files");
  const size_t end = path.find_last_not_of('/');
  const std::string folder(end == path.npos ? "/." : path.substr(0, end + 1));
  if (is_file(folder + "/config.json")) throw UnreadableFile(path, ": is a model directory; name it with -m");
  for (const char* part : {"/cur", "/new"})
    if (is_directory(folder + part)) throw UnreadableFile(path, ": is a Maildir; ", kMailAdvice);
  if (folders == Folders::on_request)
    throw UnreadableFile(path, ": is a directory; use ", opt::recursive, " to read the files in it");
  throw UnreadableFile(path, ": is a directory; name its files, as in ", shell_word(folder),
                       "/*, or run find ", shell_word(folder), " -name '*", most_common_suffix(folder),
                       "' -exec ... {} + >OUTPUT");
}

}  // namespace bert::io
