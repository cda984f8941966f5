// Extractive question answering (Devlin et al. 2018, sections 4.2 and 4.3), by the algorithm of Google's
// run_squad.py, with two differences. The answer's text is taken between the offsets of its first and last
// token; Google searches the text for the subword tokens instead. If no pair of best starts and ends is
// valid, all pairs are tried; Google answers "empty" or fails.
#include <algorithm>

#include "base/error.h"
#include "base/option.h"
#include "json/json.h"
#include "predict/predictor.h"

namespace bert::predict {
namespace {

struct Question : Reading {
  std::string question;
  std::string context;
  std::vector<text::Span> offsets;  // of the context's tokens, in code points
};

class Answer final : public Predictor {
 public:
  Answer(const TaskOptions& options, const text::Tokenizer& tokenizer)
      : tokenizer_(tokenizer), options_(options.answer), precision_(options.precision) {}

  features::Overflow overflow() const override { return features::Overflow::split; }
  bool takes(features::Overflow overflow) const override { return overflow == features::Overflow::split; }
  bool takes_overlap() const override { return false; }
  void adapt(features::FeatureOptions& features) const override {
    features.overlap = 0;
    features::require_room(tokenizer_, heads::window_rule(options_, features.max_length));
  }

  std::unique_ptr<Reading> read(const io::Fields& fields,
                                const features::Featurizer& featurizer) const override {
    if (!fields.json("context") && fields.json("input_ids"))
      throw Error(opt::task, " answer reads the fields \"question\" and \"context\", not input_ids");
    auto made = features::answer_windows(
        tokenizer_, heads::window_rule(options_, featurizer.options().max_length), fields);
    auto reading = std::make_unique<Question>();
    reading->question = fields.required_text("question");
    reading->context = std::move(made.context);
    reading->offsets = std::move(made.offsets);
    reading->truncated = made.truncated;
    for (features::Features& features : made.windows)
      reading->windows.push_back({.features = std::move(features)});
    return reading;
  }

  void positions(const Window& window, std::vector<int64_t>& positions) const override {
    const auto& features = window.features;
    for (size_t i = 0; i < features.ids.size(); ++i) positions.push_back(i);
  }

  std::vector<io::Format> own_formats() const override {
    return {io::Format::squad, io::Format::text, io::Format::html};
  }
  std::string official(const Reading& reading, const io::Record&) const override {
    const heads::BestSpans best = best_of(reading);
    return std::string(heads::answer_of(best, options_.no_answer_threshold).text);
  }

  io::MarkedText marked(const Reading& reading) const override {
    const auto& question = static_cast<const Question&>(reading);
    const heads::BestSpans best = best_of(reading);
    const heads::TextSpan answer = heads::answer_of(best, options_.no_answer_threshold);
    io::MarkedText marked = {.heading = question.question, .text = question.context};
    if (answer.text.empty()) {
      marked.note = "No answer";
      return marked;
    }
    const auto place = heads::CodePoints(question.context).bytes(answer.place);
    marked.marks.push_back({.begin = place.begin, .end = place.end});
    json::append_number(marked.marks.back().title, answer.score, precision_);
    return marked;
  }

  void answer(const Reading& reading, io::Added& added) const override {
    const heads::BestSpans best = best_of(reading);
    append_chosen(heads::answer_of(best, options_.no_answer_threshold), added);
    added.number("null_score", heads::null_score_of(best), precision_);
    if (!options_.n_best) return;
    const auto count = std::min<size_t>(best.spans.size(), *options_.n_best);
    json::append_array(added.field("n_best"), std::span(best.spans).first(count),
                       [&](std::string& out, const heads::TextSpan& span) { append_listed(out, span); });
  }

  void report_truncated(Log& log, int64_t records, int64_t max_length) const override {
    log.warn(counted(records, "question was", "questions were") + " truncated to " +
             counted(features::question_limit(tokenizer_, heads::window_rule(options_, max_length)), "token",
                     "tokens"));
  }

 private:
  heads::BestSpans best_of(const Reading& reading) const {
    const auto& question = static_cast<const Question&>(reading);
    std::vector<heads::SpanWindow> windows;
    for (const Window& window : question.windows) windows.push_back(span_window(window));
    return heads::best_spans(windows, question.context, question.offsets, heads::span_rule(options_));
  }

  static heads::SpanWindow span_window(const Window& window) {
    const features::Features& features = window.features;
    const int64_t length = features.second.end - features.second.begin;
    heads::SpanWindow logits = {.text_begin = features.second.begin,
                                .text = {features.window_begin, features.window_begin + length}};
    for (const Row& row : window.rows) {
      logits.starts.push_back(row.logits[0]);
      logits.ends.push_back(row.logits[1]);
    }
    return logits;
  }

  void append_chosen(const heads::TextSpan& span, io::Added& added) const {
    added.string("prediction", span.text);
    append_place(added.field("start"), span, span.place.begin);
    append_place(added.field("end"), span, span.place.end);
    added.number("score", span.score, precision_);
  }

  void append_listed(std::string& out, const heads::TextSpan& span) const {
    json::Object object(out);
    object.string("text", span.text);
    append_place(object.key("start"), span, span.place.begin);
    append_place(object.key("end"), span, span.place.end);
    object.number("score", span.score, precision_);
    object.end();
  }

  static void append_place(std::string& out, const heads::TextSpan& span, uint32_t place) {
    if (span.text.empty()) {
      out += "null";
    } else {
      json::append_integer(out, place);
    }
  }

  const text::Tokenizer& tokenizer_;
  heads::AnswerOptions options_;
  int precision_;
};

}  // namespace

std::unique_ptr<Predictor> make_answer(const TaskOptions& options, const model::Config&,
                                       const text::Tokenizer& tokenizer) {
  return std::make_unique<Answer>(options, tokenizer);
}

}  // namespace bert::predict
