#include "ckpt/pickle.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "ckpt/pytorch.h"
#include "ckpt/written_files.h"

using namespace bert;
using namespace bert::ckpt;

namespace {

using Kind = PickleValue::Kind;
using namespace std::string_literals;

constexpr std::string_view kAllowed[] = {"collections.OrderedDict", "a.f"};

Pickle read(const std::string& text) {
  Bytes bytes(std::as_bytes(std::span(text)));
  return Pickle(bytes, kAllowed);
}

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The error from opening an old-format PyTorch file whose tensor table is this pickle.
std::string said_of(const std::string& pickle) {
  const Folder folder;
  const auto preamble = "\x80\2\x8a\n\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\2M\xe9\3.\x80\2}."s;
  const auto path = folder.write("pytorch_model.bin", preamble + pickle);
  try {
    read_pytorch(MappedFile(path));
  } catch (const Error& error) {
    const std::string message = error.what();
    REQUIRE(message.starts_with(path + ": "));
    CHECK(message.find('\n') == message.npos);
    return message.substr(path.size() + 2);
  }
  return "";
}

}  // namespace

TEST_CASE("constants and containers are parsed") {
  const auto pickle = read("\x80\2(K\7M\1\2J\xff\xff\xff\xffN\x88\x89\x8a\2\x00\x80X\2\0\0\0hi]}t."s);
  const auto& items = pickle.root().items;
  REQUIRE(pickle.root().kind == Kind::tuple);
  REQUIRE(items.size() == 10);
  CHECK(pickle[items[0]].integer == 7);
  CHECK(pickle[items[1]].integer == 0x201);
  CHECK(pickle[items[2]].integer == -1);
  CHECK(pickle[items[3]].kind == Kind::none);
  CHECK(pickle[items[4]].integer == 1);
  CHECK(pickle[items[5]].integer == 0);
  CHECK(pickle[items[6]].integer == -0x8000);
  CHECK(pickle[items[7]].text == "hi");
  CHECK(pickle[items[8]].kind == Kind::list);
  CHECK(pickle[items[9]].kind == Kind::dictionary);
}

TEST_CASE("calls are recorded without execution, with the items added to their results") {
  // {"k": f(1)} as an OrderedDict, with an object state that is ignored
  const auto pickle = read(
      "\x80\2"
      "ccollections\nOrderedDict\nq\0)Rq\1X\1\0\0\0kca\nf\nK\1\x85Rs}b."s);
  const auto& root = pickle.root();
  REQUIRE(root.kind == Kind::call);
  REQUIRE(root.items.size() == 4);
  CHECK(pickle[root.items[0]].text == "collections.OrderedDict");
  CHECK(pickle[root.items[2]].text == "k");
  const auto& call = pickle[root.items[3]];
  REQUIRE(call.kind == Kind::call);
  CHECK(pickle[call.items[0]].text == "a.f");
  CHECK(pickle[pickle[call.items[1]].items[0]].integer == 1);
}

TEST_CASE("containers may contain themselves; references are not followed while parsing") {
  const auto pickle = read("\x80\2]q\0h\0a."s);
  CHECK(&pickle[pickle.root().items[0]] == &pickle.root());
  std::string deep = "\x80\2)"s;
  for (int i = 0; i < 1'000'000; ++i) deep += '\x85';
  CHECK(read(deep + ".").values().size() == 1'000'001);
}

TEST_CASE("globals and operations outside the allowed list are rejected by name") {
  CHECK(refusal("\x80\2"
                "cposix\nsystem\nX\2\0\0\0ls\x85R."s) ==
        R"(pickle refers to "posix.system", expected only tensors)");
  CHECK(refusal("\x80\4\x8c\2os\x8c\6system\x93."s) ==
        R"(pickle refers to "os.system", expected only tensors)");
  CHECK(refusal("\x80\2(ibuiltins\neval\n."s) ==
        R"(pickle refers to "builtins.eval", expected only tensors)");
  CHECK(refusal("\x80\2"
                "ccollections\nOrderedDict\x7f\n."s)
            .find("refers to") != std::string::npos);
  CHECK(refusal("\x80\4K\1K\2\x93."s) == "pickle refers to a global without a name");
  CHECK(refusal("\x80\2X\1\0\0\0fK\1\x85R."s) == "pickle calls an object that is not a function");
  CHECK(refusal("\x80\2"
                "ca\nf\n]R."s) == "pickle calls an object that is not a function");
  CHECK(refusal("\x80\2(Va\no."s).find("has the operation 86 at 3, which tensor files do not use") !=
        std::string::npos);
  CHECK(refusal("\x80\2\x82\1."s).find("has the operation 130") != std::string::npos);  // EXT1
}

TEST_CASE("a malicious file is rejected with the name of the global it requests") {
  CHECK(said_of("\x80\2"
                "cposix\nsystem\nq\0X\2\0\0\0lsq\1\x85q\2Rq\3."s) ==
        R"(pickle refers to "posix.system", expected only tensors)");
  CHECK(said_of("\x80\2}X\1\0\0\0w"
                "c__builtin__\nexec\nX\1\0\0\0x\x85Rs."s) ==
        R"(pickle refers to "__builtin__.exec", expected only tensors)");
  CHECK(said_of("\x80\2"
                "ctorch.hub\nload\n."s) == R"(pickle refers to "torch.hub.load", expected only tensors)");
  CHECK(said_of("\x80\2"
                "ctorch\nload\n."s) == R"(pickle refers to "torch.load", expected only tensors)");
}

TEST_CASE("a pickle that is not a dictionary of tensors is reported as such") {
  CHECK(said_of("\x80\2K\1."s + "\x80\2]."s) == "contains no dictionary of tensors");
  CHECK(said_of("\x80\2}."s + "\x80\2]."s) == "contains no tensors");
  CHECK(said_of("\x80\2}X\1\0\0\0a]s."s + "\x80\2]."s) == R"(tensor "a" is no tensor)");
  CHECK(said_of("\x80\2}X\1\0\0\0a}s."s + "\x80\2]."s) ==
        R"("a" is a dictionary, expected a tensor; tensors may also be in "state_dict", "model_state_dict", )"
        R"("model" or "module")");
  // {"model": …} that contains itself
  CHECK(said_of("\x80\2}q\0X\5\0\0\0modelh\0s."s + "\x80\2]."s).starts_with("\"model\" is a dictionary"));
  CHECK(said_of("\x80\2}K\1K\2s."s + "\x80\2]."s) == "has a key that is not a string");
  CHECK(said_of("\x80\2}X\1\0\0\0a"
                "ctorch._utils\n_rebuild_tensor_v2\nK\1\x85Rs."s +
                "\x80\2]."s) == R"(tensor "a" has no storage)");
}

TEST_CASE("a pickle that pops from an empty stack is an error") {
  for (const auto& text :
       {"."s,    "\x85."s, "(\x85."s,   "a."s, "]a."s, "(u."s, "}(K\1u."s, "t."s, "h\0."s, "j\0\0\0\0."s,
        "q\0."s, "\x94."s, "K\1K\1a."s, "2."s, "0."s,  "1."s,  "b."s,      "R."s, "Q."s,   "\x93."s}) {
    CAPTURE(text);
    CHECK(refusal("\x80\2" + text) != "");
  }
  CHECK(refusal("").find("ends after 0 of 1 bytes expected at 0") != std::string::npos);
  CHECK(refusal("\x80\1.").find("has protocol 1, expected 2 to 5") != std::string::npos);
  CHECK(refusal("\x80\2X\xff\xff\xff\xff") != "");
  CHECK(refusal("\x80\4\x8d\xff\xff\xff\xff\xff\xff\xff\xff") != "");
}

TEST_CASE("a pickle with too many values or bytes is an error before memory runs out") {
  CHECK(refusal("\x80\2" + std::string(2 << 20, ']')) == "pickle has more than 1048576 values");
  CHECK(refusal("\x80\2]" + std::string(32 << 20, '2')) == "pickle has more than 16777216 bytes");
}

// Storage views were saved by PyTorch before release 0.4.
TEST_CASE("a tensor in a storage view is found by adding both offsets") {
  const Folder folder;
  const auto text = [](const std::string& s) { return "X"s + static_cast<char>(s.size()) + "\0\0\0"s + s; };
  const auto preamble = "\x80\2\x8a\n\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\2M\xe9\3.\x80\2}."s;
  // f(("storage", float, "7", "cpu", 6, ("v", 2, 3)), 1, (2,), (1,), False, {})
  const auto tensors = "\x80\2}" + text("a") + "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") +
                       "ctorch\nFloatStorage\n" + text("7") + text("cpu") + "K\6(" + text("v") +
                       "K\2K\3ttQK\1K\2\x85K\1\x85\x89}tRs.";
  std::string numbers;
  for (const float value : {0.f, 1.f, 2.f, 3.f, 4.f, 5.f})
    numbers.append(reinterpret_cast<const char*>(&value), sizeof value);
  const auto with = [&](const std::string& pickle) {
    return folder.write("x.bin", preamble + pickle + "\x80\2]" + text("7") + "a." + u64(6) + numbers);
  };
  const MappedFile file(with(tensors));
  const auto contents = read_pytorch(file);
  REQUIRE(contents.tensors.size() == 1);
  std::vector<float> values(2);
  to_f32(contents.tensors[0], values);
  CHECK(values == std::vector<float>{3, 4});
  for (const auto& [from, to] :
       {std::pair{"K\2K\3tt"s, "K\2K\5tt"s}, {"K\1K\2\x85"s, "K\2K\2\x85"s}, {"K\2K\3tt"s, "K\7K\0tt"s}}) {
    auto wrong = tensors;
    wrong.replace(wrong.find(from), from.size(), to);
    const MappedFile changed(with(wrong));
    CHECK_THROWS_AS(read_pytorch(changed), Error);
  }
}
