// Reads a Python pickle (Lib/pickletools.py) as inert data. A pickle is a program that may call any function
// of any module; this reader never calls anything. Only globals on a list are accepted, and a call is
// returned as a value: the function and its arguments. The caller interprets the few listed functions.
//
//   {"a": f(1)}   ->   dictionary [ "a", call [ global f, tuple [1] ] ]
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace bert::ckpt {

// The index of a pickle's value. Values refer to each other by index, so that a hostile pickle cannot create
// nesting too deep to destroy.
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
    call,        // items: function, tuple of arguments, then keys and values added to the result
    persistent,  // items: the id
  };
  Kind kind = Kind::none;
  int64_t integer = 0;           // for boolean and integer; 0 if it exceeds 64 bits
  std::string text;              // for string and global; for LONG1 integers the little-endian bytes
  std::vector<PickleRef> items;  // elements; alternating keys and values; see call and persistent
};

class Pickle {
 public:
  // Reads one pickle from `bytes` up to its STOP. Error if it refers to a global not in `allowed`
  // ("module.name"), uses an operation that tensor files do not need, or is incomplete. The message is meant
  // to follow a path: "its pickle asks for …".
  Pickle(Bytes& bytes, std::span<const std::string_view> allowed);

  const PickleValue& operator[](PickleRef ref) const { return values_[ref]; }
  const PickleValue& root() const { return values_[root_]; }
  const std::vector<PickleValue>& values() const { return values_; }

 private:
  std::vector<PickleValue> values_;
  PickleRef root_ = 0;
};

}  // namespace bert::ckpt
