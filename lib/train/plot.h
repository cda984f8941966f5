// Pictures of a run, drawn by gnuplot.
#pragma once

#include <string>

#include "train/curve.h"

namespace bert::train {

// Error unless there is a gnuplot on the PATH that runs. To be called before the work begins.
void require_gnuplot();

// What gnuplot is told: losses above, all other metrics (accuracies) below, over steps, as SVG on its stdout.
std::string gnuplot_script(const Curve& curve);

// Draws the curve to `path`, which appears when it is complete. A curve without points is not drawn. Error
// when gnuplot fails, with its own first line.
void plot(const Curve& curve, const std::string& path);

}  // namespace bert::train
