// Option groups that several tools share.
#include <doctest/doctest.h>

#include <cstdlib>

#include "cli/run_app.h"
#include "options/length_options.h"
#include "options/model_options.h"
#include "options/number_options.h"
#include "options/tokenizer_options.h"

using bert::cli::App;
using bert::cmd::LengthOptions;
using bert::cmd::ModelOptions;
using bert::cmd::TokenizerOptions;
using bert::test::Outcome;
using bert::test::run;
using bert::test::usage_error;

namespace {

template <class Group>
struct Read {
  Outcome outcome;
  std::unique_ptr<Group> group;
};

template <class Group, class... Rest>
Read<Group> read(std::vector<const char*> arguments, Rest... rest) {
  Read<Group> result;
  result.outcome =
      run([&](App& app) { result.group = std::make_unique<Group>(app, rest...); }, std::move(arguments));
  return result;
}

}  // namespace

TEST_CASE("the model is -m, else $BERT_MODEL, else the default model installed with the tools") {
  setenv("BERT_MODEL", "/usr", 1);
  CHECK(read<ModelOptions>({"-m", "/"}).group->path == "/");
  CHECK(read<ModelOptions>({}).group->path == "/usr");
  CHECK(read<TokenizerOptions>({}).group->model == "/usr");
  setenv("BERT_MODEL", "", 1);
  CHECK(read<ModelOptions>({}).group->path.ends_with("/share/bert/default-model"));
  unsetenv("BERT_MODEL");
  CHECK(read<ModelOptions>({}).group->path.ends_with("/share/bert/default-model"));
  CHECK(read<TokenizerOptions>({}).group->model.ends_with("/share/bert/default-model"));
}

TEST_CASE("the dtype is f32 by default; auto chooses one for the machine") {
  CHECK(read<ModelOptions>({"-m."}).group->dtype == bert::Dtype::f32);
  CHECK(read<ModelOptions>({"-m.", "--dtype", "auto"}).group->dtype == std::nullopt);
  CHECK(read<ModelOptions>({"-m.", "--dtype", "bf16"}).group->dtype == bert::Dtype::bf16);
  CHECK(read<ModelOptions>({"-m.", "--dtype", "int8"}).group->dtype == bert::Dtype::i8);
  CHECK(read<ModelOptions>({"-m.", "--dtype", "f16"}).outcome.err ==
        usage_error("--dtype must be auto, f32, bf16 or int8, not \"f16\"; did you mean \"bf16\"?"));
}

namespace {
struct TrainingDtype {
  explicit TrainingDtype(bert::cli::App& app) { bert::cmd::dtype_option(app, bert::cmd::Int8::no, dtype); }
  std::optional<bert::Dtype> dtype = bert::Dtype::f32;
};
}  // namespace

TEST_CASE("training does not accept int8") {
  CHECK(read<TrainingDtype>({}).group->dtype == bert::Dtype::f32);
  CHECK(read<TrainingDtype>({"--dtype", "bf16"}).group->dtype == bert::Dtype::bf16);
  CHECK(read<TrainingDtype>({"--dtype", "int8"}).outcome.err ==
        usage_error("--dtype must be auto, f32 or bf16, not \"int8\""));
}

TEST_CASE("--vocab replaces --model") {
  unsetenv("BERT_MODEL");
  const auto file = read<TokenizerOptions>({"--vocab", "v.txt", "--uncased", "--compat", "google"});
  CHECK(file.outcome.code == 0);
  CHECK(file.group->vocab == "v.txt");
  CHECK(file.group->model == "");
  CHECK(file.group->letter_case->value() == bert::text::Case::uncased);
  CHECK(file.group->compat == bert::text::Compat::google);
  CHECK(read<TokenizerOptions>({"-m", "d", "--cased"}).group->letter_case->value() ==
        bert::text::Case::cased);
  CHECK(read<TokenizerOptions>({"-m", "d"}).group->letter_case->value() == bert::text::Case::from_files);
  CHECK(read<TokenizerOptions>({"-m", "d", "--vocab", "v"}).outcome.err ==
        usage_error("--model and --vocab cannot be used together"));
  CHECK(read<TokenizerOptions>({"-m", "d", "--cased", "--uncased"}).outcome.err ==
        usage_error("--cased and --uncased cannot be used together"));
}

TEST_CASE("the overlap must be less than the maximum length") {
  using bert::features::Overflow;
  const auto plain = read<LengthOptions>({});
  CHECK_FALSE(plain.group->max_length);
  CHECK(plain.group->overflow == Overflow::truncate);
  CHECK(plain.group->overlap == 64);
  CHECK(read<LengthOptions>({"--max-length=128", "--overflow=split"}).outcome.code == 0);
  CHECK(read<LengthOptions>({"--max-length=64", "--overflow=split"}).outcome.err ==
        usage_error("the default --overlap 64 must be less than --max-length; use --overlap 31"));
  CHECK(read<LengthOptions>({"--max-length=8", "--overflow=split", "--overlap=9"}).outcome.err ==
        usage_error("--overlap must be less than --max-length; use --overlap 3"));
  CHECK(read<LengthOptions>({"--max-length=64"}).outcome.code == 0);
}

namespace {
struct Precision {
  explicit Precision(App& app) { bert::cmd::precision_option(app, digits); }
  int digits = -1;
};
}  // namespace

TEST_CASE("--precision sets the digits; the default is the shortest form") {
  CHECK(read<Precision>({}).group->digits == -1);
  CHECK(read<Precision>({"--precision=0"}).group->digits == 0);
  CHECK(read<Precision>({"--precision=21"}).outcome.err == usage_error("--precision must be at most 20"));
}
