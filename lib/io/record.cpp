#include "io/record.h"

namespace bert::io {

std::string Record::where() const { return file() + ":" + std::to_string(line_); }

}  // namespace bert::io
