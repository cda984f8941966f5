#include "metric/score_plot.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/error.h"
#include "base/gnuplot.h"
#include "metric/report.h"

namespace bert::metric {
namespace {

constexpr size_t kMostLabels = 100;
constexpr size_t kMostPoints = 5000;
constexpr std::string_view kOther = "(other labels)";

// Lengths in pixels, for gnuplot's font of 12.
constexpr double kCharacter = 6.8, kLine = 15, kTop = 64, kEdge = 14;

// Blue of Okabe and Ito (2008), distinguishable with color blindness.
constexpr const char* kBlue = "#0072b2";

std::string number(double value) {
  std::string text;
  append_plot_number(text, value);
  return text;
}

// The characters of UTF-8 text.
std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    for (++end; end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80;) ++end;
    characters.push_back(text.substr(begin, end - begin));
  }
  return characters;
}

// In columns; characters from U+3000 on are mostly wide (Chinese, Japanese, Korean).
size_t width_of(std::string_view text) {
  size_t width = 0;
  for (const auto character : characters_of(text))
    width += static_cast<unsigned char>(character[0]) < 0xE3 ? 1 : 2;
  return width;
}

// As a label beside an axis: long ones without their middle, and without control characters.
std::string shown(std::string label) {
  constexpr size_t kLongest = 32;
  for (char& byte : label) byte = static_cast<unsigned char>(byte) < ' ' ? ' ' : byte;
  if (width_of(label) <= kLongest) return label;
  const auto characters = characters_of(label);
  const auto part = [&](auto begin) {
    size_t bytes = 0;
    for (size_t width = 0; width < kLongest / 2; ++begin) width += width_of(*begin), bytes += begin->size();
    return bytes;
  };
  const size_t head = part(characters.begin()), tail = part(characters.rbegin());
  return label.substr(0, head) + "…" + label.substr(label.size() - tail);
}

// In single quotes gnuplot replaces nothing.
std::string in_plot_quotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + "'";
}

// A script whose coordinates are pixels, from the upper left corner.
class Canvas {
 public:
  Canvas(double width, double height) : width_(width), height_(height) {
    text = "set terminal svg size " + rounded(width, 0) + "," + rounded(height, 0) +
           " dynamic noenhanced background 'white'\nset encoding utf8\nunset key\nset multiplot\n";
  }

  // Starts a plot whose axes enclose this area.
  void area(double left, double top, double width, double height) {
    text += "set lmargin at screen " + x(left) + "\nset rmargin at screen " + x(left + width) +
            "\nset tmargin at screen " + y(top) + "\nset bmargin at screen " + y(top + height) + "\n";
  }

  // `options` as of gnuplot's set label.
  void label(double left, double top, std::string_view words, std::string_view options) {
    (text += "set label " + in_plot_quotes(words) + " at screen " + x(left) + "," + y(top) + " ")
        .append(options) += '\n';
  }

  void title(double left, std::string_view title, std::string_view below) {
    label(left, 18, title, "left font ',14'");
    label(left, 40, below, "left font ',11' textcolor rgb '#555555'");
  }

  std::string text;

 private:
  std::string x(double left) const { return number(left / width_); }
  std::string y(double top) const { return number(1 - top / height_); }

  double width_, height_;
};

struct Matrix {
  std::vector<std::string> labels;  // as shown
  std::vector<int64_t> counts;      // [gold, predicted]

  int64_t at(size_t gold, size_t predicted) const { return counts[gold * labels.size() + predicted]; }
  int64_t row(size_t gold) const {
    int64_t sum = 0;
    for (size_t predicted = 0; predicted < labels.size(); ++predicted) sum += at(gold, predicted);
    return sum;
  }
};

// The labels with a row of their own: all, or those that are most often gold labels, in the same order.
std::vector<std::string> frequent(const Classification& score, std::span<const std::string> labels) {
  if (labels.size() <= kMostLabels) return {labels.begin(), labels.end()};
  std::map<std::string_view, int64_t> gold;
  for (const auto& [pair, count] : score.pairs()) gold[score.label(pair.first)] += count;
  std::vector<size_t> places(labels.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::ranges::stable_sort(places, std::greater<>(), [&](size_t i) { return gold[labels[i]]; });
  places.resize(kMostLabels - 1);
  std::ranges::sort(places);
  std::vector<std::string> kept;
  for (const size_t i : places) kept.push_back(labels[i]);
  return kept;
}

Matrix matrix_of(const Classification& score, std::span<const std::string> labels) {
  const auto kept = frequent(score, labels);
  std::map<std::string_view, size_t> places;
  Matrix matrix;
  for (const auto& label : kept) {
    places[label] = matrix.labels.size();
    matrix.labels.push_back(shown(label));
  }
  if (kept.size() < labels.size()) matrix.labels.emplace_back(kOther);
  const size_t size = matrix.labels.size();
  const auto place = [&](uint32_t label) {
    const auto found = places.find(score.label(label));
    return found == places.end() ? size - 1 : found->second;
  };
  matrix.counts.resize(size * size);
  for (const auto& [pair, count] : score.pairs())
    matrix.counts[place(pair.first) * size + place(pair.second)] += count;
  return matrix;
}

// Sizes of the confusion matrix's parts.
struct MatrixLayout {
  double cell, left, bottom, side;
  bool rotated;

  explicit MatrixLayout(const Matrix& matrix) {
    const size_t size = matrix.labels.size();
    double widest = 0;
    for (const auto& label : matrix.labels) widest = std::max(widest, kCharacter * double(width_of(label)));
    const auto most = *std::ranges::max_element(matrix.counts);
    const double count = kCharacter * double(std::to_string(most).size()) + 8;
    cell = std::max(size <= 4 ? 80.0 : size <= 10 ? 52.0 : 36.0, count);
    rotated = widest + 8 > cell;
    left = kEdge + kLine + 8 + widest + 10;
    bottom = (rotated ? widest / std::sqrt(2.0) + 10 : kLine) + 14 + kLine + kEdge;
    side = cell * double(size);
  }
  double width() const { return std::max(left + side + 2 * kEdge, 380.0); }
  double height() const { return kTop + side + bottom; }
};

// As the label of a tic, in which gnuplot formats numbers.
std::string tic_label(std::string_view text) {
  std::string label;
  for (const char c : text) label.append(c == '%' ? 2 : 1, c);
  return in_plot_quotes(label);
}

std::string tics(char axis, const std::vector<std::string>& labels, std::string_view options) {
  std::string text = std::string("set ") + axis + "tics (";
  for (size_t i = 0; i < labels.size(); ++i)
    text += (i == 0 ? "" : ", ") + tic_label(labels[i]) + " " + std::to_string(i);
  return (text += ") scale 0 ").append(options) += '\n';
}

// The cells "predicted gold share", and their texts "predicted gold count percent color".
void append_cells(std::string& text, const Matrix& matrix) {
  const size_t size = matrix.labels.size();
  const bool zeros = size <= 10;
  std::string cells = "$cells << EOD\n", texts = "$texts << EOD\n";
  for (size_t gold = 0; gold < size; ++gold) {
    const int64_t row = matrix.row(gold);
    for (size_t predicted = 0; predicted < size; ++predicted) {
      const int64_t count = matrix.at(gold, predicted);
      const double part = share(count, row);
      const std::string place = std::to_string(predicted) + " " + std::to_string(gold) + " ";
      cells += place + number(part) + "\n";
      if (count == 0 && !zeros) continue;
      texts += place + std::to_string(count) + " " + rounded(100 * part, 0) +
               (part > 0.7 ? " 16777215\n" : " 0\n");
    }
  }
  text += cells + "EOD\n" + texts + "EOD\n";
}

void draw_matrix(Canvas& canvas, const Matrix& matrix, const MatrixLayout& layout,
                 const Classification& score, std::string_view unit) {
  const std::string last = number(double(matrix.labels.size()) - 0.5);
  const auto font = matrix.labels.size() <= 4 ? "',12'" : "',9'";
  canvas.title(kEdge, "Confusion matrix",
               counted(score.count(), unit, std::string(unit) + "s") + ", accuracy " +
                   rounded(score.accuracy(), 3) + "; count and share of the row");
  canvas.label(layout.left + layout.side / 2, layout.height() - kEdge - kLine / 2, "predicted label",
               "center");
  canvas.label(kEdge + kLine / 2, kTop + layout.side / 2, "gold label", "center rotate by 90");
  append_cells(canvas.text, matrix);
  canvas.area(layout.left, kTop, layout.side, layout.side);
  canvas.text +=
      "set palette defined (0 'white', 1 '" + std::string(kBlue) + "')\nset cbrange [0:1]\nunset colorbox\n";
  canvas.text += "set xrange [-0.5:" + last + "]\nset yrange [" + last + ":-0.5]\n";
  canvas.text += tics('x', matrix.labels, layout.rotated ? "rotate by 45 right" : "");
  canvas.text += tics('y', matrix.labels, "");
  canvas.text +=
      std::string(
          "plot $cells using 1:2:(0.5):(0.5):3 with boxxyerror fillstyle solid border rgb '#dddddd' "
          "fillcolor palette, $texts using 1:2:(sprintf(\"%d\", $3)):5 with labels offset 0,0.45 font ") +
      font +
      " textcolor rgb variable, $texts using 1:2:(sprintf(\"%d%%\", $4)):5 with labels offset "
      "0,-0.45 font " +
      font + " textcolor rgb variable\n";
}

constexpr double kDiagramLeft = 64, kDiagramSide = 400, kDiagramBottom = 56;
constexpr double kDiagramWidth = kDiagramLeft + kDiagramSide + 2 * kEdge;

// Bars of "center accuracy count".
void draw_reliability(Canvas& canvas, double left, const Calibration& calibration) {
  canvas.text += "unset label\n";
  canvas.title(left + kEdge, "Reliability diagram, ECE " + rounded(calibration.error(), 3),
               "numbers: records in each bin; dashed: perfect calibration");
  canvas.text += "$bins << EOD\n";
  for (size_t b = 0; b < calibration.bins().size(); ++b) {
    const auto& bin = calibration.bins()[b];
    if (bin.count == 0) continue;
    canvas.text += number((double(b) + 0.5) / Calibration::kBins) + " " +
                   number(share(bin.correct, bin.count)) + " " + std::to_string(bin.count) + "\n";
  }
  canvas.text += "EOD\n";
  canvas.area(left + kDiagramLeft, kTop, kDiagramSide, kDiagramSide);
  canvas.text +=
      "set xrange [0:1]\nset yrange [0:1.1]\nset xtics auto 0.2 norotate autojustify scale 1 nomirror\nset "
      "ytics auto 0.2 scale "
      "1\n"
      "set xlabel 'confidence (probability of the predicted label)'\nset ylabel 'accuracy'\nset boxwidth "
      "0.1\n"
      "set arrow from 0,0 to 1,1 nohead dashtype 2 linewidth 1.5 front\n"
      "plot $bins using 1:2 with boxes fillstyle solid 0.6 border rgb 'white' linecolor rgb '" +
      std::string(kBlue) + "', $bins using 1:(1.05):(sprintf(\"%d\", $3)) with labels font ',9'\n";
}

// Okabe and Ito (2008).
constexpr const char* kColors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000", "#999999"};

// Points "x y" of a curve: all, or some at equal distances.
void append_points(std::string& text, const Curve& curve, CurveKind kind) {
  constexpr size_t kMostCurvePoints = 2000;
  const auto& steps = curve.steps();
  const size_t stride = steps.size() / kMostCurvePoints + 1;
  text += kind == CurveKind::roc ? "0 0\n" : "0 1\n";
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i % stride != 0 && i + 1 < steps.size()) continue;
    const auto& counts = steps[i].counts;
    const double x =
        kind == CurveKind::roc ? share(counts.predicted - counts.both, curve.negatives()) : counts.recall();
    text += number(x) + " " + number(kind == CurveKind::roc ? counts.recall() : counts.precision()) + "\n";
  }
}

std::string coefficient(double value) { return std::isfinite(value) ? rounded(value, 3) : "undefined"; }

}  // namespace

std::string confusion_script(const Classification& score, std::span<const std::string> labels,
                             const Calibration& calibration, std::string_view unit) {
  const Matrix matrix = matrix_of(score, labels);
  const MatrixLayout layout(matrix);
  const bool reliability = calibration.count() > 0;
  const double height =
      reliability ? std::max(layout.height(), kTop + kDiagramSide + kDiagramBottom) : layout.height();
  Canvas canvas(layout.width() + (reliability ? kDiagramWidth : 0), height);
  draw_matrix(canvas, matrix, layout, score, unit);
  if (reliability) draw_reliability(canvas, layout.width(), calibration);
  return canvas.text + "unset multiplot\n";
}

std::string curve_script(const Evaluation& evaluation, CurveKind kind) {
  constexpr double kSide = 460, kLeft = 80, kBottom = 56;
  const bool is_roc = kind == CurveKind::roc;
  const auto& areas = evaluation.areas;
  const size_t drawn = std::min(areas.size(), std::size(kColors));
  Canvas canvas(kLeft + kSide + 2 * kEdge, kTop + kSide + kBottom);
  std::string title = counted(evaluation.scores.count(), "record", "records");
  if (drawn < areas.size())
    title += ", " + std::to_string(drawn) + " of " + counted(areas.size(), "label", "labels");
  canvas.title(kEdge, is_roc ? "ROC curve" : "Precision-recall curve",
               title + (is_roc ? "; AUC: area under the curve" : "; AP: average precision"));
  std::string plots;
  for (size_t i = 0; i < drawn; ++i) {
    const auto& [label, column, roc_auc, average_precision] = areas[i];
    const std::string name = "$curve" + std::to_string(i);
    canvas.text += name + " << EOD\n";
    append_points(canvas.text, Curve(evaluation.scores.examples(column)), kind);
    canvas.text += "EOD\n";
    const std::string key =
        shown(label) + (is_roc ? ", AUC " : ", AP ") + coefficient(is_roc ? roc_auc : average_precision);
    plots += (i > 0 ? ", " : "") + name + " using 1:2 with " + (is_roc ? "lines" : "fsteps") +
             " linewidth 2 linecolor rgb '" + kColors[i] + "' title " + in_plot_quotes(key);
  }
  canvas.area(kLeft, kTop, kSide, kSide);
  if (is_roc) canvas.text += "set arrow from 0,0 to 1,1 nohead dashtype 2 linecolor rgb '#888888'\n";
  canvas.text += "set xrange [0:1]\nset yrange [0:1.02]\nset grid\nset key " +
                 std::string(is_roc ? "bottom right" : "bottom left") + " opaque\nset xlabel '" +
                 (is_roc ? "false positive rate" : "recall") + "'\nset ylabel '" +
                 (is_roc ? "true positive rate" : "precision") + "'\nplot " + plots + "\nunset multiplot\n";
  return canvas.text;
}

std::string scatter_script(const Correlation& numbers) {
  constexpr double kSide = 460, kLeft = 80, kBottom = 56;
  const auto& points = numbers.pairs();
  const size_t stride = (points.size() + kMostPoints - 1) / kMostPoints;
  std::string title = counted(points.size(), "record", "records");
  if (stride > 1) title += " (1 of " + std::to_string(stride) + " drawn)";
  title += ", Pearson " + coefficient(numbers.pearson()) + ", Spearman " + coefficient(numbers.spearman());
  Canvas canvas(kLeft + kSide + 2 * kEdge, kTop + kSide + kBottom);
  canvas.title(kEdge, "Predictions over gold labels", title);
  canvas.text += "$points << EOD\n";
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (size_t i = 0; i < points.size(); i += stride) {
    const auto [gold, predicted] = points[i];
    canvas.text += number(gold) + " " + number(predicted) + "\n";
    least = std::min({least, gold, predicted});
    most = std::max({most, gold, predicted});
  }
  canvas.text += "EOD\n";
  const double margin = most > least ? 0.04 * (most - least) : std::max(1.0, 0.04 * std::abs(most));
  const std::string range = "range [" + number(least - margin) + ":" + number(most + margin) + "]\n";
  canvas.area(kLeft, kTop, kSide, kSide);
  canvas.text +=
      "set x" + range + "set y" + range +
      "set grid\nset xlabel 'gold label'\nset ylabel 'prediction'\n"
      "plot x with lines dashtype 2 linecolor rgb '#888888', $points using 1:2 with points pointtype 7 "
      "pointsize 0.4 linecolor rgb '#800072b2'\nunset multiplot\n";
  return canvas.text;
}

}  // namespace bert::metric
