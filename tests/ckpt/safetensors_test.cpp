#include "ckpt/safetensors.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>

#include "base/error.h"
#include "ckpt/written_files.h"

using namespace bert;
using namespace bert::ckpt;

namespace {

// The error message for a file with these bytes, without its path; "" if it is accepted.
std::string verdict(const Folder& folder, std::string_view bytes) {
  const auto path = folder.write("x", bytes);
  try {
    const MappedFile file(path);
    read_safetensors(file);
    return "";
  } catch (const Error& error) {
    const std::string message = error.what();
    CHECK(message.find('\n') == message.npos);
    REQUIRE(message.starts_with(path + ": "));
    return message.substr(path.size() + 2);
  }
}

struct Lie {
  const char* header;
  const char* expected;
};

constexpr const char* kData = "01234567";  // 8 bytes follow each header below

}  // namespace

TEST_CASE("tensor data is found at the offsets in the header") {
  const Folder folder;
  const std::array<float, 3> floats = {1, -2, 0.5};
  const MappedFile file(folder.write("x", safetensors({f32("b", {3, 1}, {1, -2, 0.5}),
                                                       {"a", "I64", {}, u64(7)},
                                                       {"none", "F16", {0, 5}, ""},
                                                       {"eighths", "F8_E4M3", {2}, "ab"},
                                                       {"half", "BF16", {1}, "cd"}})));
  const auto contents = read_safetensors(file);
  REQUIRE(contents.tensors.size() == 4);
  const auto& b = contents.tensors[0];
  CHECK(b.name == "b");
  CHECK(b.file == file.path());
  CHECK(b.dtype == Dtype::f32);
  CHECK(b.shape == std::vector<int64_t>{3, 1});
  CHECK(b.count() == 3);
  REQUIRE(b.data.size() == sizeof floats);
  CHECK(std::memcmp(b.data.data(), floats.data(), sizeof floats) == 0);
  CHECK(contents.tensors[1].shape.empty());
  CHECK(contents.tensors[1].count() == 1);
  CHECK(contents.tensors[2].count() == 0);
  CHECK(std::memcmp(contents.tensors[3].data.data(), "cd", 2) == 0);
  CHECK(contents.unread == std::vector<UnreadTensor>{{"eighths", file.path(), "F8_E4M3"}});
}

TEST_CASE("a header may be padded with spaces, and a file may contain no tensors") {
  const Folder folder;
  CHECK(verdict(folder, safetensors("{}", "")) == "");
  CHECK(verdict(folder, safetensors("{}      ", "")) == "");
  CHECK(verdict(folder, safetensors(R"({"__metadata__":null})", "")) == "");
  CHECK(verdict(folder, safetensors(R"({"a":{"shape":[8],"data_offsets":[0,8],"dtype":"U8"}}  )", kData)) ==
        "");
}

TEST_CASE("each inconsistency of a header is reported") {
  const Folder folder;
  for (
      const auto& broken : std::initializer_list<Lie>{
          {R"([])", "header does not start with {"},
          {R"( {})", "header does not start with {"},
          {R"({"a":})", "header: not valid JSON"},
          {R"({"a":1})", R"(tensor "a": is a number, expected an object)"},
          {R"({"a":{"dtype":"U8","shape":[8]}})", R"(tensor "a": "data_offsets" is missing)"},
          {R"({"a":{"dtype":"U8","data_offsets":[0,8]}})", R"(tensor "a": "shape" is missing)"},
          {R"({"a":{"shape":[8],"data_offsets":[0,8]}})", R"(tensor "a": "dtype" is missing)"},
          {R"({"a":{"dtype":8,"shape":[8],"data_offsets":[0,8]}})", R"(tensor "a": "dtype" is a number)"},
          {R"({"a":{"dtype":"U8","dtype":"I8","shape":[8],"data_offsets":[0,8]}})",
           R"("dtype" appears twice)"},
          {R"({"a":{"dtype":"U8","shape":8,"data_offsets":[0,8]}})",
           R"("shape" is a number, expected an array)"},
          {R"({"a":{"dtype":"U8","shape":[8.0],"data_offsets":[0,8]}})",
           R"("shape" has an element that is a number)"},
          {R"({"a":{"dtype":"U8","shape":["NaN"],"data_offsets":[0,8]}})",
           "that is a string, expected an integer"},
          {R"({"a":{"dtype":"U8","shape":[NaN],"data_offsets":[0,8]}})", "not valid JSON"},
          {R"({"a":{"dtype":"U8","shape":[-8],"data_offsets":[0,8]}})",
           R"("shape" contains -8, a negative number)"},
          {R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[-8,0]}})", "contains -8, a negative number"},
          {R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,4,8]}})", "has 3 numbers, expected 2"},
          {R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[8,0]}})", "begins at 8, after its end 0"},
          {R"({"a":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}})",
           "ends at byte 9 of the data, which has 8"},
          {R"({"a":{"dtype":"U8","shape":[7],"data_offsets":[0,7]}})",
           "the tensors have 7 bytes, but 8 bytes follow"},
          {R"({"a":{"dtype":"U8","shape":[7],"data_offsets":[1,8]}})", "begins at byte 1, expected 0"},
          {R"({"a":{"dtype":"U8","shape":[7],"data_offsets":[0,8]}})", "has 8 bytes, but U8 [7] takes 7"},
          {R"({"a":{"dtype":"F32","shape":[8],"data_offsets":[0,8]}})", "has 8 bytes, but F32 [8] takes 32"},
          {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,2],"data_offsets":[0,8]}})",
           "takes more than 2^64"},
          {R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,8]}})",
           "takes more than 2^64"},
          {R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,9223372036854775807]}})",
           "ends at byte 9223372036854"},
          {R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,18446744073709551616]}})",
           "too large for a 64-bit integer"},
          {R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"a":{"dtype":"U8","shape":[0],"data_offsets":[8,8]}})",
           R"(tensor "a" appears twice)"},
          {R"({"a":{"dtype":"U8","shape":[5],"data_offsets":[0,5]},"b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
           R"(tensor "b" begins at byte 4, inside the previous tensor, which ends at 5)"},
          {R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
           R"(tensor "b" begins at byte 4, expected 3)"},
          {R"({"a":{"dtype":"F9","shape":[4],"data_offsets":[0,4]}})",
           "the tensors have 4 bytes, but 8 bytes follow"},
          {R"({"__metadata__":3})", R"("__metadata__": is a number, expected an object)"},
          {R"({"__metadata__":{"format":1}})", R"("__metadata__": "format" is a number, expected a string)"},
          {R"({"a\n":{}})", R"(tensor "a\n": "dtype" is missing)"},
      }) {
    const auto message = verdict(folder, safetensors(broken.header, kData));
    CHECK_MESSAGE(message.find(broken.expected) != message.npos, broken.header, " gave: ", message);
  }
}

TEST_CASE("a file of another type is reported with its type") {
  const Folder folder;
  CHECK(verdict(folder, "") == "is 0 bytes long, expected a safetensors file");
  CHECK(verdict(folder, "1234567") == "is 7 bytes long, expected a safetensors file");
  CHECK(verdict(folder, u64(3) + "{}") == "header of 3 bytes, but the file ends after 2 of them");
  CHECK(verdict(folder, u64(100'000'001) + "{}")
            .starts_with("header of 100000001 bytes, expected a safetensors"));
  CHECK(verdict(folder, u64(~uint64_t{0}) + "{}")
            .starts_with("header of 18446744073709551615 bytes, expected"));
  CHECK(verdict(folder, "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n")
            .starts_with("is a Git LFS"));
}

TEST_CASE("truncated files and files with trailing bytes are rejected") {
  const Folder folder;
  const auto whole = safetensors({f32("a", {2, 2}, {1, 2, 3, 4}), f32("b", {3}, {5, 6, 7})});
  REQUIRE(verdict(folder, whole) == "");
  for (size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(verdict(folder, std::string_view(whole).substr(0, size)) != "");
  }
  CHECK(verdict(folder, whole + "x") == "the tensors have 28 bytes, but 29 bytes follow the header");
}

TEST_CASE("random layouts are accepted exactly if every byte belongs to one tensor") {
  const Folder folder;
  std::mt19937 random(1);
  const auto below = [&](uint64_t bound) { return random() % bound; };
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    // Split [0, size) into parts, sometimes shift an end, and list them in any order.
    struct Subword {
      uint64_t begin, end;
    };
    std::vector<Subword> subwords;
    uint64_t size = 0;
    for (uint64_t left = 1 + below(5); left > 0; --left) {
      const uint64_t begin = size;
      size += 1 + below(6);
      subwords.push_back({begin, size});
    }
    if (below(2) == 0) {
      auto& subword = subwords[below(subwords.size())];
      (below(2) == 0 ? subword.begin : subword.end) += below(3) - 1;
    }
    std::shuffle(subwords.begin(), subwords.end(), random);
    std::vector<int> owners(size);
    bool whole = true;
    std::string header;
    for (const auto& [begin, end] : subwords) {
      whole = whole && begin < end && end <= size;
      for (uint64_t byte = begin; whole && byte < end; ++byte) ++owners[byte];
      const WrittenTensor tensor{
          "t" + std::to_string(header.size()), "I8", {static_cast<int64_t>(end - begin)}, ""};
      header += (header.empty() ? "{" : ",") + header_entry(tensor, begin, end);
    }
    whole = whole && std::all_of(owners.begin(), owners.end(), [](int count) { return count == 1; });
    accepted += whole;
    CAPTURE(header);
    CHECK((verdict(folder, safetensors(header + "}", std::string(size, 'x'))) == "") == whole);
  }
  CHECK(accepted > 1000);
  CHECK(accepted < 2500);
}
