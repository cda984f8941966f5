// Compares the tokenizer with Hugging Face's tokenizers 0.23.2, Google's tokenization.py and llama.cpp on the
// same texts: all ids and offsets must be equal. Needs xz.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "json/json.h"
#include "text/tokenizer.h"

namespace {

using bert::Error;
using bert::text::Compat;
using bert::text::Span;
using bert::text::Tokenizer;
using bert::text::Tokens;

struct Encoding {
  std::vector<int32_t> ids;
  std::vector<Span> offsets;
};

std::string unpack(const std::string& path) {
  FILE* pipe = popen(("xz -dc '" + path + "'").c_str(), "r");
  if (pipe == nullptr) throw Error(path, ": cannot run xz");
  std::string content;
  std::array<char, 1 << 16> block;
  for (size_t size; (size = fread(block.data(), 1, block.size(), pipe)) > 0;)
    content.append(block.data(), size);
  if (pclose(pipe) != 0) throw Error(path, ": xz failed (package xz-utils)");
  return content;
}

// Joins [CLS] A [SEP] (B [SEP]); special tokens have the offsets [0,0].
Encoding encode(const Tokenizer& tokenizer, const bert::json::Value& record) {
  Encoding whole{{tokenizer.cls()}, {{0, 0}}};
  for (const char* key : {"text", "text_pair"}) {
    const auto text = record.find(key);
    if (!text) continue;
    Tokens tokens;
    tokenizer.encode(text->string(), {.offsets = bert::text::Offsets::chars}, tokens);
    whole.ids.insert(whole.ids.end(), tokens.ids.begin(), tokens.ids.end());
    whole.offsets.insert(whole.offsets.end(), tokens.offsets.begin(), tokens.offsets.end());
    whole.ids.push_back(tokenizer.sep());
    whole.offsets.push_back({0, 0});
  }
  return whole;
}

std::vector<Span> spans(const bert::json::Value& json) {
  std::vector<Span> result;
  for (const bert::json::Value& pair : json.elements()) {
    const std::vector<int32_t> ends = pair.integers();
    result.push_back({static_cast<uint32_t>(ends[0]), static_cast<uint32_t>(ends[1])});
  }
  return result;
}

// Prints the first token that differs.
void report(const std::string& file, size_t line, const Encoding& ours, const Encoding& theirs) {
  size_t i = 0;
  const auto same = [&] {
    if (i >= ours.ids.size() || i >= theirs.ids.size() || ours.ids[i] != theirs.ids[i]) return false;
    return theirs.offsets.empty() || (i < theirs.offsets.size() && ours.offsets[i] == theirs.offsets[i]);
  };
  while (same()) ++i;
  const auto print = [i](const char* whose, const Encoding& encoding) {
    std::cout << "  " << whose << ' ';
    if (i >= encoding.ids.size()) {
      std::cout << "nothing\n";
      return;
    }
    std::cout << encoding.ids[i];
    if (i < encoding.offsets.size()) {
      std::cout << " at [" << encoding.offsets[i].begin << ',' << encoding.offsets[i].end << ')';
    }
    std::cout << '\n';
  };
  std::cout << file << ':' << line << ": token " << i << '\n';
  print("got", ours);
  print("expected", theirs);
}

int compare_file(const std::string& file, const Tokenizer& tokenizer) {
  bert::json::Document document;
  std::istringstream lines(unpack(file));
  int differing = 0;
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const bert::json::Value record = document.parse(line);
    Encoding theirs;
    theirs.ids = record.find("input_ids")->integers();
    if (const auto offsets = record.find("offsets")) theirs.offsets = spans(*offsets);
    const Encoding ours = encode(tokenizer, record);
    if (ours.ids == theirs.ids && (theirs.offsets.empty() || ours.offsets == theirs.offsets)) continue;
    if (++differing <= 5) report(file, number, ours, theirs);
  }
  std::cout << file << ": " << number << " lines, " << differing << " differ\n";
  if (number == 0) throw Error(file, ": is empty");
  return differing;
}

// llama.cpp's cases, separated by a line; ids without special tokens.
int compare_bge(const std::string& directory, const Tokenizer& tokenizer) {
  constexpr std::string_view kSeparator = "\n__ggml_vocab_test__\n";
  std::stringstream input;
  input << std::ifstream(directory + "/input.txt").rdbuf();
  std::ifstream ids(directory + "/ids.txt");
  std::string rest = input.str();
  int differing = 0;
  int number = 0;
  for (size_t end; (end = rest.find(kSeparator)) != std::string::npos;
       rest.erase(0, end + kSeparator.size())) {
    std::string expected;
    std::getline(ids, expected);
    Tokens tokens;
    tokenizer.encode(std::string_view(rest).substr(0, end), {}, tokens);
    std::string got;
    for (const int32_t id : tokens.ids) got += " " + std::to_string(id);
    ++number;
    const auto words = [](const std::string& line) {
      std::istringstream stream(line);
      return std::vector<std::string>(std::istream_iterator<std::string>(stream), {});
    };
    if (words(got) == words(expected)) continue;
    std::cout << directory << ": case " << number << ": got" << got << ", expected " << expected << '\n';
    ++differing;
  }
  std::cout << directory << ": " << number << " cases, " << differing << " differ\n";
  if (number == 0) throw Error(directory, ": has no cases");
  return differing;
}

int compare_all(const std::string& shared) {
  const auto load = [&shared](const std::string& name, Compat compat) {
    return bert::text::load_tokenizer(shared + "/data/vocab/bert-base-" + name, compat);
  };
  const std::string golden = shared + "/golden/";
  int differing = 0;
  for (const char* name : {"uncased", "cased", "multilingual-cased", "chinese"}) {
    differing += compare_file(golden + "tokenizer/" + name + ".jsonl.xz", load(name, Compat::hf));
  }
  for (const char* name : {"uncased", "cased"}) {
    differing += compare_file(golden + "tokenizer/google-" + name + ".jsonl.xz", load(name, Compat::google));
  }
  return differing + compare_bge(golden + "wordpiece_bge", load("uncased", Compat::hf));
}

}  // namespace

int main() {
  const char* variable = std::getenv("BERT_SHARED");
  const std::string shared = variable != nullptr ? variable : BERT_SOURCE_DIR "/../shared";
  if (!std::filesystem::exists(shared)) {
    std::cout << "skipped: ../shared is absent\n";
    return 0;
  }
  try {
    return compare_all(shared) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cout << error.what() << '\n';
    return 1;
  }
}
