#include "corpus/sentence_filter.h"

#include <utility>

#include "json/json.h"

namespace bert::corpus {
namespace {

constexpr size_t kKeepTokens = 1 << 20;  // of one sentence; larger working memory is freed

io::DropList with(io::DropList names, const std::string& name) {
  names.add(name);
  return names;
}

}  // namespace

struct SentenceFilter::Prepared : io::Work {
  io::Added added;
};

SentenceFilter::SentenceFilter(const text::Tokenizer& tokenizer, SentenceOptions options)
    : tokenizer_(tokenizer),
      options_(std::move(options)),
      text_drop_(with(with(options_.drop, options_.text_field), "file")) {
  idle_workspaces_.push_back(std::make_unique<Workspace>(Workspace{text::SentenceSplitter(options_.locale)}));
}

std::unique_ptr<SentenceFilter::Workspace> SentenceFilter::borrow_workspace() const {
  {
    const std::lock_guard lock(workspaces_mutex_);
    if (!idle_workspaces_.empty()) {
      auto workspace = std::move(idle_workspaces_.back());
      idle_workspaces_.pop_back();
      return workspace;
    }
  }
  return std::make_unique<Workspace>(Workspace{text::SentenceSplitter(options_.locale)});
}

void SentenceFilter::prepare(const io::Fields& fields, io::Record& record) const {
  if (fields.words(options_.text_field) && !fields.text_unless_null(options_.text_field))
    throw Error("has words instead of a text, which is needed to find its sentences");
  const auto text = fields.required_text(options_.text_field);
  auto workspace = borrow_workspace();
  if (record.source().format == io::InputFormat::documents)
    text::split_lines(text, workspace->sentences);
  else
    workspace->splitter.split(text, workspace->sentences);
  auto prepared = std::make_unique<Prepared>();
  std::string& out = prepared->added.field("sentences");
  out.reserve(text.size() + text.size() / 4 + 2);  // a token of four bytes takes about five as a number
  append_sentences(out, *workspace);
  record.work = std::move(prepared);
  if (workspace->tokens.ids.capacity() > kKeepTokens) return;
  const std::lock_guard lock(workspaces_mutex_);
  idle_workspaces_.push_back(std::move(workspace));
}

void SentenceFilter::append_sentences(std::string& out, Workspace& workspace) const {
  out += '[';
  const size_t begin = out.size();
  for (const auto sentence : workspace.sentences) {
    workspace.tokens.clear();
    tokenizer_.encode(sentence, {}, workspace.tokens);
    if (workspace.tokens.ids.empty()) continue;
    if (out.size() > begin) out += ',';
    json::append_integers(out, workspace.tokens.ids);
  }
  out += ']';
}

void SentenceFilter::finish(io::Record& record, io::Output& out) const {
  const auto format = record.source().format;
  const bool has_fields = format == io::InputFormat::jsonl || io::is_table(format);
  out.record(record, record.work_as<Prepared>().added, has_fields ? options_.drop : text_drop_);
}

}  // namespace bert::corpus
