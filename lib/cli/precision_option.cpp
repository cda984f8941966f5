#include "cli/precision_option.h"

namespace bert::cli {

PrecisionOption::PrecisionOption(App& app) {
  app.section("Output");
  app.custom({"--precision", "N",
              "Number of decimal places (default: the shortest text that reads back as the same number)."},
             [this](const std::string& name, const std::string& value) {
               digits = static_cast<int>(App::whole_number(name, value, {.min = 0, .max = 20}));
             });
}

}  // namespace bert::cli
