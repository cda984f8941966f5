// Metrics directly from their definitions, with a pass over all data for each value: slow reference for
// lib/metric.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "text/python_text.h"
#include "text/utf8.h"

namespace bert::reference {

using Strings = std::vector<std::string>;

// One label against all others: true positives, false positives and false negatives.
inline double slow_f1(const Strings& gold, const Strings& predicted, const std::string& label) {
  double tp = 0, fp = 0, fn = 0;
  for (size_t i = 0; i < gold.size(); ++i) {
    tp += gold[i] == label && predicted[i] == label;
    fp += gold[i] != label && predicted[i] == label;
    fn += gold[i] == label && predicted[i] != label;
  }
  if (tp == 0) return 0;
  const double precision = tp / (tp + fp), recall = tp / (tp + fn);
  return 2 * precision * recall / (precision + recall);
}

inline double slow_macro_f1(const Strings& gold, const Strings& predicted) {
  std::set<std::string> labels(gold.begin(), gold.end());
  labels.insert(predicted.begin(), predicted.end());
  double sum = 0;
  for (const auto& label : labels) sum += slow_f1(gold, predicted, label);
  return sum / static_cast<double>(labels.size());
}

// Matthews as the correlation of indicator variables: the sum of covariances over all labels.
inline double slow_matthews(const Strings& gold, const Strings& predicted) {
  std::set<std::string> labels(gold.begin(), gold.end());
  labels.insert(predicted.begin(), predicted.end());
  const auto n = static_cast<double>(gold.size());
  const auto covariance = [&](const Strings& a, const Strings& b) {
    double sum = 0;
    for (const auto& label : labels) {
      double mean_a = 0, mean_b = 0;
      for (size_t i = 0; i < a.size(); ++i) mean_a += (a[i] == label) / n, mean_b += (b[i] == label) / n;
      for (size_t i = 0; i < a.size(); ++i) sum += ((a[i] == label) - mean_a) * ((b[i] == label) - mean_b);
    }
    return sum;
  };
  const std::set<std::string> one(gold.begin(), gold.end()), other(predicted.begin(), predicted.end());
  if (one.size() == 1 || other.size() == 1) return 0;
  return covariance(gold, predicted) / std::sqrt(covariance(gold, gold) * covariance(predicted, predicted));
}

inline double slow_pearson(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<long double>(x.size());
  const long double mx = std::accumulate(x.begin(), x.end(), 0.0L) / n;
  const long double my = std::accumulate(y.begin(), y.end(), 0.0L) / n;
  long double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx), yy += (y[i] - my) * (y[i] - my), xy += (x[i] - mx) * (y[i] - my);
  }
  return static_cast<double>(xy / std::sqrt(xx * yy));
}

// The rank of a value: the number of smaller values plus half the number of other equal ones.
inline std::vector<double> slow_ranks(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    double smaller = 0, equal = 0;
    for (const double other : values) smaller += other < value, equal += other == value;
    ranks.push_back(smaller + (equal + 1) / 2);
  }
  return ranks;
}

struct SlowPassage {
  std::string query;
  bool relevant;
  double score;
};

inline double slow_reciprocal_rank(const std::vector<SlowPassage>& passages) {
  std::map<std::string, double> best;
  for (const auto& passage : passages) {
    double& reciprocal = best[passage.query];
    if (!passage.relevant) continue;
    int rank = 1;
    for (const auto& other : passages)
      rank += other.query == passage.query && !other.relevant && other.score >= passage.score;
    for (const auto& other : passages)
      rank += other.query == passage.query && other.relevant && other.score > passage.score;
    reciprocal = std::max(reciprocal, 1.0 / rank);
  }
  double sum = 0;
  for (const auto& [query, reciprocal] : best) sum += reciprocal;
  return sum / static_cast<double>(best.size());
}

// As in conlleval: gold and predicted tags are read in parallel; `same` says whether the chunk open in both
// has been equal so far.
struct SlowChunks {
  std::map<std::string, std::array<int64_t, 3>> types;  // gold, predicted, both

  static bool begins(const std::string& before, const std::string& now) {
    return now[0] == 'B' || (now[0] == 'I' && (before[0] == 'O' || type(before) != type(now)));
  }
  static bool ends(const std::string& before, const std::string& now) {
    return before[0] != 'O' && (now[0] != 'I' || type(before) != type(now));
  }
  static std::string type(const std::string& tag) { return tag.size() > 2 ? tag.substr(2) : ""; }

  void add(const Strings& gold, const Strings& predicted) {
    std::string last_gold = "O", last_predicted = "O";
    bool same = false;
    for (size_t i = 0; i <= gold.size(); ++i) {
      const std::string g = i < gold.size() ? gold[i] : "O", p = i < gold.size() ? predicted[i] : "O";
      const bool gold_ends = ends(last_gold, g), predicted_ends = ends(last_predicted, p);
      if (same && gold_ends && predicted_ends) ++types[type(last_gold)][2];
      if (gold_ends || predicted_ends) same = false;
      if (begins(last_gold, g)) ++types[type(g)][0];
      if (begins(last_predicted, p)) ++types[type(p)][1];
      if (begins(last_gold, g) || begins(last_predicted, p))
        same = begins(last_gold, g) && begins(last_predicted, p) && type(g) == type(p);
      last_gold = g, last_predicted = p;
    }
  }
};

// The normalization steps of the SQuAD scripts one after another, each over the whole text.
inline std::u32string slow_code_points(const std::string& text) {
  std::u32string codes;
  for (size_t at = 0; at < text.size();) {
    const auto code = text::decode(text.data() + at);
    codes += code.value;
    at += code.size;
  }
  return codes;
}

inline std::vector<std::u32string> slow_words(const std::u32string& text) {
  std::vector<std::u32string> words(1);
  for (const char32_t c : text) {
    if (!text::is_python_space(c))
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

inline std::vector<std::u32string> slow_answer_words(const std::string& answer) {
  std::u32string bare;
  for (const char32_t c : slow_code_points(text::python_lower(answer))) {
    if (std::u32string_view(U"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~").find(c) == std::u32string_view::npos)
      bare += c;
  }
  const auto is_word = [&](size_t i) { return i < bare.size() && text::is_python_word(bare[i]); };
  std::u32string without;
  for (size_t i = 0; i < bare.size();) {
    size_t match = 0;
    for (const std::u32string article : {U"a", U"an", U"the"}) {
      const size_t end = i + article.size();
      const bool borders = is_word(i) != (i > 0 && is_word(i - 1)) && is_word(end - 1) != is_word(end);
      if (match == 0 && borders && bare.compare(i, article.size(), article) == 0) match = article.size();
    }
    without += match > 0 ? U' ' : bare[i];
    i += std::max<size_t>(match, 1);
  }
  return slow_words(without);
}

// Word F1: matches each word with at most one equal word of the other side.
inline double slow_answer_f1(std::vector<std::u32string> gold, const std::vector<std::u32string>& predicted) {
  const auto gold_size = static_cast<double>(gold.size()), size = static_cast<double>(predicted.size());
  double same = 0;
  for (const auto& word : predicted) {
    for (size_t i = 0; i < gold.size(); ++i) {
      if (gold[i] != word) continue;
      gold.erase(gold.begin() + static_cast<ptrdiff_t>(i));
      ++same;
      break;
    }
  }
  if (same == 0) return 0;
  return 2 * (same / size) * (same / gold_size) / (same / size + same / gold_size);
}

}  // namespace bert::reference
