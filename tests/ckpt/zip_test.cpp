#include "ckpt/zip.h"

#include <doctest/doctest.h>

#include "base/crc.h"
#include "base/error.h"
#include "ckpt/written_files.h"

using namespace bert;
using namespace bert::ckpt;

namespace {

template <class T>
std::string number(uint64_t value) {
  const T narrow = static_cast<T>(value);
  return {reinterpret_cast<const char*>(&narrow), sizeof narrow};
}

struct Written {
  std::string name, data;
  uint16_t method = 0, flags = 0;
};

enum class Sizes { plain, zip64 };

std::string local_header(const Written& entry, uint32_t crc) {
  return number<uint32_t>(0x04034b50) + number<uint16_t>(0) + number<uint16_t>(entry.flags) +
         number<uint16_t>(entry.method) + number<uint32_t>(0) + number<uint32_t>(crc) +
         number<uint32_t>(entry.data.size()) + number<uint32_t>(entry.data.size()) +
         number<uint16_t>(entry.name.size()) + number<uint16_t>(7) + entry.name + std::string(7, 'x');
}

std::string directory_entry(const Written& entry, uint32_t crc, uint64_t local, Sizes sizes) {
  const bool wide = sizes == Sizes::zip64;
  const auto in64 = [&](uint64_t value) { return number<uint32_t>(wide ? 0xffffffff : value); };
  const auto extra = !wide ? std::string()
                           : number<uint16_t>(9) + number<uint16_t>(2) + "zz" + number<uint16_t>(1) +
                                 number<uint16_t>(24) + number<uint64_t>(entry.data.size()) +
                                 number<uint64_t>(entry.data.size()) + number<uint64_t>(local);
  return number<uint32_t>(0x02014b50) + number<uint32_t>(0) + number<uint16_t>(entry.flags) +
         number<uint16_t>(entry.method) + number<uint32_t>(0) + number<uint32_t>(crc) +
         in64(entry.data.size()) + in64(entry.data.size()) + number<uint16_t>(entry.name.size()) +
         number<uint16_t>(extra.size()) + number<uint16_t>(3) + number<uint64_t>(0) + in64(local) +
         entry.name + extra + "???";
}

std::string zip(const std::vector<Written>& entries, Sizes sizes, const std::string& comment = "") {
  std::string file, directory;
  for (const auto& entry : entries) {
    const auto crc = crc32(std::as_bytes(std::span(entry.data)));
    directory += directory_entry(entry, crc, file.size(), sizes);
    file += local_header(entry, crc) + entry.data;
  }
  const uint64_t begin = file.size();
  file += directory;
  if (sizes == Sizes::zip64) {
    const uint64_t end64 = file.size();
    file += number<uint32_t>(0x06064b50) + number<uint64_t>(44) + number<uint32_t>(0) + number<uint64_t>(0) +
            number<uint64_t>(entries.size()) + number<uint64_t>(entries.size()) +
            number<uint64_t>(directory.size()) + number<uint64_t>(begin);
    file +=
        number<uint32_t>(0x07064b50) + number<uint32_t>(0) + number<uint64_t>(end64) + number<uint32_t>(1);
  }
  const auto narrow = [&](uint64_t value) { return sizes == Sizes::zip64 ? 0xffffffff : value; };
  return file + number<uint32_t>(0x06054b50) + number<uint32_t>(0) +
         number<uint16_t>(narrow(entries.size())) + number<uint16_t>(narrow(entries.size())) +
         number<uint32_t>(narrow(directory.size())) + number<uint32_t>(narrow(begin)) +
         number<uint16_t>(comment.size()) + comment;
}

std::string said_of(const std::string& bytes) {
  const Folder folder;
  const auto path = folder.write("x", bytes);
  try {
    const MappedFile file(path);
    check_zip(file);
  } catch (const Error& error) {
    const std::string message = error.what();
    REQUIRE(message.starts_with(path + ": "));
    return message.substr(path.size() + 2);
  }
  return "";
}

}  // namespace

TEST_CASE("entries are found through the central directory, zip or zip64") {
  const Folder folder;
  for (const auto sizes : {Sizes::plain, Sizes::zip64}) {
    for (const auto* comment : {"", "a comment PK\5\6"}) {
      const MappedFile file(
          folder.write("x", zip({{"b", "second"}, {"a/c", "first"}, {"a", ""}}, sizes, comment)));
      const auto entries = read_zip(file);
      REQUIRE(entries.size() == 3);
      CHECK(entries[0].name == "a");
      CHECK(entries[0].data.empty());
      CHECK(entries[1].name == "a/c");
      const auto& data = entries[1].data;
      CHECK(std::string_view(reinterpret_cast<const char*>(data.data()), data.size()) == "first");
      check_zip(file);
    }
  }
}

TEST_CASE("compressed, encrypted and duplicate entries are rejected") {
  CHECK(said_of(zip({{"a", "x", 8, 0}}, Sizes::plain)) ==
        R"(entry "a" is compressed with method 8, expected no compression)");
  CHECK(said_of(zip({{"a", "x", 0, 1}}, Sizes::plain)) == R"(entry "a" is encrypted)");
  CHECK(said_of(zip({{"a", "x"}, {"a", "y"}}, Sizes::plain)) == R"(has two entries "a")");
}

TEST_CASE("a changed data byte is detected by its checksum") {
  const auto bytes = zip({{"a", "abcdef"}}, Sizes::plain);
  CHECK(said_of(bytes) == "");
  auto changed = bytes;
  changed[bytes.find("abcdef") + 2] ^= 16;
  CHECK(said_of(changed).starts_with(R"(entry "a" is damaged: its CRC is )"));
}

TEST_CASE("a truncated zip is an error") {
  for (const auto sizes : {Sizes::plain, Sizes::zip64}) {
    const auto bytes = zip({{"b", "second"}, {"a", "first"}}, sizes);
    for (size_t length = 0; length < bytes.size(); ++length) CHECK(said_of(bytes.substr(0, length)) != "");
    for (size_t begin = 1; begin < bytes.size(); ++begin) CHECK(said_of(bytes.substr(begin)) != "");
  }
}
