#include "search/index.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "heads/vector_model.h"
#include "io/array_shape.h"
#include "io/embedding.h"
#include "io/foreign.h"
#include "io/input_format.h"
#include "io/pull_reader.h"
#include "json/json.h"
#include "search/codes.h"
#include "search/record_vectors.h"

namespace bert::search {
namespace {

// Arrays are mapped into memory, so they must not be compressed.
void refuse_compressed_array(io::Input& input) {
  const bool named = io::without_compression_suffix(input.name()).ends_with(".f32");
  if (input.converted() && (named || io::is_npy(input)))
    throw Error(input.name(), ": is a compressed array, which cannot be an index; decompress it first");
}

[[noreturn]] void refuse_table(std::string_view where) {
  throw Error(where, "is a table, but vectors are read from JSONL, npy or f32");
}

io::StreamOptions stream_of(const std::string& path, const IndexOptions& options) {
  auto stream = io::side_file(options.stream, path);
  for (const auto& name : options.with) stream.field_options.push_back({name, opt::with});
  stream.recognize = [](io::Input& input) {
    refuse_compressed_array(input);
    io::refuse_binary(input, io::Decoded::no, "expected npy, f32 or the JSONL of bert-embed");
    return std::optional<io::InputFormat>();
  };
  return stream;
}

std::vector<std::string> names_of(const IndexOptions& options) {
  std::vector<std::string> names = {options.id_field};
  names.insert(names.end(), options.with.begin(), options.with.end());
  const auto add = [&](std::string_view name) {
    if (std::ranges::find(names.begin() + 1, names.end(), name) == names.end()) names.emplace_back(name);
  };
  for (const auto name : {io::kFileField, io::kStartLine, io::kEndLine, io::kStart, io::kEnd}) add(name);
  if (options.lines) {
    for (const auto& alias : options.stream.usual.fields) add(alias.name);
    add(options.stream.text_field);
  }
  return names;
}

bool meets(const Condition& condition, const io::Fields& fields, const io::Record& record,
           io::FieldUse& use) {
  const auto value = std::move(read_values({&condition.field, 1}, fields, record).front());
  if (value.empty() && fields.json(condition.field)) {  // null
    use.found();
    return std::ranges::find(condition.values, "null") != condition.values.end();
  }
  if (value.empty()) {
    use.absent([&] { return fields.names(); });
    return false;
  }
  use.found();
  return std::ranges::find(condition.values, plain(value)) != condition.values.end();
}

// nullopt for an id that is missing or cannot be read, which is reported when its record is a neighbor; and
// for windows, which have the id of their record.
std::optional<uint64_t> hash_of_id(const io::Fields& fields, const std::string& field) {
  try {
    if (fields.json("window")) return std::nullopt;
    const auto id = fields.json(field);
    if (id && id->kind() == json::Value::Kind::string) return std::hash<std::string_view>{}(id->string());
    if (id && id->kind() == json::Value::Kind::number) return std::hash<double>{}(id->number());
  } catch (const Error&) {
  }
  return std::nullopt;
}

std::string beginning_of(const std::string& path) {
  std::string begin(32, '\0');
  const auto file = FileDescriptor::open(path);
  const ssize_t count = ::read(file.get(), begin.data(), begin.size());
  begin.resize(std::max<ssize_t>(0, count));
  return begin;
}

std::unique_ptr<Vectors> array_of(const IndexOptions& options, Pool& pool) {
  if (Codes::is_file(beginning_of(options.path)))
    return options.norms ? std::make_unique<CodedVectors>(options.path, pool)
                         : std::make_unique<CodedVectors>(options.path);
  const auto width = row_width(options, {});
  return options.norms ? std::make_unique<MappedVectors>(options.path, width, pool)
                       : std::make_unique<MappedVectors>(options.path, width);
}

}  // namespace

bool is_array_file(const std::string& path) {
  if (path.ends_with(".npy") || path.ends_with(".f32")) return true;
  if (kind_of(path) != FileKind::regular) return false;
  const auto begin = beginning_of(path);
  return io::is_npy(begin) || Codes::is_file(begin);
}

std::optional<int64_t> row_width(const IndexOptions& options, std::span<const std::string> files) {
  if (options.width) return options.width;
  std::vector<std::string> paths(files.begin(), files.end());
  paths.push_back(options.path);
  for (const auto& path : paths) {
    if (!path.ends_with(".f32")) continue;
    if (const auto width = heads::Sidecar::read(path, {}).width) return width;
  }
  return std::nullopt;
}

IndexedRecords::IndexedRecords(const std::string& path, const IndexOptions& options,
                               std::string_view vector_model)
    : name_(path),
      text_fields_(TextFields{options.stream.text_field, options.stream.pair_field}.of(vector_model)),
      index_(stream_of(path, options)),
      invalid_utf8_(options.stream.invalid_utf8),
      names_(names_of(options)) {
  for (const auto& name : std::span(names_).first(1 + options.with.size()))
    uses_.push_back(std::make_unique<io::FieldUse>(name, uses_.empty() ? opt::id_field : opt::with));
}

std::unique_ptr<io::RawRecordReader> IndexedRecords::borrow_reader() const {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<io::RawRecordReader>(invalid_utf8_, io::OnError::stop);
  auto reader = std::move(idle_.back());
  idle_.pop_back();
  return reader;
}

void IndexedRecords::read(io::RawRecord raw, const io::UseRecord& use) const {
  auto reader = borrow_reader();
  reader->read(raw, use);
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(reader));
}

std::vector<int64_t> IndexedRecords::matching(std::span<const Condition> conditions, Pool& pool) const {
  constexpr int64_t kRows = 1024;  // of one task
  std::deque<io::FieldUse> uses;
  for (const auto& condition : conditions) uses.emplace_back(condition.field, opt::where);
  const auto meets_all = [&](const io::Fields& fields, const io::Record& record) {
    bool all = true;
    for (size_t i = 0; i < conditions.size(); ++i) all &= meets(conditions[i], fields, record, uses[i]);
    return all;
  };
  const int64_t tasks = (size() + kRows - 1) / kRows;
  std::vector<std::vector<int64_t>> found(tasks);
  std::vector<std::string> failures(tasks);
  const auto search = [&](int64_t task) {
    const int64_t end = std::min(size(), (task + 1) * kRows);
    for (int64_t row = task * kRows; row < end;) {
      for (auto& raw : index_.read_some(row, end)) {
        read(std::move(raw), [&](const io::Fields& fields, const io::Record& record) {
          if (meets_all(fields, record)) found[task].push_back(row);
        });
        ++row;
      }
    }
  };
  pool.run_grid(tasks, [&](int64_t task, int) {
    try {
      search(task);
    } catch (const Error& error) {
      failures[task] = error.what();
    }
  });
  for (const auto& failure : failures)
    if (!failure.empty()) throw Error(failure);
  for (const auto& use : uses)
    if (const auto warning = use.warning()) throw Error(*warning);
  std::vector<int64_t> rows;
  for (const auto& part : found) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

std::optional<std::string> IndexedRecords::text(int64_t row, const std::string& field) const {
  std::optional<std::string> text;
  read(index_.read(row), [&](const io::Fields& fields, const io::Record&) { text = text_of(fields, field); });
  return text;
}

IndexedRecords::Weights IndexedRecords::sparse(int64_t row) const {
  Weights of_row;
  read(index_.read(row), [&](const io::Fields& fields, const io::Record&) {
    of_row = {.weights = io::required_sparse(fields), .model = heads::read_weights_model(fields)};
  });
  return of_row;
}

std::vector<std::string> IndexedRecords::values_of(const io::Fields& fields, const io::Record& record) const {
  auto values = read_values(names_, fields, record);
  for (size_t i = 0; i < uses_.size(); ++i) {
    if (!values[i].empty() || fields.json(names_[i])) {  // or it is null
      uses_[i]->found();
    } else if (i > 0 && io::is_table(record.source().format)) {
      fields.required_text(names_[i]);  // no column
    } else {
      uses_[i]->absent([&] { return fields.names(); });
    }
  }
  return values;
}

std::vector<std::string> IndexedRecords::values(int64_t row) const {
  std::vector<std::string> values;
  read(index_.read(row),
       [&](const io::Fields& fields, const io::Record& record) { values = values_of(fields, record); });
  return values;
}

std::optional<std::vector<std::string>> IndexedRecords::values_unless_empty(int64_t row) const {
  std::optional<std::vector<std::string>> values;
  read(index_.read(row), [&](const io::Fields& fields, const io::Record& record) {
    if (!has_empty_text(fields, text_fields_.of(heads::read_vector_model(fields))))
      values = values_of(fields, record);
  });
  return values;
}

std::string IndexedRecords::where(int64_t row) const {
  return name_ + ":" + std::to_string(index_.read(row).line);
}

std::string IndexedRecords::repeated_id(std::vector<std::pair<uint64_t, int64_t>> hashes) const {
  std::ranges::sort(hashes);
  int64_t first = size();
  for (size_t i = 1; i < hashes.size(); ++i) {
    const auto [before, row] = std::pair(hashes[i - 1].second, hashes[i].second);
    if (hashes[i - 1].first != hashes[i].first || row >= first) continue;
    if (values(before).front() == values(row).front()) first = row;  // different ids may have one hash
  }
  if (first == size()) return "";
  return Error(where(first), ": id ", values(first).front(), " appears twice").what();
}

// Records need no id, unless the user named its field.
std::vector<std::string> IndexedRecords::unknown_names() const {
  std::vector<std::string> messages;
  for (const auto& use : uses_) {
    const bool is_optional = &use == &uses_.front() && names_.front() == IndexOptions().id_field;
    if (const auto message = is_optional ? use->warning_of_case() : use->warning())
      messages.push_back(*message);
  }
  if (const auto message = uses_.front()->warning_of_some()) messages.push_back(*message);
  return messages;
}

// Of a text, or of its tokens, as in the first record.
void Index::add(const io::Fields& fields) {
  const bool first = !tokens_ && !stored_;
  if (tokens_ || (first && !fields.has(io::kEmbedding) && fields.has(io::kEmbeddings))) {
    const auto vectors = io::read_embeddings(fields);
    if (!vectors) throw Error("field \"", io::kEmbeddings, "\" is missing, unlike in the first record");
    if (first) tokens_ = std::make_unique<TokenVectors>(vectors->width);
    if (vectors->width != tokens_->width())
      throw Error("field \"", io::kEmbeddings, "\" has vectors of ",
                  counted(vectors->width, "number", "numbers"), ", that of the first record of ",
                  tokens_->width());
    return tokens_->add(vectors->values);
  }
  const auto row = io::read_embedding(fields);
  if (!row) throw Error("field \"embedding\" is missing; bert-embed adds it");
  const int64_t width = row->size();
  if (first) stored_ = std::make_unique<StoredVectors>(width);
  if (width != stored_->width())
    throw Error("field \"embedding\" has ", counted(width, "number", "numbers"),
                ", that of the first record has ", stored_->width());
  stored_->add(*row);
}

void Index::read_vectors(const IndexOptions& options, Metric metric) {
  const auto format = io::input_format_by_suffix(options.path);
  if (format && io::is_table(*format)) refuse_table(options.path + ": ");
  io::PullReader reader(stream_of(options.path, options));
  io::RawRecordReader parser(options.stream.invalid_utf8, io::OnError::stop);
  SameModel same_model(metric);
  io::RawRecord raw;
  for (int64_t place = 0; reader.next(raw); ++place) {
    parser.read(raw, [&](const io::Fields& fields, const io::Record& record) {
      if (io::is_table(record.source().format)) refuse_table("");
      add(fields);
      if (const auto hash = hash_of_id(fields, options.id_field)) id_hashes_.emplace_back(*hash, place);
      auto model = heads::read_vector_model(fields);
      const auto mismatch = same_model.mismatch(model, SameModel::Of::vector);
      if (!mismatch.empty()) throw Error("the vector has the ", mismatch);
      if (model_.empty() && heads::VectorModel::parse(model)) model_ = std::move(model);
    });
  }
  if (!tokens_ && !stored_) throw Error(options.path, ": has no records");
  const int64_t width = tokens_ ? tokens_->width() : stored_->width();
  if (options.width && *options.width != width)
    throw Error(options.path, ": has vectors of ", width, " numbers, ", opt::dim, " asks for ",
                *options.width);
  vectors_ = std::move(stored_);
}

const Vectors& Index::vectors() const {
  if (tokens_)
    throw Error(path_,
                ": has a vector for each token, which can only be searched, exactly and by vectors alone");
  return *vectors_;
}

int64_t Index::rows() const {
  if (rows_) return std::ssize(*rows_);
  return tokens_ ? tokens_->texts() : vectors_ ? vectors_->rows() : records_->size();
}

Index::Index(const IndexOptions& options, Metric metric, Pool& pool) : path_(options.path) {
  if (options.path == "-") throw Error("-: is stdin, but an index must be a file");
  const bool is_array = is_array_file(options.path);
  const auto& records = options.records_path.empty() && !is_array ? options.path : options.records_path;
  if (records == "-") throw Error("-: is stdin, but ", opt::records, " must be a file");
  for (const auto& path : {options.path, records}) {
    if (!path.empty() && kind_of(path) != FileKind::regular)
      throw Error(path, kind_of(path) == FileKind::absent
                            ? ": No such file or directory"
                            : ": is not a regular file, which an index must be");
  }
  const auto state = FileState::of(options.path);
  if (!options.vectors) {
    // The texts of records are searched.
  } else if (is_array) {
    const auto sidecar = heads::Sidecar::read(options.path, options.width);
    vectors_ = array_of(options, pool);
    model_ = sidecar.model;
    if (vectors_->rows() == 0 && !options.may_be_empty) throw Error(options.path, ": has no rows");
  } else {
    read_vectors(options, metric);
  }
  if (records.empty() && !options.where.empty())
    throw Error(options.path, ": its rows have no fields; ", opt::records, " names their records");
  if (records.empty()) return;
  records_ = std::make_unique<IndexedRecords>(records, options, model_);
  if (vectors_ && records_->size() != vectors_->rows())
    throw Error(records, ": has ", counted(records_->size(), "record", "records"), ", ", options.path,
                " has ", counted(vectors_->rows(), "row", "rows"));
  if (!id_hashes_.empty()) repeated_id_ = records_->repeated_id(std::exchange(id_hashes_, {}));
  if (!options.where.empty()) {
    rows_ = records_->matching(options.where, pool);
    if (vectors_) selected_ = std::make_unique<SelectedVectors>(*vectors_, *rows_);
  }
  // If they are in one file, it has been read twice.
  if (FileState::of(options.path) != state) throw_changed(options.path);
}

}  // namespace bert::search
