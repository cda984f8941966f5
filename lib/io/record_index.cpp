#include "io/record_index.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>

#include "base/error.h"
#include "io/foreign.h"
#include "io/pull_reader.h"
#include "json/json.h"

namespace bert::io {
namespace {

std::string directory() {
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

[[noreturn]] void fail() { throw Error("a temporary file in ", directory(), ": ", std::strerror(errno)); }

FileDescriptor nameless_file() {
  std::string name = directory() + "/bert-XXXXXX";
  FileDescriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.get() < 0 || ::unlink(name.c_str()) != 0) fail();
  return file;
}

constexpr size_t kKeptFiles = 256;  // the default limit of a process is 1024
constexpr size_t kMostFiles = 1 << 16;
constexpr uint64_t kMostOffset = uint64_t{1} << 47;

struct stat stat_of(const std::string& name) {
  struct stat info;
  if (::stat(name.c_str(), &info) != 0) throw Error(name, ": ", std::strerror(errno));
  return info;
}

// Returns less than `size` only at the end of the FILE.
size_t read_at(int fd, const std::string& name, char* to, size_t size, uint64_t offset) {
  size_t have = 0;
  while (have < size) {
    const ssize_t count = ::pread(fd, to + have, size - have, offset + have);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(name, ": ", std::strerror(errno));
    if (count == 0) break;
    have += count;
  }
  return have;
}

}  // namespace

uint64_t fingerprint(const Source& source, std::string_view record) {
  Checksum checksum;
  for (const auto& column : source.columns) {
    checksum.add(column);
    checksum.add("\t");
  }
  checksum.add(record);
  return checksum.value();
}

uint64_t Spool::append(std::string_view bytes) {
  if (file_.get() < 0) file_ = nameless_file();
  const uint64_t begin = size_;
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file_.get(), bytes.data(), bytes.size(), size_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail();
    bytes.remove_prefix(count);
    size_ += count;
  }
  return begin;
}

void Spool::read(uint64_t offset, std::string& bytes) const {
  if (read_at(file_.get(), "a temporary file", bytes.data(), bytes.size(), offset) != bytes.size())
    throw Error("a temporary file: has become shorter");
}

bool can_read_again(const std::vector<std::string>& files) {
  return !files.empty() && std::all_of(files.begin(), files.end(), [](const std::string& name) {
    if (name == "-") return false;
    const auto mode = stat_of(name).st_mode;
    if (S_ISDIR(mode)) refuse_directory(name);
    return S_ISREG(mode);
  });
}

RecordIndex::RecordIndex(const StreamOptions& options, Contents contents)
    : first_place_(options.first_record),
      contents_(contents),
      context_words_(options.context_words),
      sentences_(sentence_options(options)) {
  if (options.files.size() > kMostFiles)
    throw Error(options.files.size(), " FILEs are more than the ", kMostFiles, " that can be shuffled");
  for (const auto& name : options.files) add(options, name);
}

void RecordIndex::add(const StreamOptions& options, const std::string& name) {
  auto opened = FileDescriptor::open(name);
  File& file = files_.emplace_back(File{.name = name, .found = FileState::of(opened, name)});
  bytes_ += file.found.size;
  auto one = options;
  one.files = {name};
  one.is_one_of_several = options.files.size() > 1;
  one.context_apart = true;
  PullReader reader(one);
  SentenceReader sentences(sentences_);
  while (const Chunk* chunk = reader.next_chunk()) add(*chunk, file, sentences);
  if (FileState::of(name) != file.found) throw_changed(name);
  if (files_.size() <= kKeptFiles) file.kept = std::move(opened);
}

void RecordIndex::add(const Chunk& chunk, File& file, SentenceReader& sentences) {
  constexpr auto kMost = std::numeric_limits<uint32_t>::max();
  file.source = chunk.source;
  const bool made = chunk.source->makes_records();
  const uint64_t begin = made ? made_.append({chunk.data.data(), chunk.data_size}) : chunk.offset;
  if (contents_ == Contents::checked) checksum_.add(std::string_view(chunk.data.data(), chunk.data_size));
  for (const Cut& cut : chunk.cuts) {
    const uint64_t offset = begin + cut.begin;
    if (cut.size > kMost || cut.line > kMost || offset >= kMostOffset)
      throw Error(file.name, ":", cut.line, ": is too long, or too far into the FILE, to be shuffled");
    entries_.push_back({.offset = offset,
                        .bad = 0,
                        .file = files_.size() - 1,
                        .size = static_cast<uint32_t>(cut.size),
                        .line = static_cast<uint32_t>(cut.line)});
    const std::string_view bytes(chunk.data.data() + cut.begin, cut.size);
    if (contents_ == Contents::checked) fingerprints_.push_back(fingerprint(*chunk.source, bytes));
    if (chunk.source->in_context)
      documents_.push_back(sentences.read(*chunk.source, bytes, cut.starts_document).document);
  }
}

void RecordIndex::keep(const std::vector<bool>& chosen, bool value) {
  const auto forget = [&](auto& list) {
    size_t i = 0;
    if (!list.empty()) std::erase_if(list, [&](const auto&) { return chosen[i++] != value; });
  };
  forget(entries_);
  forget(fingerprints_);
  forget(documents_);
}

bool RecordIndex::is_made(const Entry& entry) const { return files_[entry.file].source->makes_records(); }

std::string RecordIndex::bytes_of(const Entry& entry) const {
  if (!is_made(entry)) return bytes_of(files_[entry.file], entry.offset, entry.size);
  std::string bytes(entry.size, '\0');
  made_.read(entry.offset, bytes);
  bytes.append(json::kPadding, '\0');
  return bytes;
}

// The words around a sentence, which are read again for each sentence: its neighbours are few, and all
// contexts together would be many times larger than the FILEs.
Context RecordIndex::context(int64_t i) const {
  std::deque<Sentence> others;
  SentenceReader reader(sentences_);
  const auto sentence_at = [&](int64_t place) {
    const auto& entry = entries_[place];
    const auto bytes = bytes_of(entry);
    auto sentence = reader.read(*files_[entry.file].source, std::string_view(bytes).substr(0, entry.size));
    sentence.document = documents_[place];
    return sentence;
  };
  const auto at = [&](int64_t n) -> const Sentence* {
    const int64_t place = i + n;
    const bool same = place >= 0 && place < size() && documents_[place] == documents_[i] &&
                      entries_[place].file == entries_[i].file;
    return same ? &others.emplace_back(sentence_at(place)) : nullptr;
  };
  return context_of(sentence_at(i), at, context_words_);
}

RawRecord RecordIndex::read(int64_t i) const {
  const Entry& entry = entries_[i];
  const File& file = files_[entry.file];
  RawRecord record{
      .source = file.source, .line = entry.line, .place = first_place_ + i, .bytes = bytes_of(entry)};
  if (file.source->in_context) record.context = context(i);
  return record;
}

std::vector<RawRecord> RecordIndex::read_some(int64_t begin, int64_t end) const {
  constexpr uint64_t kMostBytes = 1 << 16;
  const auto entry = [&](int64_t i) -> const Entry& { return entries_[i]; };
  const Entry& first = entry(begin);
  int64_t next = begin + 1;
  if (!is_made(first) && !files_[first.file].source->in_context) {
    while (next < end && entry(next).file == first.file &&
           entry(next).offset + entry(next).size - first.offset <= kMostBytes)
      ++next;
  }
  std::vector<RawRecord> records;
  if (next == begin + 1) {
    records.push_back(read(begin));
    return records;
  }
  const File& file = files_[first.file];
  const auto bytes =
      bytes_of(file, first.offset, entry(next - 1).offset + entry(next - 1).size - first.offset);
  for (int64_t i = begin; i < next; ++i) {
    auto& record = records.emplace_back(
        RawRecord{.source = file.source, .line = entry(i).line, .place = first_place_ + i, .bytes = {}});
    record.bytes.reserve(entry(i).size + json::kPadding);
    record.bytes.assign(bytes, entry(i).offset - first.offset, entry(i).size);
    record.bytes.append(json::kPadding, '\0');
  }
  return records;
}

// With padding.
std::string RecordIndex::bytes_of(const File& file, uint64_t offset, uint64_t size) const {
  std::string bytes(size + json::kPadding, '\0');
  FileDescriptor opened;
  if (file.kept.get() < 0) opened = FileDescriptor::open(file.name);
  const FileDescriptor& from = file.kept.get() < 0 ? opened : file.kept;
  const size_t have = read_at(from.get(), file.name, bytes.data(), size, offset);
  // Checked after the read, so that the bytes read are from before any change.
  if (have != size || FileState::of(from, file.name) != file.found) throw_changed(file.name);
  return bytes;
}

void RecordIndex::will_read(int64_t i) const {
  const Entry& entry = entries_[i];
  const int fd = is_made(entry) ? made_.fd() : files_[entry.file].kept.get();
  if (fd < 0) return;
  ::posix_fadvise(fd, entry.offset, entry.size, POSIX_FADV_WILLNEED);
}

}  // namespace bert::io
