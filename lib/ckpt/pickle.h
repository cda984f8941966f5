// Reads a Python pickle (Lib/pickletools.py) as inert data. A pickle is a program that may ask for any
// function of any module and call it; here nothing is ever called. What it asks for must be on a list, and a
// call is kept as a value: which function, which arguments. The caller knows what the few listed ones mean.
//
//   {"a": f(1)}   ->   dictionary [ "a", call [ global f, tuple [1] ] ]
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt/bytes.h"

namespace bert::ckpt {

// A value of a pickle, by its place among all; values refer to each other by place, so that a hostile pickle
// can build no structure too deep to destroy.
using PickleRef = uint32_t;

struct PickleValue {
  enum class Kind {
    none,
    boolean,
    integer,
    real,
    string,  // or bytes
    tuple,
    list,
    dictionary,
    global,      // text: "module.name"
    call,        // items: function, tuple of arguments, then what was put into the result, keys and values
    persistent,  // items: the id
  };
  Kind kind = Kind::none;
  int64_t integer = 0;           // of boolean and integer; 0 when that has more than 64 bits
  std::string text;              // of string and global; an integer's little-endian bytes when LONG1 wrote it
  std::vector<PickleRef> items;  // elements; keys and values by turns; see call and persistent
};

class Pickle {
 public:
  // Reads one pickle from `bytes` up to its STOP. Error when it asks for a global that is not in `allowed`
  // ("module.name"), uses an operation that files of tensors do not need, or is not whole. The text ends with
  // what stands behind a path: "its pickle asks for …".
  Pickle(Bytes& bytes, std::span<const std::string_view> allowed);

  const PickleValue& operator[](PickleRef ref) const { return values_[ref]; }
  const PickleValue& root() const { return values_[root_]; }
  const std::vector<PickleValue>& values() const { return values_; }

 private:
  std::vector<PickleValue> values_;
  PickleRef root_ = 0;
};

}  // namespace bert::ckpt
