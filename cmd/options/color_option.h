// --color of the formats for people.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "base/option.h"
#include "cli/app.h"

namespace bert::cmd {

// For one output format. `what`: that is colored.
inline void color_option(cli::App& app, const std::string& what, const std::string& format, bool& colored) {
  enum class Color { automatic, always, never };
  const auto color = std::make_shared<Color>(Color::automatic);
  app.choice<Color>({"--color", "", "Color " + what + "; auto: on a terminal."},
                    {{"auto", Color::automatic}, {"always", Color::always}, {"never", Color::never}}, *color);
  app.needs("--color", {opt::format, {format}});
  app.check([color, &colored] {
    const char* const none = std::getenv("NO_COLOR");
    const bool is_wanted = (none == nullptr || *none == '\0') && ::isatty(STDOUT_FILENO) == 1;
    colored = *color == Color::automatic ? is_wanted : *color == Color::always;
  });
}

}  // namespace bert::cmd
