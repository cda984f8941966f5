// bert-search: finds nearest neighbors among vectors.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/option.h"
#include "base/output_file.h"
#include "cli/app.h"
#include "heads/version.h"
#include "options/color_option.h"
#include "options/feature_options.h"
#include "options/folder_index_options.h"
#include "options/model_options.h"
#include "options/negatives_options.h"
#include "options/number_options.h"
#include "options/rerank_option.h"
#include "options/stream_options.h"
#include "options/vector_options.h"
#include "options/word_search_options.h"
#include "search/hybrid.h"
#include "search/index_folder.h"
#include "search/options.h"
#include "text/version.h"

namespace opt = bert::opt;

namespace {

using namespace bert;
using search::Metric;

constexpr Option kCommunities{"--communities"};

struct LineOptions {
  search::LinesOptions options;
  bool files = false, counts = false;
};

// Conditions on one field are alternatives.
void add_condition(const std::string& name, const std::string& text,
                   std::vector<search::Condition>& conditions) {
  const size_t end = text.find('=');
  if (end == 0 || end == text.npos) throw cli::UsageError(name, " must be FIELD=VALUE, not \"", text, "\"");
  const auto field = text.substr(0, end);
  auto condition = std::ranges::find(conditions, field, &search::Condition::field);
  if (condition == conditions.end()) condition = conditions.insert(condition, {field, {}});
  condition->values.push_back(text.substr(end + 1));
}

void index_options(cli::App& app, search::Options& options) {
  app.section("Search");
  auto& index = options.index;
  app.option({opt::index, "FILE",
              "Search these vectors: rows of an npy or f32 file, the field embedding of JSONL records, or a "
              "folder that --in has made."},
             index.path);
  app.option({opt::records, "FILE", "The records of the rows, in the same order; their ids are written."},
             index.records_path);
  app.number({"-k,--neighbors", "N", "Number of neighbors to write, at most; 0: all."}, {.min = 0},
             options.neighbors);
  app.real({"--min-score", "T", "Write only neighbors with a score of at least T."}, cmd::kAnyNumber,
           options.min_score);
  app.custom(
      {opt::where, "FIELD=VALUE",
       "Search only vectors whose record has this value; repeat it for another value or field."},
      [&index](const std::string& name, const std::string& text) { add_condition(name, text, index.where); });
  app.choice<Metric>({opt::metric, "", "Compare vectors by cosine, dot product or Euclidean distance (l2)."},
                     {std::begin(search::kMetricNames), std::end(search::kMetricNames)}, options.metric);
  app.option(
      {opt::graph, "FILE",
       "Search approximately, with this graph of the index; it is built first if FILE does not exist."},
      options.graph.path);
  app.option({opt::codes, "FILE",
              "Search approximately, with a byte or a bit for each number of the index; these codes are made "
              "first if FILE does not exist."},
             options.codes.path);
  app.choice<search::Codes::Kind>(
      {"--code", "", "What new codes keep of each number: a byte (int8, the default) or a bit (sign)."},
      {std::begin(search::kCodeNames), std::end(search::kCodeNames)}, options.codes.kind);
  app.number(
      {"--candidates", "N",
       "Number of records to choose the neighbors from, of each search that --hybrid joins; for --graph, "
       "--codes (default 50; sign: 200), --hybrid and --rerank."},
      {.min = 1, .max = 1'000'000}, options.graph.candidates);
  app.number({"--recall", "N",
              "With --graph or --codes, search the first N queries exactly, too, and report which share of "
              "their neighbors was found."},
             {.min = 1}, options.recall);
  app.exclusive({opt::graph, opt::codes});
  app.needs("--code", opt::codes);
  app.list({opt::with, "NAME,...", "Copy these fields of a neighbor's record."}, index.with);
  app.option({opt::id_field, "NAME", "Field with the id of a record."}, index.id_field);
  app.number({opt::dim, "N",
              "Numbers in a vector; needed for f32 files without FILE.json. Vectors of texts are shortened "
              "to the first N."},
             {.min = 1, .max = 65536}, index.width);
}

void mode_options(cli::App& app, search::Options& options) {
  app.section("Other modes");
  app.real({opt::dedup, "T",
            "Leave out each record whose score with an earlier record that was written is at least T."},
           cmd::kAnyNumber, options.dedup);
  app.option({"--against", "FILE",
              "With --dedup, leave out records that are as near to a vector of this index, too."},
             options.against);
  app.real({opt::pairs, "T", "Write all pairs of records with a score of at least T."}, cmd::kAnyNumber,
           options.pairs);
  app.number(
      {opt::cluster, "K", "Divide the records into K clusters by k-means; add cluster, distance, rank."},
      {.min = 1, .max = 1'000'000}, options.clusters);
  app.real({kCommunities, "T",
            "Find clusters of records whose score with a central one is at least T; add cluster, distance, "
            "rank, null for a record in none."},
           cmd::kAnyNumber, options.communities);
  app.number({opt::min_size, "N", "Number of records in a cluster of --communities, at least."}, {.min = 1},
             options.least);
  app.number({"--central", "N", "Write only the N most central records of each cluster, cluster by cluster."},
             {.min = 1}, options.central);
  app.number({"--terms", "N", "Add the N terms that tell the record's cluster from the others."}, {.min = 1},
             options.terms);
  app.flag({"--silhouette", "",
            "Add how much better the record fits its cluster than the next one, from -1 to 1, and report the "
            "mean."},
           options.silhouette);
  app.exclusive({opt::dedup, opt::pairs, opt::cluster, kCommunities, "--negatives"});
  for (const auto mode : {opt::dedup, opt::pairs, opt::cluster, kCommunities}) {
    for (const auto& option :
         std::vector<std::string>{"--neighbors", "--min-score", opt::where, opt::with, opt::graph, opt::codes,
                                  "--lexical", opt::hybrid, opt::sparse})
      app.exclusive({mode, option});
    app.excludes({{opt::format, {"grep"}}}, mode);
  }
  app.exclusive({opt::where, opt::graph});
  for (const auto mode : {opt::dedup, opt::cluster, kCommunities}) app.exclusive({mode, opt::id_field});
  app.exclusive({"--recall", "--negatives"});
  app.needs("--against", opt::dedup);
  for (const auto mode : {opt::cluster, kCommunities}) app.needs(mode, {opt::metric, {"cosine", "l2"}});
  app.needs(opt::min_size, kCommunities);
  app.needs("--silhouette", {opt::metric, {"cosine"}});
  app.check([&] {
    for (const auto* option : {"--central", "--terms", "--silhouette"})
      if (app.given(option) && !options.clusters && !options.communities)
        throw cli::UsageError(option, " needs --cluster or --communities");
  });
  app.excludes({opt::drop}, opt::pairs);
}

void line_options(cli::App& app, LineOptions& lines) {
  using Show = search::LinesOptions::Show;
  auto& options = lines.options;
  app.section("Lines of neighbors, with --format grep");
  app.number(
      {"-C," + opt::context, "N", "Write all lines of each neighbor, and N lines before and after it."},
      {.min = 0}, options.context);
  app.flag({"-l,--files-with-matches", "",
            "Write only the names of the files that have neighbors of any query, each once."},
           lines.files);
  app.flag({"-c,--count", "", "Write only the number of neighbors in each of these files."}, lines.counts);
  app.flag({"-Z,--null", "", "Write a NUL byte after the name of each file, as for xargs -0."}, options.null);
  cmd::color_option(app, "names and numbers of lines", "grep", options.colored);
  for (const auto& name : {"--files-with-matches", "--count", "--null", "--context"})
    app.needs(name, {opt::format, {"grep"}});
  app.exclusive({"--files-with-matches", "--count", opt::context});
  app.excludes({opt::keep, opt::drop, opt::with, opt::id_field, "--precision"}, {opt::format, {"grep"}},
               ", which writes lines");
  app.check([&] { options.show = lines.files ? Show::files : lines.counts ? Show::counts : Show::lines; });
}

bool compares_records(const search::Options& options) {
  return options.dedup || options.pairs || options.clusters || options.communities;
}

// The index is read again for the records of neighbors, and the graph is kept for later runs.
void require_files(const cli::App& app, const search::Options& options) {
  for (const auto& [name, path] :
       {std::pair(opt::graph, options.graph.path), {opt::codes, options.codes.path}}) {
    if (names_stdout(path)) throw cli::UsageError(name, " must be a file, not ", path);
    if (is_in_index(path)) throw cli::UsageError(name, " ", path, " would become a part of an index");
  }
  if (options.index.path == "-") throw cli::UsageError("--index must be a file, not -");
  if (options.against == "-") throw cli::UsageError("--against must be a file, not -");
  if (!app.given("--query")) return;
  for (const auto& [name, path] :
       {std::pair(opt::index, options.index.path), {opt::records, options.index.records_path}})
    if (names_stdin(path)) throw cli::UsageError(name, " cannot be standard input with --query");
}

void check_mode(const cli::App& app, const search::Options& options) {
  const std::pair<std::optional<double>, Option> thresholds[] = {{options.dedup, opt::dedup},
                                                                 {options.pairs, opt::pairs},
                                                                 {options.communities, kCommunities},
                                                                 {options.min_score, "--min-score"}};
  const auto* const given =
      std::ranges::find_if(thresholds, [](const auto& entry) { return entry.first.has_value(); });
  const auto [threshold, name] = given == std::end(thresholds) ? thresholds[0] : *given;
  if (!compares_records(options) && options.index.path.empty() && !app.given("--in"))
    throw cli::UsageError("--index is missing; it names the vectors to search, or --in the files");
  const bool is_of_vectors = !options.words && !app.given(opt::rerank);
  if (threshold && is_of_vectors && options.metric == Metric::cosine && std::abs(*threshold) > 1)
    throw cli::UsageError(name, " must be from -1 to 1, as cosines are");
  if (threshold && is_of_vectors && options.metric == Metric::l2 && *threshold < 0)
    throw cli::UsageError(name, " must be at least 0, as distances are");
  const bool by_ranks = options.words && options.words->with_vectors && !options.words->weight;
  if (threshold && by_ranks && !app.given(opt::rerank) && *threshold > search::kMostByRanks)
    throw cli::UsageError(
        name, " must be at most 2/61, the highest score of --fusion rank: 1/61 for each first rank");
  for (const auto name : {opt::graph, opt::codes})
    if (options.neighbors == 0 && app.given(name))
      throw cli::UsageError("--neighbors 0 cannot be used with ", name, ", which finds some neighbors");
  // In the other modes, ids are those of the FILEs.
  for (const auto copied : {opt::with, opt::where, opt::id_field}) {
    const auto& [path, records] = std::tie(options.index.path, options.index.records_path);
    if (app.given(copied) && !compares_records(options) && !path.empty() && records.empty() &&
        search::is_array_file(path))
      throw cli::UsageError(copied, " needs --records FILE: the rows of ", path, " have no fields");
  }
  if (app.given(opt::records) && options.index.path.empty())
    throw cli::UsageError("--records requires --index, with the vectors of the records");
}

// The names become keys of a neighbor, next to its id and score.
void check_copied(const cli::App& app, const search::Options& options) {
  std::set<std::string> names = {"id", "score"};
  if (app.given(opt::rerank)) names.emplace(search::kJoinedScore);
  const auto words = options.words.value_or(search::WordOptions()).score_name();
  if (app.given(opt::rerank) || (options.words && options.words->with_vectors))
    names.insert({std::string(search::name_of(options.metric)), std::string(words)});
  for (const auto& name : options.index.with) {
    if (!names.insert(name).second)
      throw cli::UsageError("--with ", name, " would write two fields \"", name, "\" of a neighbor");
  }
}

// In the other modes, --index has the vectors of the FILEs, of --records, or of records that are its rows.
// With --records, a single FILE can only be meant as --index.
void settle_index(search::Options& options, io::StreamOptions& stream) {
  auto& index = options.index;
  if (!compares_records(options)) return;
  const bool is_index = index.path.empty() && !index.records_path.empty() && stream.files.size() == 1 &&
                        stream.files.front() != "-";
  if (is_index) index.path = std::exchange(stream.files, {}).front();
  if (index.path.empty()) return;
  if (const search::IndexFolder folder(index.path); is_directory(index.path) && folder.exists()) {
    const auto manifest = folder.read_current();
    if (!manifest.has_vectors()) throw Error(index.path, ": has no vectors; --in with --rebuild makes them");
    index.path = folder.at(manifest.vectors);
    if (index.records_path.empty() && stream.files.empty()) index.records_path = folder.at(manifest.records);
  }
  if (!index.records_path.empty() && !stream.files.empty())
    throw cli::UsageError(
        "--records cannot be used with a FILE in this mode; both name the records of --index");
  if (stream.files.empty()) stream.files = {index.records_path.empty() ? index.path : index.records_path};
  index.records_path.clear();
}

// The model's vectors may be made for another comparison than the cosine. It makes no difference to vectors
// of unit length.
void note_similarity(const model::SentenceTransformer& sentence, Log& log) {
  const auto& name = sentence.similarity;
  const bool unit = !sentence.modules.empty() && !sentence.truncate_dim &&
                    std::holds_alternative<model::Normalize>(sentence.modules.back());
  if (unit || sentence.sparse || (name != "dot" && name != "euclidean")) return;
  const bool dot = name == "dot";
  log.warn(std::string("the model's vectors are meant to be compared by ") +
           (dot ? "dot product" : "Euclidean distance") + "; use --metric " + (dot ? "dot" : "l2"));
}

// Files that are read if they exist, else written.
void declare_files(cli::App& app, const search::Options& options) {
  for (const auto& [name, path] :
       {std::pair(opt::graph, options.graph.path), {opt::codes, options.codes.path}}) {
    app.reads(name, path);
    app.writes(name, path);
  }
  if (!options.codes.path.empty()) app.writes(opt::codes, heads::sidecar_of(options.codes.path));
}

// `files`: how files other than FILE are read.
void settle_stream(search::Options& options, io::StreamOptions& stream, const io::StreamOptions& files) {
  auto& records = options.index.stream = stream;
  records.encoding = files.encoding;
  records.delimiter = files.delimiter ? files.delimiter : stream.delimiter;
  if (options.index.may_be_empty) {  // the records are those of a folder
    records.encoding.clear();
    if (const auto asked = std::exchange(records.text_field, std::string(io::kTextField));
        asked != io::kTextField)
      records.usual.fields = io::asked_text_field(asked);
  }
  options.index.lines = stream.format == io::Format::grep;
  options.drop = stream.drop;
  options.on_error = stream.on_error;
  if (options.clusters || options.communities)
    stream.check_columns = [&keep = stream.keep](const std::vector<std::string>& columns) {
      search::require_columns(keep, columns);
    };
  stream.budget = search::RecordVectors::kBudget;
  stream.chunk_bytes = search::RecordVectors::kChunkBytes;
  stream.chunk_records = search::RecordVectors::kChunkRecords;
}

}  // namespace

int main(int argc, char** argv) {
  cli::App app("bert-search",
               "Find nearest neighbors, near-duplicates, similar pairs and clusters by vectors.");
  search::Options options;
  search::Negatives negatives;
  cmd::FolderIndexOptions folder(app);
  index_options(app, options);
  cmd::RerankOption rerank(app);
  cmd::negatives_options(app, negatives);
  cmd::WordSearchOptions words(app, options);
  mode_options(app, options);
  cmd::seed_option(app, options.seed);
  cmd::ModelOptions model(app, cmd::ModelOptions::Opened::if_needed);
  auto& embed = options.texts.embed;
  app.section("Vectors of texts");
  cmd::pooling_option(app, embed.vectors.pooling, cmd::PoolingOf::search);
  cmd::prompt_option(app, embed.vectors.prompt);
  cmd::LengthOptions length(app);
  cmd::StreamOptions stream(
      app, {.load = cmd::StreamOptions::Load::network,
            .more = io::formats_of({io::RecordKind::tagged, io::RecordKind::row}),
            .folders_of = "--in",
            .formats = io::formats_of({io::FormatGroup::json, io::FormatGroup::table}, {io::Format::grep})});
  cmd::format_option(app, stream,
                     "Write records as JSONL, TSV or CSV, or the lines of neighbors as FILE:LINE:TEXT.");
  LineOptions lines;
  line_options(app, lines);
  cmd::precision_option(app, options.precision);
  cmd::batch_option(app, embed.compute.batch_tokens);
  app.most_used({"--query", "--in", opt::index, opt::records, "--neighbors", "--min-score", opt::metric,
                 opt::with, opt::format, "--model", "--output", opt::text_field, "--threads"});
  app.check([&] {
    folder.settle(stream);
    cmd::set_input(embed.features, stream, length);
    embed.max_length = length.max_length;
    embed.features.take_ids = cmd::takes_ids(stream);
    embed.expects_pairs = stream.pair_field_given();
    embed.vectors.dim = options.index.width;
    options.texts.prefer_text = stream.text_field_given();
    require_files(app, options);
    options.index.norms = !options.graph.path.empty() || compares_records(options);
    cmd::reads_vectors(app, opt::index, options.index.path);
    app.reads(opt::records, options.index.records_path);
    cmd::reads_vectors(app, "--against", options.against);
    declare_files(app, options);
    settle_index(options, stream.settings);
    stream.settings.text_option = "--query";
    stream.settings.row_width = search::row_width(options.index, stream.settings.files);
    if (!app.given(opt::index)) app.reads("", options.index.path);  // a FILE that is meant as --index
    check_mode(app, options);
    check_copied(app, options);
    cmd::settle_negatives(app, options, negatives, stream.settings);
  });
  app.version_of(text::version);
  app.version_of(heads::version);
  app.examples({{"Search the texts of a folder, which are embedded when they are new or have changed",
                 "bert-search --query 'snow in the mountains' --in wiki -k 2 --format grep"},
                {"Leave out near-duplicates", "bert-search --dedup 0.9 twice.txt"}});
  return app.run(argc, argv, [&] {
    embed.compute.dtype = model.dtype;
    options.texts.open_model = [&] {
      auto directory = model.open();
      if (!app.given(opt::metric)) note_similarity(directory.sentence, app.log());
      return directory;
    };
    rerank.settle(options);
    auto lock = folder.open(options, stream, model, words);
    words.settle_model(model, options);
    if (stream.settings.format == io::Format::grep) {
      options.lines = lines.options;
      options.lines->encoding = folder.files().encoding;
    }
    settle_stream(options, stream.settings, folder.files());
    const auto filter = search::make_filter(options, stream.pool(), app.log());
    lock = {};
    stream.transform(*filter);
  });
}
