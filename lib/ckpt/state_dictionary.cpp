#include "ckpt/state_dictionary.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "json/json.h"

namespace bert::ckpt {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view kOrderedDict = "collections.OrderedDict", kSize = "torch.Size";
constexpr std::string_view kTensor = "torch._utils._rebuild_tensor",
                           kTensor2 = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kParameter = "torch._utils._rebuild_parameter",
                           kParameterClass = "torch.nn.parameter.Parameter";
constexpr std::array<std::pair<std::string_view, Dtype>, 10> kStorages = {{
    {"torch.FloatStorage", Dtype::f32},
    {"torch.DoubleStorage", Dtype::f64},
    {"torch.HalfStorage", Dtype::f16},
    {"torch.BFloat16Storage", Dtype::bf16},
    {"torch.LongStorage", Dtype::i64},
    {"torch.IntStorage", Dtype::i32},
    {"torch.ShortStorage", Dtype::i16},
    {"torch.CharStorage", Dtype::i8},
    {"torch.ByteStorage", Dtype::u8},
    {"torch.BoolStorage", Dtype::boolean},
}};

constexpr size_t kMaxRank = 64;

// Where training loops, Lightning and DeepSpeed keep the tensors, beside the optimizer's state.
constexpr std::array<std::string_view, 4> kWrappers = {"state_dict", "model_state_dict", "model", "module"};
constexpr int kMaxWrappers = 4;  // in each other; a hostile dictionary may contain itself

uint64_t natural(const PickleValue& value, const char* what) {
  if (value.kind != Kind::integer || value.integer < 0 || value.text.size() > sizeof value.integer)
    throw Error("its ", what, " is not a non-negative integer");
  return value.integer;
}

std::string_view function_of(const Pickle& pickle, const PickleValue& value) {
  return value.kind == Kind::call ? std::string_view(pickle[value.items[0]].text) : std::string_view();
}

const PickleValue& argument(const Pickle& pickle, const PickleValue& call, size_t i) {
  const auto& arguments = pickle[call.items[1]].items;
  if (i >= arguments.size()) throw Error("has ", arguments.size(), " arguments, too few for a tensor");
  return pickle[arguments[i]];
}

// Unwraps a Parameter to the tensor it was made from.
const PickleValue* without_parameter(const Pickle& pickle, const PickleValue* value) {
  for (;;) {
    const auto function = function_of(pickle, *value);
    if (function != kParameter && function != kParameterClass) return value;
    value = &argument(pickle, *value, 0);
  }
}

// Reads extents or strides: a tuple, or a torch.Size made from one.
std::vector<int64_t> numbers_of(const Pickle& pickle, const PickleValue* value, const char* what) {
  if (function_of(pickle, *value) == kSize) value = &argument(pickle, *value, 0);
  if (value->kind != Kind::tuple && value->kind != Kind::list) throw Error("has no list of ", what, "s");
  if (value->items.size() > kMaxRank)
    throw Error("has ", value->items.size(), " ", what, "s, expected fewer");
  std::vector<int64_t> numbers;
  for (const auto ref : value->items) numbers.push_back(natural(pickle[ref], what));
  return numbers;
}

struct View {
  uint64_t offset;
  std::vector<int64_t> shape, strides;

  uint64_t count() const;  // number of elements; fits 64 bits for a tensor that is_within a storage
  bool is_within(uint64_t storage) const;
  bool is_row_major() const;
  bool is_transposed() const;
};

uint64_t View::count() const {
  uint64_t count = 1;
  for (const auto extent : shape) {
    if (extent == 0) return 0;
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(extent), &count)) return UINT64_MAX;
  }
  return count;
}

bool View::is_within(uint64_t storage) const {
  if (count() == 0) return true;
  uint64_t last = offset;
  for (size_t i = 0; i < shape.size(); ++i) {
    uint64_t step;
    if (__builtin_mul_overflow(static_cast<uint64_t>(shape[i] - 1), static_cast<uint64_t>(strides[i]),
                               &step) ||
        __builtin_add_overflow(last, step, &last)) {
      return false;
    }
  }
  return last < storage;
}

// The stride of an extent of 1 has no effect and may have any value.
bool View::is_row_major() const {
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

bool View::is_transposed() const { return shape.size() == 2 && strides[0] == 1 && strides[1] == shape[0]; }

class Reader {
 public:
  Reader(const Pickle& pickle, const std::string& file, const FindStorage& find)
      : pickle_(pickle), file_(file), find_(find) {}

  Contents read() {
    if (!is_dictionary(pickle_.root())) throw Error("contains no dictionary of tensors");
    auto members = members_of(pickle_.root());
    for (int i = 0; i < kMaxWrappers; ++i) {
      const auto* wrapped = wrapped_in(members);
      if (wrapped == nullptr) break;
      members = members_of(*wrapped);
    }
    add_pairs(members);
    if (contents_.tensors.empty() && contents_.unread.empty()) throw Error("contains no tensors");
    return std::move(contents_);
  }

 private:
  bool is_dictionary(const PickleValue& value) const {
    return value.kind == Kind::dictionary || function_of(pickle_, value) == kOrderedDict;
  }

  // Alternating keys and values. Python 2 wrote the members of an OrderedDict as a list of pairs.
  std::vector<PickleRef> members_of(const PickleValue& dictionary) const {
    if (dictionary.kind == Kind::dictionary) return dictionary.items;
    std::vector<PickleRef> members;
    const auto& arguments = pickle_[dictionary.items[1]].items;
    for (const auto ref : arguments.empty() ? arguments : pickle_[arguments[0]].items) {
      const auto& pair = pickle_[ref].items;
      if (pair.size() != 2) throw Error("contains no dictionary of tensors");
      members.insert(members.end(), pair.begin(), pair.end());
    }
    members.insert(members.end(), dictionary.items.begin() + 2, dictionary.items.end());
    return members;
  }

  // The dictionary that is the value of one of kWrappers; nullptr if there is none.
  const PickleValue* wrapped_in(std::span<const PickleRef> members) const {
    for (const auto wrapper : kWrappers) {
      for (size_t i = 0; i + 1 < members.size(); i += 2) {
        const auto &key = pickle_[members[i]], &value = pickle_[members[i + 1]];
        if (key.kind == Kind::string && key.text == wrapper && is_dictionary(value)) return &value;
      }
    }
    return nullptr;
  }

  void add_pairs(std::span<const PickleRef> refs) {
    for (size_t i = 0; i + 1 < refs.size(); i += 2) {
      const auto& key = pickle_[refs[i]];
      if (key.kind != Kind::string) throw Error("has a key that is not a string");
      if (is_dictionary(pickle_[refs[i + 1]]))
        throw Error(json::in_quotes(key.text),
                    " is a dictionary, expected a tensor; tensors may also be in \"state_dict\", "
                    "\"model_state_dict\", \"model\" or \"module\"");
      try {
        add(key.text, pickle_[refs[i + 1]]);
      } catch (const Error& error) {
        throw Error("tensor ", json::in_quotes(key.text), " ", error.what());
      }
    }
  }

  void add(const std::string& name, const PickleValue& value) {
    using enum PickleValue::Kind;
    for (const auto kind : {none, boolean, integer, real, string}) {
      if (value.kind == kind) return;  // step counts, versions: not weights
    }
    const auto& tensor = *without_parameter(pickle_, &value);
    const auto function = function_of(pickle_, tensor);
    if (function != kTensor && function != kTensor2) throw Error("is no tensor");
    const auto id = storage_id(pickle_, argument(pickle_, tensor, 0));
    View view = {.offset = natural(argument(pickle_, tensor, 1), "offset"),
                 .shape = numbers_of(pickle_, &argument(pickle_, tensor, 2), "extent"),
                 .strides = numbers_of(pickle_, &argument(pickle_, tensor, 3), "stride")};
    if (view.shape.size() != view.strides.size())
      throw Error("has ", view.shape.size(), " dimensions, but ", view.strides.size(), " strides");
    add(name, id, std::move(view));
  }

  void add(const std::string& name, const StorageId& id, View view) {
    const auto storage = find_(id);
    const uint64_t size = id.view ? id.view->count : id.count;
    const uint64_t begin = id.view ? id.view->offset : 0;
    if (begin > id.count || size > id.count - begin || !view.is_within(size))
      throw Error("extends beyond storage ", json::in_quotes(id.key), " of ", id.count, " numbers");
    view.offset += begin;
    const bool transposed = !view.is_row_major();
    if (transposed && !view.is_transposed() && view.count() > 0) {
      contents_.unread.push_back(
          {.name = name,
           .file = file_,
           .dtype = std::string(name_of(id.dtype)) + " with strides " + shape_text(view.strides)});
      return;
    }
    const size_t width = size_of(id.dtype);
    const uint64_t count = view.count();
    const auto data =
        count == 0 ? std::span<const std::byte>() : storage.subspan(view.offset * width, count * width);
    contents_.tensors.push_back({.name = name,
                                 .file = file_,
                                 .dtype = id.dtype,
                                 .shape = std::move(view.shape),
                                 .data = data,
                                 .transposed = transposed && count > 0});
  }

  const Pickle& pickle_;
  const std::string& file_;
  const FindStorage& find_;
  Contents contents_;
};

Dtype dtype_of_storage(const PickleValue& type) {
  for (const auto& [name, dtype] : kStorages) {
    if (type.kind == Kind::global && type.text == name) return dtype;
  }
  throw Error("has a storage of unknown type");
}

}  // namespace

std::span<const std::string_view> tensor_globals() {
  static constexpr auto kAll = [] {
    std::array<std::string_view, 6 + kStorages.size()> names = {kOrderedDict, kSize,      kTensor,
                                                                kTensor2,     kParameter, kParameterClass};
    for (size_t i = 0; i < kStorages.size(); ++i) names[6 + i] = kStorages[i].first;
    return names;
  }();
  return kAll;
}

StorageId storage_id(const Pickle& pickle, const PickleValue& persistent) {
  if (persistent.kind != Kind::persistent) throw Error("has no storage");
  const auto& parts = pickle[persistent.items[0]];
  if (parts.kind != Kind::tuple || parts.items.size() < 5 || pickle[parts.items[0]].text != "storage")
    throw Error("has no storage");
  const auto part = [&](size_t i) -> const PickleValue& { return pickle[parts.items[i]]; };
  StorageId id = {
      .dtype = dtype_of_storage(part(1)), .key = part(2).text, .count = natural(part(4), "storage's size")};
  if (part(2).kind != Kind::string) throw Error("has a storage without a key");
  if (parts.items.size() > 5 && part(5).kind == Kind::tuple) {
    const auto& view = part(5).items;
    if (view.size() != 3) throw Error("has a storage with an unknown view");
    id.view = {.offset = natural(pickle[view[1]], "storage's view"),
               .count = natural(pickle[view[2]], "storage's view")};
  }
  return id;
}

Contents read_state_dictionary(const Pickle& pickle, const std::string& file, const FindStorage& find) {
  return Reader(pickle, file, find).read();
}

}  // namespace bert::ckpt
