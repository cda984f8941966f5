// Plots as SVG files, drawn by the program gnuplot.
#pragma once

#include <string>
#include <string_view>

namespace bert {

// Throws Error unless gnuplot is in $PATH and runs, and `path` can be a file; "-" cannot. Call this before
// long work.
void require_gnuplot(const std::string& path);

// For --version: the version of gnuplot, or that there is none.
std::string gnuplot_version();

// Runs a script that writes SVG to stdout and stores the plot in `path`, which only appears when complete. If
// gnuplot fails, throws Error with its message.
void draw_plot(std::string_view script, const std::string& path);

// Appends a number to a script, in the shortest decimal form.
void append_plot_number(std::string& script, double value);

}  // namespace bert
