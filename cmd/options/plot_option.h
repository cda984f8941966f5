// --plot FILE.
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/option.h"
#include "cli/app.h"

namespace bert::cmd {

// Under the current heading. Plots are SVG, whatever the name, so a name for another format is a mistake.
inline cli::Declaration& plot_option(cli::App& app, const std::string& help,
                                     std::optional<std::string>& plot) {
  return app.custom({opt::plot, "FILE", help}, [&plot](const std::string& name, const std::string& value) {
    constexpr std::string_view kOther[] = {".png",  ".jpg", ".jpeg", ".gif",  ".pdf",
                                           ".webp", ".eps", ".ps",   ".tiff", ".bmp"};
    const std::filesystem::path path = cli::App::name_of(name, value);
    if (std::ranges::find(kOther, path.extension().string()) != std::end(kOther))
      throw cli::UsageError(name, " writes SVG: use ",
                            std::filesystem::path(path).replace_extension(".svg").string(), " instead of ",
                            value);
    plot = value;
  });
}

}  // namespace bert::cmd
