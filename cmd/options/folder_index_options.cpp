#include "options/folder_index_options.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/checksum.h"
#include "base/option.h"
#include "json/json.h"
#include "options/model_directory.h"
#include "search/index_folder.h"
#include "search/record_weights.h"

namespace bert::cmd {
namespace {

// Standard input becomes these texts, a record for each.
void read_from_stdin(const std::vector<std::string>& texts, const std::string& field) {
  std::string records;
  for (const auto& text : texts) {
    json::Object object(records);
    object.string(field, text);
    object.end();
    records += '\n';
  }
  const FileDescriptor file(::memfd_create("queries", MFD_CLOEXEC));
  const auto written = ::pwrite(file.get(), records.data(), records.size(), 0);
  if (written != std::ssize(records) || ::dup2(file.get(), STDIN_FILENO) < 0)
    throw Error("the queries: ", std::strerror(errno));
}

// What changes all records or their vectors, other than the model.
std::string settings_of(const io::StreamOptions& files, const features::FeatureOptions& features) {
  std::string text;
  json::Object object(text);
  object.string(opt::cut.substr(2), *files.cut == io::InputFormat::file   ? "file"
                                    : *files.cut == io::InputFormat::text ? "lines"
                                                                          : "paragraphs");
  object.string(opt::invalid_utf8.substr(2),
                files.invalid_utf8 == io::InvalidUtf8::error ? "error" : "replace");
  object.string(opt::on_error.substr(2), files.on_error == io::OnError::stop ? "stop" : "skip");
  object.integer(opt::overlap.substr(2),
                 features.overflow == features::Overflow::split ? features.overlap : -1);
  if (!files.encoding.empty()) object.string(opt::encoding.substr(2), files.encoding);
  object.end();
  return text;
}

std::string encoding_of(const std::string& settings) {
  json::Document document;
  const auto encoding = document.parse(settings).find(opt::encoding.substr(2));
  return encoding ? encoding->label() : "";
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

FolderIndexOptions::FolderIndexOptions(cli::App& app) : app_(app) {
  app.section("Search");
  app.custom({"--query", "TEXT", "Search for TEXT instead of the texts of FILE; may be repeated."},
             [this](const std::string&, const std::string& text) { queries_.push_back(text); });
  app.custom({opt::in, "PATH",
              "Search this file, or the text files in this folder and below it; may be repeated. The index, "
              "--index or one in the cache, is brought up to date first."},
             [this](const std::string& name, const std::string& path) {
               inputs_.push_back(cli::App::name_of(name, path));
             });
  app.flag(
      {opt::rebuild, "", "With --in, embed all files again, with other options or another model perhaps."},
      rebuild_);
  app.needs(opt::rebuild, opt::in);
  for (const auto other : {opt::records, opt::dedup, opt::pairs, opt::cluster, opt::recursive})
    app.exclusive({opt::in, other});
}

// Whether an option that says how FILE is read says it of other files, too.
bool FolderIndexOptions::is_for_files(std::string_view name, const io::StreamOptions& settings) const {
  const bool has_records = app_.given(opt::records);
  if (name == opt::delimiter) return has_records;
  return name == opt::encoding && (has_records || indexes() || settings.format == io::Format::grep);
}

void FolderIndexOptions::settle(StreamOptions& stream) {
  auto& settings = stream.settings;
  files_.encoding = settings.encoding;
  if (!indexes()) files_.delimiter = settings.delimiter;
  if (!queries_.empty()) {
    if (!settings.files.empty())
      throw cli::UsageError("--query cannot be used with a FILE, which has queries; --in ",
                            settings.files.front(), " searches it");
    for (const auto name :
         {opt::input_format, opt::columns, opt::delimiter, opt::encoding, opt::word_column, opt::tag_column})
      if (app_.given(name) && !is_for_files(name, settings))
        throw cli::UsageError(name, " is for FILEs, not for --query");
    settings.encoding.clear();
    settings.delimiter.reset();
    settings.input_format = io::InputFormat::jsonl;
    read_from_stdin(queries_, settings.text_field);
  }
  for (const auto* name : {"--include", "--exclude"})
    if (app_.given(name) && !indexes() && !settings.recursive())
      throw cli::UsageError(name, " needs --in or ", opt::recursive);
  if (!indexes()) return;
  for (const auto& path : inputs_) {
    if (path == "-") throw cli::UsageError("--in searches files and folders, not standard input");
    if (kind_of(path) == FileKind::absent || ::access(path.c_str(), R_OK) != 0)
      throw Error(path, ": ", std::strerror(errno));
  }
  files_.folders = settings.folders;
  files_.folders->recursive = true;
  files_.folders->leave_out = stream.own_outputs();
  for (const auto& path : inputs_) {
    app_.reads(opt::in, path);
    if (is_directory(path) && !names_stdout(settings.output))
      io::refuse_output_in(path, *files_.folders, settings.output);
  }
  files_.cut = std::exchange(settings.cut, std::nullopt).value_or(io::InputFormat::passages);
  files_.usual.fields = io::asked_text_field(settings.text_field);
  files_.field_options = settings.field_options;
  files_.table_option = settings.table_option;
  files_.decoder = settings.decoder;
  files_.note = settings.note;
  files_.detail = settings.detail;
  files_.left_out = settings.left_out;
  files_.on_error = settings.on_error;
  files_.invalid_utf8 = settings.invalid_utf8;
  files_.progress = settings.progress;
  files_.chunk_bytes = io::kNetworkChunkBytes;
  files_.chunk_records = io::kNetworkChunkRecords;
}

void FolderIndexOptions::create(const search::IndexFolder& folder) const {
  try {
    folder.create();
  } catch (const Error& error) {
    if (app_.given(opt::index)) throw;
    throw Error(error.what(), "; ", opt::index, " DIR names another folder");
  }
}

// Named after everything that distinguishes indexes of the same files. Files are named in records as in the
// command, so paths count as they are written, too.
std::string FolderIndexOptions::default_folder(const std::string& settings, const search::Options& options,
                                               ModelOptions& model, WordSearchOptions& words) const {
  namespace fs = std::filesystem;
  const auto& vectors = options.texts.embed;
  auto cache = variable("XDG_CACHE_HOME");
  if (cache.empty()) cache = variable("HOME").empty() ? "" : variable("HOME") + "/.cache";
  if (cache.empty()) throw Error("no cache for the index: set HOME, or name a folder with ", opt::index);
  if (model.path.empty() && (words.path.empty() || !words.sparse_alone()))
    model.path = model_directory("", "use -m DIR or set BERT_MODEL");
  Checksum checksum;
  const auto add = [&checksum](std::string_view text) {
    checksum.add(text);
    checksum.add(std::string_view("\0", 1));
  };
  for (const auto& path : inputs_) {
    add(path);
    add(fs::canonical(path).string());
  }
  for (const auto* globs : {&files_.folders->include, &files_.folders->exclude}) {
    add("");
    for (const auto& glob : *globs) add(glob);
  }
  add(settings);
  if (words.sparse()) {
    add("weights");
    add(fs::weakly_canonical(words.path.empty() ? model.path : words.path).string());
  }
  if (!words.sparse_alone()) add(fs::weakly_canonical(model.path).string());
  add(model.activation);
  const auto& pooling = vectors.vectors.pooling;
  add(std::to_string(static_cast<int>(pooling.kind)) + "." + std::to_string(static_cast<int>(pooling.mode)));
  add(std::to_string(vectors.max_length.value_or(0)));
  add(std::to_string(vectors.vectors.dim.value_or(0)));
  return cache + "/bert/index-" + hexadecimal(checksum.value());
}

namespace {

// Directories; "": the default one.
struct Models {
  std::string vectors, weights;
};

// Those that are given, else those of the index. With --sparse alone, the one that is given makes weights.
Models models_of(const search::Manifest& manifest, const ModelOptions& model,
                 const WordSearchOptions& words) {
  Models models = {.vectors = model.path, .weights = words.path};
  if (words.sparse_alone()) {
    if (models.weights.empty()) models.weights = model.path;
    models.vectors.clear();
  }
  if (models.vectors.empty() && is_directory(manifest.directory)) models.vectors = manifest.directory;
  if (models.weights.empty() && is_directory(manifest.weights_directory))
    models.weights = manifest.weights_directory;
  return models;
}

// What a search needs and an index lacks.
void require_parts(const std::string& folder, const search::Manifest& manifest,
                   const search::Options& options) {
  const auto refuse = [&](std::string_view what) {
    throw Error(folder, ": has no ", what, "; ", opt::in, " with ", opt::rebuild, " makes them");
  };
  if (options.words && options.words->sparse && !manifest.has_weights()) refuse("weights of words");
  if (options.index.vectors && !manifest.has_vectors()) refuse("vectors");
}

}  // namespace

// How files become records: by their texts, even if queries have ids or a prompt.
search::RefreshOptions FolderIndexOptions::refresh_options(const search::Options& options,
                                                           const StreamOptions& stream,
                                                           const std::string& settings) const {
  auto texts = options.texts;
  texts.embed.vectors.prompt.reset();
  texts.embed.features.text_field = io::kTextField;
  texts.embed.features.take_ids = features::TakeIds::never;
  auto files = files_;
  files.budget = texts.embed.compute.batch_tokens;
  const auto& kept = stream.settings.usual.fields;
  const auto text = std::ranges::find(kept, io::kTextField, &io::FieldAlias::field);
  if (files.usual.fields.empty()) files.usual.fields = kept;
  const auto& features = options.texts.embed.features;
  return {
      .inputs = inputs_,
      .stream = files,
      .texts = texts,
      .settings = settings,
      .fields = {.text = text == kept.end() ? features.text_field : text->name, .pair = features.pair_field},
      .text_asked = stream.text_field_given(),
      .rebuild = rebuild_};
}

FileDescriptor FolderIndexOptions::open(search::Options& options, StreamOptions& stream, ModelOptions& model,
                                        WordSearchOptions& words) {
  auto& index = options.index;
  auto& features = options.texts.embed.features;
  const auto take_kept = [&] {
    stream.take_kept(model.kept());
    if (stream.settings.pair_field.empty()) features.pair_field.clear();
  };
  if (!indexes() && !is_directory(index.path)) {
    take_kept();
    return {};
  }
  const auto settings = indexes() ? settings_of(files_, features) : "";
  if (index.path.empty()) index.path = default_folder(settings, options, model, words);
  const search::IndexFolder folder(index.path);
  if (indexes()) create(folder);
  if (!indexes() && !folder.exists())
    throw Error(index.path, ": is a folder without an index; --in makes one");
  auto lock = folder.lock(indexes() ? search::IndexFolder::Access::write : search::IndexFolder::Access::read);
  search::Manifest manifest;
  if (folder.exists() && !rebuild_) manifest = folder.read();
  const bool is_known = folder.exists() && !rebuild_ && manifest.is_current();
  if (is_known) require_parts(index.path, manifest, options);
  const auto models = models_of(manifest, model, words);
  model.path = words.sparse_alone() ? models.weights : models.vectors;
  words.path = models.weights;
  take_kept();
  if (indexes()) {
    auto refresh = refresh_options(options, stream, settings);
    const auto opens = [&model](const std::string& path) {
      return [&model, path] {
        return path.empty() || path == model.path ? model.open() : model::open_directory(path, "");
      };
    };
    if (is_known ? manifest.has_weights() : words.sparse()) {
      if (models.weights.empty() && !words.sparse_alone())
        throw cli::UsageError("--in with --hybrid and ", opt::sparse, " needs ", opt::sparse_model,
                              " DIR, a SparseEncoder");
      refresh.weights = search::to_weigh(refresh.texts, opens(models.weights));
    }
    refresh.texts.open_model = nullptr;
    if (is_known ? manifest.has_vectors() : !words.sparse_alone())
      refresh.texts.open_model = opens(models.vectors);
    manifest = search::refresh(folder, refresh, stream.pool(), app_.log());
  } else {
    manifest = folder.read_current();
    files_.encoding = encoding_of(manifest.settings);
  }
  index.path = folder.at(manifest.vectors);
  index.may_be_empty = true;
  index.remedy = std::string("embed all files again with ") + (indexes() ? "" : "--in and ") + opt::rebuild;
  index.records_path = folder.at(manifest.records);
  return lock;
}

}  // namespace bert::cmd
