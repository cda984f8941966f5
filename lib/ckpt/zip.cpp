#include "ckpt/zip.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/crc.h"
#include "base/error.h"
#include "json/json.h"

namespace bert::ckpt {
namespace {

constexpr uint32_t kEntry = 0x02014b50, kLocal = 0x04034b50;  // "PK" and two more bytes
constexpr uint32_t kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr size_t kEndBytes = 22, kLocatorBytes = 20;
constexpr size_t kMaxComment = 0xffff;
constexpr uint32_t kIn64 = 0xffffffff;  // the number is in a zip64 field

struct Directory {
  uint64_t begin = 0, size = 0, entries = 0;
};

std::span<const std::byte> part(const MappedFile& file, uint64_t begin, uint64_t size) {
  const auto bytes = file.bytes();
  if (begin > bytes.size() || size > bytes.size() - begin)
    throw Error("places ", size, " bytes at ", begin, ", but the file has ", bytes.size());
  return bytes.subspan(begin, size);
}

void expect(Bytes& bytes, uint32_t signature, const char* what) {
  if (bytes.number<uint32_t>() != signature) throw Error("has no ", what, " where it should be");
}

// Finds the end record, which is the last record, followed only by a comment.
size_t find_end(const MappedFile& file) {
  const auto text = file.text();
  constexpr std::string_view kSignature("PK\5\6", 4);
  if (text.size() >= kEndBytes) {
    const size_t at = text.rfind(kSignature, text.size() - kEndBytes);
    if (at != text.npos && text.size() - at <= kEndBytes + kMaxComment) return at;
  }
  throw Error("has no directory at its end: it is truncated");
}

Directory find_directory64(const MappedFile& file, size_t end) {
  if (end < kLocatorBytes) throw Error("has no zip64 locator where it should be");
  Bytes locator(part(file, end - kLocatorBytes, kLocatorBytes));
  expect(locator, kLocator64, "zip64 locator");
  locator.take(4);  // disk
  Bytes record(part(file, 0, end));
  record.take(locator.number<uint64_t>());
  expect(record, kEnd64, "zip64 end");
  record.take(28);  // sizes, versions, disks, entries on this disk
  Directory directory;
  directory.entries = record.number<uint64_t>();
  directory.size = record.number<uint64_t>();
  directory.begin = record.number<uint64_t>();
  return directory;
}

Directory find_directory(const MappedFile& file) {
  const size_t at = find_end(file);
  Bytes end(file.bytes().subspan(at));
  end.take(10);  // signature, disks, entries on this disk
  Directory directory;
  directory.entries = end.number<uint16_t>();
  directory.size = end.number<uint32_t>();
  directory.begin = end.number<uint32_t>();
  if (directory.entries == 0xffff || directory.size == kIn64 || directory.begin == kIn64)
    return find_directory64(file, at);
  return directory;
}

struct DirectoryEntry {
  uint16_t flags = 0, method = 0;
  uint32_t crc = 0;
  uint64_t stored_size = 0, size = 0, local = 0;  // local: position of the local header
  std::string name;
};

// Sizes and offsets of 4 GiB and more are in extra field 1: only those needed, in this order.
void read_zip64(Bytes extra, DirectoryEntry& entry) {
  while (!extra.empty()) {
    const auto id = extra.number<uint16_t>();
    Bytes field(extra.take(extra.number<uint16_t>()));
    if (id != 1) continue;
    for (uint64_t* number : {&entry.size, &entry.stored_size, &entry.local}) {
      if (*number == kIn64) *number = field.number<uint64_t>();
    }
  }
}

DirectoryEntry read_entry(Bytes& directory) {
  expect(directory, kEntry, "entry of its directory");
  DirectoryEntry entry;
  directory.take(4);  // versions
  entry.flags = directory.number<uint16_t>();
  entry.method = directory.number<uint16_t>();
  directory.take(4);  // time
  entry.crc = directory.number<uint32_t>();
  entry.stored_size = directory.number<uint32_t>();
  entry.size = directory.number<uint32_t>();
  const auto name_length = directory.number<uint16_t>(), extra_length = directory.number<uint16_t>(),
             comment_length = directory.number<uint16_t>();
  directory.take(8);  // disk, attributes
  entry.local = directory.number<uint32_t>();
  entry.name = directory.text(name_length);
  read_zip64(Bytes(directory.take(extra_length)), entry);
  directory.take(comment_length);
  return entry;
}

// The data follows a local header, whose lengths may differ from those in the directory.
std::span<const std::byte> data_of(const MappedFile& file, const DirectoryEntry& entry) {
  if ((entry.flags & 1) != 0) throw Error("is encrypted");
  if (entry.method != 0) throw Error("is compressed with method ", entry.method, ", expected no compression");
  if (entry.stored_size != entry.size)
    throw Error("has ", entry.size, " bytes in ", entry.stored_size, " stored ones");
  if (entry.local > file.bytes().size()) throw Error("begins after the end of the file");
  Bytes local(file.bytes().subspan(entry.local));
  expect(local, kLocal, "header");
  local.take(22);  // repeats the directory
  const auto name_length = local.number<uint16_t>(), extra_length = local.number<uint16_t>();
  local.take(name_length);
  local.take(extra_length);
  return local.take(entry.size);
}

std::vector<ZipEntry> read_entries(const MappedFile& file) {
  const auto directory = find_directory(file);
  Bytes bytes(part(file, directory.begin, directory.size));
  std::vector<ZipEntry> entries;
  for (uint64_t i = 0; i < directory.entries; ++i) {
    auto entry = read_entry(bytes);
    try {
      const auto data = data_of(file, entry);
      entries.push_back({.name = std::move(entry.name), .data = data, .crc = entry.crc});
    } catch (const Error& error) {
      throw Error("entry ", json::in_quotes(entry.name), " ", error.what());
    }
  }
  std::ranges::sort(entries, {}, &ZipEntry::name);
  const auto twice = std::ranges::adjacent_find(entries, {}, &ZipEntry::name);
  if (twice != entries.end()) throw Error("has two entries ", json::in_quotes(twice->name));
  return entries;
}

}  // namespace

bool is_zip(const MappedFile& file) { return file.text().starts_with("PK\3\4"); }

std::vector<ZipEntry> read_zip(const MappedFile& file) {
  try {
    return read_entries(file);
  } catch (const Error& error) {
    throw Error(file.path(), ": ", error.what());
  }
}

void check_zip(const MappedFile& file) {
  for (const auto& entry : read_zip(file)) {
    const auto found = crc32(entry.data);
    if (found == entry.crc) continue;
    throw Error(file.path(), ": entry ", json::in_quotes(entry.name), " is damaged: its CRC is ", found,
                ", expected ", entry.crc);
  }
}

}  // namespace bert::ckpt
