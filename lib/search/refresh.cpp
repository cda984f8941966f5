#include "search/refresh.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/checksum.h"
#include "base/error.h"
#include "base/option.h"
#include "base/output_file.h"
#include "heads/vector_model.h"
#include "io/array_rows.h"
#include "io/folder_walk.h"
#include "json/json.h"
#include "json/utf8.h"
#include "search/index_filter.h"
#include "search/index_models.h"
#include "search/index_sources.h"

namespace bert::search {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kPartBytes = 1 << 20;  // of the files that are embedded before they are put down
constexpr size_t kPartFiles = 1024;
constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kRecent = 2 * kSecond;  // the clocks of some file systems are this coarse

int64_t nanoseconds(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

// nullopt if it cannot be found.
std::optional<IndexedFile> look_at(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return IndexedFile{.path = path, .size = info.st_size, .time = nanoseconds(info.st_mtim), .checksum = {}};
}

// "cut lines, not file"; "" if the settings are the same.
std::string difference_of(const std::string& before, const std::string& now) {
  json::Document documents[2];
  const auto first = documents[0].parse(before), second = documents[1].parse(now);
  const auto text = [](const std::optional<json::Value>& value) { return value ? value->label() : "none"; };
  for (const auto& settings : {first, second}) {
    for (const auto& [name, value] : settings.members()) {
      const auto then = text(first.find(name)), present = text(second.find(name));
      if (then != present) return std::string(name) + " " + then + ", not " + present;
    }
  }
  return "";
}

bool has_same_models(const Manifest& a, const Manifest& b) {
  return a.model == b.model && a.width == b.width && a.weights_model == b.weights_model;
}

void take_models(const Manifest& from, Manifest& to) {
  to.model = from.model;
  to.directory = from.directory;
  to.width = from.width;
  to.weights_model = from.weights_model;
  to.weights_directory = from.weights_directory;
}

class Refresh {
 public:
  Refresh(const IndexFolder& folder, const RefreshOptions& options, Pool& pool, Log& log)
      : folder_(folder), options_(options), pool_(pool), log_(log), sources_(folder) {}

  Manifest run() {
    find_sources();
    find_files();
    compare();
    embed();
    auto index = finish();
    const auto has_records = [](const IndexedFile& file) { return file.records > 0; };
    if (std::ranges::none_of(index.files, has_records))
      log_.warn(named() + ": no text was found" +
                (index.files.empty() ? ""
                                     : " in " + counted(std::ssize(index.files), "file", "files") + "; " +
                                           opt::rebuild + " reads again, and says why"));
    for (const auto& message : options_.stream.folders->notes()) log_.warn(message);
    if (options_.text_asked && text_field_.warning())
      log_.warn(named() + ": no record has the field " + json::in_quotes(text_field_.name()) + " of " +
                opt::text_field + ", so " + json::in_quotes(io::kTextField) + " is read");
    return index;
  }

 private:
  void find_sources();
  void find_files();
  void add_file(const std::string& path);
  void compare();
  bool is_as_before(const IndexedFile& before, IndexedFile& now);
  void embed();
  void embed_part(std::span<const size_t> part);
  IndexModels& models();
  Manifest finish();
  Manifest merge();
  std::string named() const;
  void tell() const;

  const IndexFolder& folder_;
  const RefreshOptions& options_;
  Pool& pool_;
  Log& log_;
  Sources sources_;
  bool has_old_ = false;            // the first source is the index of before
  std::vector<IndexedFile> files_;  // those of the new index
  std::unordered_set<std::string> known_;
  std::unordered_set<std::string> given_;  // by the user; all others were found in folders
  std::vector<size_t> pending_;            // to be embedded
  int64_t new_ = 0, changed_ = 0, same_ = 0;
  std::unique_ptr<IndexModels> models_;
  int64_t now_ = 0;  // when the files were looked at
  io::FieldUse text_field_{options_.fields.text, opt::text_field};
  io::NotTextFiles not_text_;
  int64_t truncated_ = 0, empty_ = 0;
  size_t next_part_ = 0;
};

void Refresh::find_sources() {
  if (options_.rebuild) return folder_.remove_parts();
  if (folder_.exists()) {
    auto manifest = folder_.read();
    if (!manifest.is_current()) {
      log_.warn(folder_.path() + ": is of another version of bert-search, so all files are embedded again");
      return folder_.remove_parts();
    }
    sources_.add(std::move(manifest));
    has_old_ = true;
    const auto difference = difference_of(sources_.manifests().front().settings, options_.settings);
    if (!difference.empty())
      throw Error(folder_.path(), ": was made with ", difference, "; ", opt::rebuild,
                  " embeds all files again");
  }
  for (const auto& name : folder_.parts()) {
    auto part = Manifest::read(folder_.at(name));
    next_part_ = std::max(next_part_, std::stoul(name.substr(name.find('-') + 1)) + 1);
    const auto& first = sources_.manifests().empty() ? part : sources_.manifests().front();
    if (part.is_current() && part.settings == options_.settings && has_same_models(part, first) &&
        part.has_vectors() == bool{options_.texts.open_model} &&
        part.has_weights() == bool{options_.weights.open_model})
      sources_.add(std::move(part));
  }
}

void Refresh::find_files() {
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  now_ = nanoseconds(now);
  auto folders = *options_.stream.folders;
  folders.leave_out.push_back(folder_.path());
  for (const auto& input : options_.inputs) {
    if (!is_directory(input)) {
      given_.insert(input);
      add_file(input);
      continue;
    }
    io::FolderWalk walk(input, folders, [this](const std::string& message) { log_.warn(message); });
    while (const auto path = walk.next()) add_file(*path);
  }
}

void Refresh::add_file(const std::string& path) {
  if (!json::is_utf8(path)) return log_.warn(path + ": is left out, since its name is not UTF-8");
  if (auto file = look_at(path); file && known_.insert(path).second) files_.push_back(std::move(*file));
}

// Whether a file has the contents that were embedded.
bool Refresh::is_as_before(const IndexedFile& before, IndexedFile& now) {
  if (before.size != now.size || before.checksum.empty() || ::access(now.path.c_str(), R_OK) != 0)
    return false;
  if (before.records == 0 && given_.contains(now.path)) return false;  // to tell why there is no text
  if (before.time == 0 || before.time != now.time) {
    now.checksum = hexadecimal(checksum(MappedFile(now.path)));
    if (now.checksum != before.checksum) return false;
  }
  now.checksum = before.checksum;
  now.records = before.records;
  now.bytes = before.bytes;
  return true;
}

void Refresh::compare() {
  std::vector<IndexedFile> files;
  for (auto& file : files_) {
    try {
      const auto place = sources_.find(file.path);
      if (place && is_as_before(sources_.at(*place), file) &&
          reads_same(file.path, options_.stream, sources_.manifests()[place->source].fields,
                     options_.fields)) {
        same_ += file.records > 0 ? 1 : 0;
      } else {
        if (file.checksum.empty()) file.checksum = hexadecimal(checksum(MappedFile(file.path)));
        pending_.push_back(files.size());
      }
      if (now_ - file.time < kRecent) file.time = 0;
      files.push_back(std::move(file));
    } catch (const Error& error) {
      log_.warn(error.what());
    }
  }
  files_ = std::move(files);
}

IndexModels& Refresh::models() {
  if (models_) return *models_;
  models_ = std::make_unique<IndexModels>(options_.texts, options_.weights, pool_, log_);
  if (!sources_.manifests().empty()) models_->require_same(folder_, sources_.manifests().front());
  return *models_;
}

void Refresh::embed() {
  for (size_t begin = 0; begin < pending_.size();) {
    size_t end = begin;
    const auto is_given = [&](size_t place) { return given_.contains(files_[pending_[place]].path); };
    for (int64_t bytes = 0; end < pending_.size() && bytes < kPartBytes && end - begin < kPartFiles &&
                            is_given(end) == is_given(begin);
         ++end)
      bytes += files_[pending_[end]].size;
    embed_part(std::span(pending_).subspan(begin, end - begin));
    begin = end;
  }
  if (models_) models_->report(log_);
  if (truncated_ > 0) models_->report_truncated(truncated_);
  not_text_.report(log_);
  if (empty_ > 0)
    log_.warn(counted(empty_, "record with an empty text was", "records with empty texts were") +
              " left out");
}

// Which file has how many records is known afterwards. A file that has changed while it was read is embedded
// again the next time.
void Refresh::embed_part(std::span<const size_t> part) {
  auto number = std::to_string(next_part_++);
  number.insert(0, 6 - std::min<size_t>(6, number.size()), '0');
  const auto id = "part" + number;
  Manifest manifest = {.vectors = "vectors-" + id + ".npy",
                       .records = "records-" + id + ".jsonl",
                       .model = {},
                       .directory = {},
                       .settings = options_.settings,
                       .fields = options_.fields,
                       .files = {}};
  models().describe(manifest);
  auto stream = options_.stream;
  stream.files.clear();
  for (const size_t i : part) stream.files.push_back(files_[i].path);
  stream.output = folder_.at(manifest.records);
  stream.found = true;
  stream.named = given_.contains(stream.files.front());
  IndexFilter indexed(*models_, folder_.at(manifest.vectors), options_.fields, text_field_);
  const auto result = io::run_stream(stream, pool_, log_, indexed);
  not_text_.add(result.not_text);
  truncated_ += result.truncated;
  empty_ += indexed.empty();
  const MappedFile records(stream.output);
  std::string_view rest = records.text();
  for (const size_t i : part) {
    auto& file = files_[i];
    file.records = indexed.records_of(file.path);
    if (const auto before = sources_.find(file.path)) {
      changed_ += file.records > 0 || sources_.at(*before).records > 0 ? 1 : 0;
    } else if (file.records > 0) {
      ++new_;
    }
    size_t end = 0;
    for (int64_t n = 0; n < file.records; ++n) end = rest.find('\n', end) + 1;
    file.bytes = end;
    rest.remove_prefix(end);
    const auto now = look_at(file.path);
    if (!now || now->size != file.size || (file.time != 0 && now->time != file.time)) file.checksum.clear();
    manifest.files.push_back(file);
  }
  manifest.write(folder_.at("part-" + number + ".jsonl"));
  sources_.add(std::move(manifest));
}

Manifest Refresh::merge() {
  const auto& manifests = sources_.manifests();
  Manifest merged = {.vectors = {},
                     .records = {},
                     .settings = options_.settings,
                     .fields = options_.fields,
                     .files = files_};
  if (manifests.empty()) {
    models().describe(merged);
  } else {
    take_models(manifests.front(), merged);
  }
  const auto id = hexadecimal(now_);
  merged.vectors = "vectors-" + id + ".npy";
  merged.records = "records-" + id + ".jsonl";
  const auto array = folder_.at(merged.vectors);
  std::optional<heads::Sidecar> sidecar;
  if (merged.has_vectors())
    sidecar.emplace(array, heads::Sidecar::Content{.model = merged.model, .width = merged.width});
  OutputFile vectors(array), records(folder_.at(merged.records));
  int64_t rows = 0;
  for (const auto& file : files_) rows += file.records;
  vectors.write(io::npy_header({.rows = rows, .columns = merged.width, .number_bytes = sizeof(float)}));
  for (size_t i = 0; i < files_.size();) {
    const auto first = *sources_.find(files_[i].path);
    auto last = first;
    for (++i; i < files_.size(); ++i) {
      const auto next = *sources_.find(files_[i].path);
      if (next.source != last.source || next.file != last.file + 1) break;
      last = next;
    }
    vectors.write(sources_.rows(first, last.file));
    records.write(sources_.records(first, last.file));
  }
  vectors.commit();
  records.commit();
  if (sidecar) sidecar->write();
  return merged;
}

Manifest Refresh::finish() {
  Manifest index;
  const bool is_whole = has_old_ && pending_.empty() && sources_.manifests().size() == 1 &&
                        std::ranges::equal(files_, sources_.manifests().front().files, {}, &IndexedFile::path,
                                           &IndexedFile::path);
  if (is_whole) {
    index = sources_.manifests().front();
    if (index.files != files_ || index.fields != options_.fields) {
      index.files = files_;
      index.fields = options_.fields;
      index.write(folder_.manifest_path());
    }
  } else {
    index = merge();
    index.write(folder_.manifest_path());
  }
  // Also where nothing has changed: a run that was killed here has left the files of before.
  folder_.remove_all_but(
      {std::string(kIndexManifest), index.vectors, heads::sidecar_of(index.vectors), index.records});
  if (!is_whole) tell();
  return index;
}

// The inputs in messages.
std::string Refresh::named() const {
  const auto others = options_.inputs.size() - 1;
  return options_.inputs.front() + (others > 0 ? " and " + std::to_string(others) + " more" : "");
}

void Refresh::tell() const {
  int64_t gone = 0;
  if (has_old_)
    for (const auto& file : sources_.manifests().front().files)
      gone += file.records > 0 && !known_.contains(file.path) ? 1 : 0;
  if (new_ + changed_ + gone == 0 && (has_old_ || same_ == 0)) return;
  auto text = named() + ": " + counted(new_, "file", "files") + " new";
  if (has_old_)
    text += ", " + std::to_string(changed_) + " changed, " + std::to_string(gone) + " gone, " +
            std::to_string(same_) + " as before";
  if (!has_old_ && same_ > 0) text += ", " + std::to_string(same_) + " of an earlier run";
  log_.warn(text);
}

}  // namespace

Manifest refresh(const IndexFolder& folder, const RefreshOptions& options, Pool& pool, Log& log) {
  return Refresh(folder, options, pool, log).run();
}

}  // namespace bert::search
