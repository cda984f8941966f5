#include "train/teacher.h"

#include <algorithm>
#include <cmath>

#include "base/checksum.h"
#include "base/error.h"
#include "base/option.h"
#include "heads/embed_plan.h"
#include "io/embedding.h"
#include "json/json.h"
#include "model/directory.h"
#include "model/fingerprint.h"

namespace bert::train {
namespace {

std::string_view name_of(nn::VectorLoss loss) {
  return std::ranges::find(nn::kVectorLosses, loss, &nn::VectorLossName::loss)->name;
}

std::string model_of(const std::string& path) { return heads::Sidecar::read(path, std::nullopt).model; }

void require_as_many(const io::ArrayFile& file, const examples::RecordSource& records, Option option) {
  if (records.records() == 0)
    throw Error(option, " has a row for each record, so the records must be in regular FILEs");
  if (file.rows() != records.records())
    throw Error(file.path(), ": has ", counted(file.rows(), "row", "rows"), " for ",
                counted(records.records(), "record", "records"));
}

}  // namespace

std::optional<io::ArrayFile> open_vectors(const std::string& path, std::optional<int64_t> width) {
  if (path.empty()) return std::nullopt;
  const bool says_width = path.ends_with(".npy") || io::is_npy(MappedFile(path).text());
  if (says_width) return std::optional<io::ArrayFile>(std::in_place, path, std::nullopt);
  const auto own = heads::Sidecar::read(path, std::nullopt).width;
  return std::optional<io::ArrayFile>(std::in_place, path, own ? own : width);
}

class Teacher::Reader final : public examples::ExampleReader {
 public:
  Reader(const Teacher& teacher, std::unique_ptr<examples::ExampleReader> reader)
      : teacher_(teacher), reader_(std::move(reader)) {}

  void begin(const io::Fields& fields) override { reader_->begin(fields); }
  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            examples::Examples& examples) const override {
    reader_->read(fields, record, epoch, examples);
    if (examples.back()->as<examples::EmbedExample>().target.empty()) return;
    const auto mismatch = teacher_.mismatch(heads::read_vector_model(fields));
    if (!mismatch.empty())
      throw Error("the vector is that of another teacher: ", mismatch, "; embed all texts alike");
  }
  void check(const examples::Outline& example) override { reader_->check(example); }

 private:
  const Teacher& teacher_;
  const std::unique_ptr<examples::ExampleReader> reader_;
};

Teacher::Teacher(const EmbedTaskOptions& options, const Student& student, const First& first)
    : student_(student),
      loss_{.loss = options.teacher_loss.value_or(nn::VectorLoss::cosine), .dims = options.loss.dims},
      file_(open_vectors(options.teacher_vectors, student.width)),
      dev_file_(open_vectors(options.dev_vectors, first.width > 0 ? first.width : student.width)),
      whose_(file_ ? file_->path() + " has" : "the first record has"),
      model_(heads::VectorModel::parse(file_ ? model_of(file_->path()) : first.model)),
      in_records_(first.width > 0),
      width_(width_of(options, first.width)) {
  loss_.unit_length = student.unit_length || loss_.loss == nn::VectorLoss::cosine || !loss_.dims.empty();
  if (dev_file_)
    if (const auto other = mismatch(model_of(dev_file_->path())); !other.empty())
      throw Error(dev_file_->path(), ": has the vectors of another teacher: ", other);
  if (!needs_projection()) return;
  if (student.projected)
    throw Error("the Dense module of the model makes vectors of ", student.width,
                " numbers, the teacher's have ", width_);
  if (!loss_.dims.empty() && options.drops_projection)
    throw Error(opt::dims, " trains the numbers that the projection makes: it cannot be used with ",
                opt::projection, " drop");
}

int64_t Teacher::width_of(const EmbedTaskOptions& options, int64_t first) const {
  const auto* const file = file_ ? &*file_ : dev_file_ ? &*dev_file_ : nullptr;
  if (file == nullptr && first == 0)
    throw Error(opt::loss, " ", name_of(options.teacher_loss.value_or(nn::VectorLoss::cosine)),
                " needs the vectors of a teacher: a field ", json::in_quotes(std::string(io::kEmbedding)),
                ", as bert-embed writes it, or ", opt::teacher_vectors, " FILE");
  const int64_t width = file_ || first == 0 ? file->width() : first;
  if (dev_file_ && dev_file_->width() != width)
    throw Error(dev_file_->path(), ": has rows of ", dev_file_->width(), " numbers, expected ", width,
                ", as for training");
  return width;
}

std::string Teacher::mismatch(std::string_view text) const {
  auto model = heads::VectorModel::parse(text);
  if (!model || !model_) return {};
  if (loss_.unit_length) model->normalized = model_->normalized;
  const auto found = heads::difference(*model, *model_);
  return found ? std::string(heads::name_of(found->kind)) + " " + found->first + ", " + whose_ + " " +
                     found->second
               : "";
}

std::unique_ptr<examples::ExampleReader> Teacher::of_one(
    std::unique_ptr<examples::ExampleReader> reader) const {
  return std::make_unique<Reader>(*this, std::move(reader));
}

bool Teacher::is(const std::string& directory, const text::Tokenizer& tokenizer) const {
  if (!model_ || directory.empty()) return false;
  const auto student = model::open_directory(directory);
  const heads::EmbedPlan plan({}, student);
  return hexadecimal(model::fingerprint(student, tokenizer, plan.needs())) == model_->fingerprint;
}

void Teacher::require_rows(const examples::RecordSource& records) const {
  if (!file_ && !in_records_)
    throw Error(opt::dev_vectors,
                " are those of the dev set alone: give those of the training records, too, with ",
                opt::teacher_vectors, " or as their field ", json::in_quotes(std::string(io::kEmbedding)));
  if (file_) require_as_many(*file_, records, opt::teacher_vectors);
}

void Teacher::require_dev_rows(const examples::RecordSource& records) const {
  if (dev_file_) require_as_many(*dev_file_, records, opt::dev_vectors);
}

void Teacher::compare_lengths(double least, double most, Log& log) const {
  constexpr double kSlack = 0.01;
  if (most == 0) throw Error("all vectors of the teacher are 0: there is nothing to learn");
  if (least == 0) log.warn("some of the teacher's vectors are 0, which have no direction");
  const bool fits = least >= 1 - kSlack && most <= 1 + kSlack;
  if (fits || !student_.unit_length || loss_.loss == nn::VectorLoss::cosine || least > most) return;
  const auto shown = [](double length) {
    return setting(static_cast<float>(std::round(length * 1000) / 1000));
  };
  log.warn("the teacher's vectors have lengths from " + shown(least) + " to " + shown(most) +
           ", those of the model always 1; " + opt::loss + " cosine compares directions");
}

void Teacher::add_settings(Settings& settings) const {
  settings.emplace_back(opt::loss, std::string(name_of(loss_.loss)));
  settings.emplace_back("the length of vectors", loss_.unit_length ? "1" : "any");
  settings.emplace_back("the numbers of the teacher's vectors", setting(width_));
  if (file_) settings.emplace_back(opt::teacher_vectors, std::to_string(file_->checksum()));
}

}  // namespace bert::train
