#include "cli/precision_option.h"

namespace bert::cli {

PrecisionOption::PrecisionOption(App& app) {
  app.section("Output");
  app.custom({"--precision", "N",
              "Digits after the point of a number (default: the fewest that read back to the same number)."},
             [this](const std::string& name, const std::string& value) {
               digits = static_cast<int>(App::whole_number(name, value, {.min = 0, .max = 20}));
             });
}

}  // namespace bert::cli
