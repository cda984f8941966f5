#include "ckpt/pickle.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "json/json.h"

namespace bert::ckpt {
namespace {

using Kind = PickleValue::Kind;

// Far above the needs of any model; limits the memory that a hostile file can use.
constexpr size_t kMaxBytes = 16 << 20;
constexpr size_t kMaxValues = 1 << 20;

// The operations of protocols 2 to 5 for containers, strings and numbers.
enum Operation : uint8_t {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kDup = '2',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersid = 'Q',
  kReduce = 'R',
  kBinString = 'T',
  kShortBinString = 'U',
  kBinUnicode = 'X',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kDict = 'd',
  kEmptyDict = '}',
  kAppends = 'e',
  kBinGet = 'h',
  kInst = 'i',
  kLongBinGet = 'j',
  kList = 'l',
  kEmptyList = ']',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kEmptyTuple = ')',
  kSetItems = 'u',
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kProto = 0x80,
  kNewObj = 0x81,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kShortBinUnicode = 0x8c,
  kBinUnicode8 = 0x8d,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95,
};

class Machine {
 public:
  Machine(Bytes& bytes, std::span<const std::string_view> allowed, std::vector<PickleValue>& values)
      : bytes_(bytes), begin_(bytes.place()), allowed_(allowed), values_(values) {}

  PickleRef run() {
    for (;;) {
      if (bytes_.place() - begin_ > kMaxBytes) throw Error("has more than ", kMaxBytes, " bytes");
      const auto operation = bytes_.number<uint8_t>();
      if (operation == kStop) return pop();
      if (!run_constant(operation) && !run_container(operation) && !run_memo(operation) &&
          !run_object(operation)) {
        throw Error("has the operation ", int{operation}, " at ", bytes_.place() - 1,
                    ", which tensor files do not use");
      }
    }
  }

 private:
  // Numbers and strings.
  bool run_constant(uint8_t operation) {
    switch (operation) {
      case kProto:
        if (const int protocol = bytes_.number<uint8_t>(); protocol < 2 || protocol > 5)
          throw Error("has protocol ", protocol, ", expected 2 to 5");
        return true;
      case kFrame:
        bytes_.number<uint64_t>();
        return true;
      case kNone:
        return push({.kind = Kind::none});
      case kNewTrue:
      case kNewFalse:
        return push({.kind = Kind::boolean, .integer = operation == kNewTrue});
      case kBinInt:
        return push({.kind = Kind::integer, .integer = bytes_.number<int32_t>()});
      case kBinInt1:
        return push({.kind = Kind::integer, .integer = bytes_.number<uint8_t>()});
      case kBinInt2:
        return push({.kind = Kind::integer, .integer = bytes_.number<uint16_t>()});
      case kLong1:
        return push_long(bytes_.text(bytes_.number<uint8_t>()));
      case kBinFloat:
        bytes_.take(8);
        return push({.kind = Kind::real});
      case kShortBinString:
      case kShortBinUnicode:
      case kShortBinBytes:
        return push_text(bytes_.number<uint8_t>());
      case kBinString:
      case kBinUnicode:
      case kBinBytes:
        return push_text(bytes_.number<uint32_t>());
      case kBinUnicode8:
        return push_text(bytes_.number<uint64_t>());
      default:
        return false;
    }
  }

  bool run_container(uint8_t operation) {
    switch (operation) {
      case kMark:
        marks_.push_back(stack_.size());
        return true;
      case kEmptyTuple:
        return push({.kind = Kind::tuple});
      case kEmptyList:
        return push({.kind = Kind::list});
      case kEmptyDict:
        return push({.kind = Kind::dictionary});
      case kTuple1:
      case kTuple2:
      case kTuple3:
        return push({.kind = Kind::tuple, .items = pop_some(operation - kTuple1 + size_t{1})});
      case kTuple:
        return push({.kind = Kind::tuple, .items = pop_to_mark()});
      case kList:
        return push({.kind = Kind::list, .items = pop_to_mark()});
      case kDict:
        return push({.kind = Kind::dictionary, .items = pairs(pop_to_mark())});
      case kAppend:
        return extend(pop_some(1), Kind::list);
      case kAppends:
        return extend(pop_to_mark(), Kind::list);
      case kSetItem:
        return extend(pop_some(2), Kind::dictionary);
      case kSetItems:
        return extend(pairs(pop_to_mark()), Kind::dictionary);
      case kPop:
        pop();
        return true;
      case kPopMark:
        pop_to_mark();
        return true;
      case kDup:
        stack_.push_back(top());
        return true;
      default:
        return false;
    }
  }

  bool run_memo(uint8_t operation) {
    switch (operation) {
      case kBinPut:
        memo_[bytes_.number<uint8_t>()] = top();
        return true;
      case kLongBinPut:
        memo_[bytes_.number<uint32_t>()] = top();
        return true;
      case kMemoize:
        memo_[memo_.size()] = top();
        return true;
      case kBinGet:
        return get(bytes_.number<uint8_t>());
      case kLongBinGet:
        return get(bytes_.number<uint32_t>());
      default:
        return false;
    }
  }

  bool run_object(uint8_t operation) {
    switch (operation) {
      case kGlobal: {
        const auto module = bytes_.line();
        return push_global(std::string(module).append(".").append(bytes_.line()));
      }
      case kInst: {
        const auto module = bytes_.line();
        refuse(std::string(module).append(".").append(bytes_.line()));
      }
      case kStackGlobal: {
        const auto parts = pop_some(2);
        if (!is(parts[0], Kind::string) || !is(parts[1], Kind::string))
          throw Error("refers to a global without a name");
        return push_global(values_[parts[0]].text + "." + values_[parts[1]].text);
      }
      case kReduce:
      case kNewObj: {
        auto parts = pop_some(2);
        if (!is(parts[0], Kind::global) || !is(parts[1], Kind::tuple))
          throw Error("calls an object that is not a function");
        return push({.kind = Kind::call, .items = std::move(parts)});
      }
      case kBuild:  // attributes of an object, such as _metadata; ignored
        pop();
        top();
        return true;
      case kBinPersid:
        return push({.kind = Kind::persistent, .items = pop_some(1)});
      default:
        return false;
    }
  }

  bool is(PickleRef ref, Kind kind) const { return values_[ref].kind == kind; }

  bool push(PickleValue value) {
    if (values_.size() == kMaxValues) throw Error("has more than ", kMaxValues, " values");
    stack_.push_back(static_cast<PickleRef>(values_.size()));
    values_.push_back(std::move(value));
    return true;
  }

  bool push_text(uint64_t length) {
    return push({.kind = Kind::string, .text = std::string(bytes_.text(length))});
  }

  // Two's complement, little-endian; no bytes mean 0.
  bool push_long(std::string_view bytes) {
    PickleValue value = {.kind = Kind::integer, .text = std::string(bytes)};
    if (!bytes.empty() && bytes.size() <= sizeof value.integer) {
      value.integer = static_cast<int8_t>(bytes.back()) < 0 ? -1 : 0;  // sign extension
      std::memcpy(&value.integer, bytes.data(), bytes.size());
    }
    return push(std::move(value));
  }

  bool push_global(std::string name) {
    if (std::find(allowed_.begin(), allowed_.end(), name) == allowed_.end()) refuse(name);
    return push({.kind = Kind::global, .text = std::move(name)});
  }

  [[noreturn]] static void refuse(std::string_view global) {
    throw Error("refers to ", json::in_quotes(global.substr(0, 100)), ", expected only tensors");
  }

  // Number of values that may be popped: those above the last mark.
  size_t available() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }
  void require(size_t count) const {
    if (available() < count) throw Error("takes values from an empty stack at ", bytes_.place() - 1);
  }

  PickleRef top() const {
    require(1);
    return stack_.back();
  }

  PickleRef pop() {
    const auto ref = top();
    stack_.pop_back();
    return ref;
  }

  std::vector<PickleRef> pop_some(size_t count) {
    require(count);
    std::vector<PickleRef> refs(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return refs;
  }

  std::vector<PickleRef> pop_to_mark() {
    if (marks_.empty()) throw Error("takes values from an empty stack at ", bytes_.place() - 1);
    auto refs = pop_some(available());
    marks_.pop_back();
    return refs;
  }

  static std::vector<PickleRef> pairs(std::vector<PickleRef> refs) {
    if (refs.size() % 2 != 0) throw Error("has a key without a value");
    return refs;
  }

  // Adds `refs` to the container on top of the stack. An OrderedDict is a call to which items are added.
  bool extend(const std::vector<PickleRef>& refs, Kind kind) {
    auto& container = values_[top()];
    if (container.kind != kind && (container.kind != Kind::call || kind != Kind::dictionary))
      throw Error("adds values to an object that is not a container at ", bytes_.place() - 1);
    container.items.insert(container.items.end(), refs.begin(), refs.end());
    return true;
  }

  bool get(uint32_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) throw Error("takes values from an empty stack at ", bytes_.place() - 1);
    stack_.push_back(found->second);
    return true;
  }

  Bytes& bytes_;
  size_t begin_;
  std::span<const std::string_view> allowed_;
  std::vector<PickleValue>& values_;
  std::vector<PickleRef> stack_;
  std::vector<size_t> marks_;  // stack sizes
  std::unordered_map<uint32_t, PickleRef> memo_;
};

}  // namespace

Pickle::Pickle(Bytes& bytes, std::span<const std::string_view> allowed) {
  try {
    root_ = Machine(bytes, allowed, values_).run();
  } catch (const Error& error) {
    throw Error("pickle ", error.what());
  }
}

}  // namespace bert::ckpt
