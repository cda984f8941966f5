// Plots of a run, drawn by gnuplot.
#pragma once

#include <string>

#include "train/curve.h"

namespace bert::train {

// Script for gnuplot: panels over steps, as SVG on stdout. Losses, other metrics, and the loss and accuracy
// of next-sentence prediction have a panel each.
std::string gnuplot_script(const Curve& curve);

// Draws the curve to `path`, which only appears when complete. Does nothing for a curve without points. If
// gnuplot fails, throws Error with its message.
void plot(const Curve& curve, const std::string& path);

}  // namespace bert::train
