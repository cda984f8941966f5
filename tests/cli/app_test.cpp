#include "cli/app.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <new>
#include <sstream>

#include "cli/run_app.h"

using bert::Error;
using bert::cli::App;
using bert::cli::UsageError;
using bert::test::Outcome;
using bert::test::run;
using bert::test::usage_error;

namespace {

// The options used by the tests below, one of each kind.
struct Options {
  int count = 3;
  double rate = 0.5;
  std::string word = "text";
  std::optional<std::string> prompt;
  std::vector<std::string> names;
  std::vector<int> layers{-1};
  std::vector<float> weights;
  enum class Colour { red, green } colour = Colour::red;
  bool loud = false;
  std::vector<std::string> files;

  void add(App& app) {
    app.section("Test");
    app.number({"-c,--count", "N", "How many."}, {.min = 1, .max = 10}, count);
    app.real({"--rate", "X", "How fast."}, {.min = 0, .max = 1}, rate);
    app.option({"-w,--word", "WORD", "A word."}, word);
    app.custom({"--prompt", "TEXT", "A prompt."},
               [this](const std::string&, const std::string& value) { prompt = value; });
    app.list({"--names", "NAME,...", "Names."}, names);
    app.numbers({"--layers", "N,...", "Layers."}, {.min = -9, .max = 9}, layers);
    app.reals({"--weights", "W,...", "Weights."}, {.min = -1, .max = 1}, weights);
    app.choice<Colour>({"--colour", "", "A colour."}, {{"red", Colour::red}, {"green", Colour::green}},
                       colour);
    app.flag({"-l,--loud", "", "Shout."}, loud);
    app.files(files);
  }
};

Outcome read(Options& options, std::vector<const char*> arguments) {
  return run([&](App& app) { options.add(app); }, std::move(arguments));
}

std::string error_of(std::vector<const char*> arguments) {
  Options options;
  const Outcome outcome = read(options, std::move(arguments));
  CHECK(outcome.code == 2);
  CHECK(outcome.out == "");
  CHECK_FALSE(outcome.body_ran);
  return outcome.err;
}

}  // namespace

TEST_CASE("option values can be given in every spelling") {
  Options options;
  const Outcome outcome =
      read(options, {"-c4", "--rate=.25", "a", "-w", "-x", "--names", "p,q", "-l", "--names=r", "--layers",
                     "-1,-2", "--weights", "-.5,1", "--colour", "green", "-", "--", "--word", "--"});
  CHECK(outcome.err == "");
  CHECK(outcome.code == 0);
  CHECK(outcome.body_ran);
  CHECK(options.count == 4);
  CHECK(options.rate == 0.25);
  CHECK(options.word == "-x");
  CHECK(options.names == std::vector<std::string>{"p", "q", "r"});
  CHECK(options.layers == std::vector<int>{-1, -2});
  CHECK(options.weights == std::vector<float>{-0.5f, 1});
  CHECK(options.colour == Options::Colour::green);
  CHECK(options.loud);
  CHECK(options.files == std::vector<std::string>{"a", "-", "--word", "--"});
}

TEST_CASE("without options the defaults apply") {
  Options options;
  CHECK(read(options, {}).code == 0);
  CHECK(options.count == 3);
  CHECK(options.word == "text");
  CHECK_FALSE(options.prompt);
  CHECK(options.layers == std::vector<int>{-1});
  CHECK(options.files.empty());
}

TEST_CASE("the last occurrence of a repeated option wins") {
  Options options;
  CHECK(read(options, {"-c1", "-c2", "--layers=1,2", "--layers=3", "-l", "-l"}).code == 0);
  CHECK(options.count == 2);
  CHECK(options.layers == std::vector<int>{3});
  CHECK(options.loud);
}

TEST_CASE("an empty value is accepted, also after =") {
  for (const auto& arguments : {std::vector<const char*>{"--prompt", "", "a"}, {"--prompt=", "a"}}) {
    Options options;
    CHECK(read(options, arguments).code == 0);
    CHECK(options.prompt == "");
    CHECK(options.files == std::vector<std::string>{"a"});
  }
}

TEST_CASE("an empty name is refused") {
  std::string name;
  std::vector<std::string> files;
  const auto setup = [&](App& app) {
    app.option({"-m,--model", "DIR", "A model."}, name);
    app.files(files);
  };
  for (const auto& arguments : {std::vector<const char*>{"-m", ""}, {"--model", ""}, {"--model="}})
    CHECK(run(setup, arguments).err == usage_error("--model has an empty name"));
  CHECK(run(setup, {"a", ""}).err == usage_error("a FILE has an empty name"));
}

TEST_CASE("a FILE may have any name") {
  Options options;
  CHECK(read(options, {"[a,b]", "a b", "x=y", "/c:d", "++"}).code == 0);
  CHECK(options.files == std::vector<std::string>{"[a,b]", "a b", "x=y", "/c:d", "++"});
}

TEST_CASE("a usage error prints one line and a hint, and exits with code 2") {
  CHECK(error_of({"--count", "0"}) == usage_error("--count must be at least 1"));
  CHECK(error_of({"-c", "11"}) == usage_error("--count must be at most 10"));
  CHECK(error_of({"-c", "99999999999999999999"}) == usage_error("--count must be at most 10"));
  CHECK(error_of({"-c", "-99999999999999999999"}) == usage_error("--count must be at least 1"));
  CHECK(error_of({"-c", "4x"}) == usage_error("--count must be a whole number, not \"4x\""));
  CHECK(error_of({"-c", ""}) == usage_error("--count must be a whole number, not \"\""));
  CHECK(error_of({"-c", "0x4"}) == usage_error("--count must be a whole number, not \"0x4\""));
  CHECK(error_of({"--rate", "1.5"}) == usage_error("--rate must be at most 1"));
  CHECK(error_of({"--rate", "nan"}) == usage_error("--rate must be a number, not \"nan\""));
  CHECK(error_of({"--names", "a,,b"}) == usage_error("--names has an empty item in \"a,,b\""));
  CHECK(error_of({"--colour", "blue"}) == usage_error("--colour must be red or green, not \"blue\""));
  CHECK(error_of({"--size"}) == usage_error("unknown option --size"));
  CHECK(error_of({"--size=3", "-y"}) == usage_error("unknown option --size"));
  CHECK(error_of({"-lz"}) == usage_error("unknown option -z"));
  CHECK(error_of({"--count"}) == usage_error("--count needs a value"));
  CHECK(error_of({"--loud=yes"}) == usage_error("--loud takes no value"));
  CHECK(error_of({"-q", "-v"}) == usage_error("--quiet and --verbose cannot be used together"));
}

TEST_CASE("an unknown option is completed, translated or corrected") {
  const auto hint = [](const char* option) {
    const auto line = error_of({option});
    const auto end = line.find('\n'), begin = line.find("; ");
    return begin > end ? "" : line.substr(begin + 2, end - begin - 2);
  };
  CHECK(hint("--Colour") == "did you mean --colour?");
  CHECK(hint("--prom") == "did you mean --prompt?");
  CHECK(hint("--wor=x") == "did you mean --word?");
  CHECK(hint("--names-of") == "");
  CHECK(hint("--wrod") == "did you mean --word?");
  CHECK(hint("--ward") == "did you mean --word?");
  CHECK(hint("--warp") == "");
  CHECK(hint("--query_prefix") == "did you mean --prompt?");
  CHECK(hint("--prefix") == "did you mean --prompt?");
  CHECK(hint("--gpu") == "everything runs on the CPU");
  CHECK(hint("--input-file") == "name the input without an option: bert-test [OPTION]... [FILE]...");
  CHECK(hint("--output-file") == "");  // has no --output
  CHECK(hint("--q") == "");
  CHECK(hint("-q9") == "");
  CHECK(hint("-prompt") == "did you mean --prompt?");
  CHECK(hint("-word") == "did you mean --word?");  // and not -w with the value ord
}

TEST_CASE("several options that begin or end alike are all suggested, unless they are many") {
  const auto error = [](const char* option, int count) {
    static std::string text;
    const auto setup = [&](App& app) {
      for (int i = 0; i < count; ++i)
        app.option({"--max-" + std::string(1, 'a' + i) + "-width", "N", "Size."}, text);
    };
    return run(setup, {option}).err;
  };
  CHECK(error("--max", 3) ==
        usage_error("unknown option --max; did you mean --max-a-width, --max-b-width or --max-c-width?"));
  CHECK(error("--width", 2) ==
        usage_error("unknown option --width; did you mean --max-a-width or --max-b-width?"));
  CHECK(error("--max", 9) == usage_error("unknown option --max"));
}

TEST_CASE("an unknown word of a choice is translated or corrected") {
  CHECK(error_of({"--colour", "gren"}) ==
        usage_error("--colour must be red or green, not \"gren\"; did you mean \"green\"?"));
  const auto setup = [](App& app) {
    static int pooling = 0;
    app.choice<int>({"--pooling", "", "Pooling."}, {{"mean", 0}, {"max", 1}}, pooling);
  };
  CHECK(run(setup, {"--pooling", "AVG"}).err ==
        usage_error("--pooling must be mean or max, not \"AVG\"; did you mean \"mean\"?"));
  CHECK(run(setup, {"--pooling", "json"}).err == usage_error("--pooling must be mean or max, not \"json\""));
}

TEST_CASE("a tool without FILE accepts no operands") {
  const Outcome outcome = run([](App&) {}, {"a"});
  CHECK(outcome.code == 2);
  CHECK(outcome.err == usage_error("unexpected argument a"));
}

TEST_CASE("--help prints to stdout, shows defaults and takes precedence over bad values") {
  Options options;
  const Outcome outcome = read(options, {"--count", "0", "--help"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err == "");
  CHECK_FALSE(outcome.body_ran);
  CHECK(outcome.out.starts_with("Usage: bert-test [OPTION]... [FILE]...\nTest the command line.\n\nTest:\n"));
  CHECK(outcome.out.find("\n  -c, --count N             How many (default 3).\n") != std::string::npos);
  CHECK(outcome.out.find("\n      --colour red|green    A colour (default red).\n") != std::string::npos);
  CHECK(outcome.out.find("\n  -h, --help ") != std::string::npos);
}

TEST_CASE("help lines fit in 80 columns and break between words") {
  std::string sentence;
  for (int i = 0; i < 60; ++i) sentence += "word" + std::string(i % 7, 'x') + " ";
  sentence += "end";
  std::string value;
  const Outcome outcome = run(
      [&](App& app) {
        app.option({"--an-option-with-a-long-name", "AND-VALUE", sentence}, value);
      },
      {"-h"});
  std::istringstream lines(outcome.out);
  std::string line, words;
  while (std::getline(lines, line)) {
    CHECK(line.size() <= 80);
    if (line.starts_with(std::string(28, ' ') + "word")) words += line.substr(28) + " ";
  }
  CHECK(words == sentence + " ");
}

TEST_CASE("--version prints the tool name and the requested lines") {
  std::string compared;
  const Outcome outcome = run(
      [&](App& app) {
        app.ability_of([] { return std::string("gnuplot: not found"); });
        app.version_of([] { return std::string("library 1.2"); });
        compared = app.version();
      },
      {"--version"});
  CHECK(outcome.code == 0);
  CHECK(outcome.out.starts_with("bert-test "));
  CHECK(outcome.out.ends_with("\nlibrary 1.2\ngnuplot: not found\n"));
  CHECK(outcome.out.starts_with(compared));
  CHECK(compared.ends_with("\nlibrary 1.2\n"));
}

TEST_CASE("help that cannot be written is an error") {
  const int full = open("/dev/full", O_WRONLY), kept = dup(STDOUT_FILENO);
  const bert::test::Captured err(STDERR_FILENO);
  App app("bert-test", "Test.");
  const char* arguments[] = {"bert-test", "--help"};
  dup2(full, STDOUT_FILENO);
  const int code = app.run(2, arguments, [] {});
  dup2(kept, STDOUT_FILENO);
  close(full);
  close(kept);
  CHECK(code == 1);
  CHECK(err.text() == "bert-test: stdout: write error: No space left on device\n");
}

TEST_CASE("an exception from the body becomes one line and an exit code") {
  const auto nothing = [](App&) {};
  const Outcome failed = run(nothing, {}, [] { throw Error("x.jsonl:17: field \"text\" is missing"); });
  CHECK(failed.code == 1);
  CHECK(failed.err == "bert-test: x.jsonl:17: field \"text\" is missing\n");
  const Outcome usage = run(nothing, {}, [] { throw UsageError("--dim is too large"); });
  CHECK(usage.code == 2);
  CHECK(usage.err == usage_error("--dim is too large"));
  const Outcome memory = run(nothing, {}, [] { throw std::bad_alloc(); });
  CHECK(memory.code == 1);
  CHECK(memory.err == "bert-test: out of memory\n");
  const Outcome silent = run(nothing, {}, [] { throw Error(""); });
  CHECK(silent.code == 1);
  CHECK(silent.err == "");
}

TEST_CASE("checks run after all values are parsed") {
  int low = 0, high = 0;
  const auto setup = [&](App& app) {
    app.check([&] {
      if (low > high) throw UsageError("--low is above --high");
    });
    app.number({"--low", "N", ""}, {}, low);
    app.number({"--high", "N", ""}, {}, high);
  };
  CHECK(run(setup, {"--low=2", "--high=3"}).code == 0);
  CHECK(run(setup, {"--low=4", "--high=3"}).err == usage_error("--low is above --high"));
}

TEST_CASE("options can exclude and need one another") {
  const auto setup = [](App& app) {
    static std::string text;
    for (const char* name : {"--red", "--green", "--blue"}) app.option({name, "SHADE", "A colour."}, text);
    app.exclusive({"--red", "--green"});
    app.needs("--blue", "--red");
  };
  CHECK(run(setup, {"--red=a", "--blue=b"}).code == 0);
  CHECK(run(setup, {"--green=a", "--red=b"}).err == usage_error("--red and --green cannot be used together"));
  CHECK(run(setup, {"--blue=a"}).err == usage_error("--blue needs --red SHADE"));
}

TEST_CASE("options can exclude and need values of one another") {
  const auto setup = [](App& app) {
    static int shape = 0, size = 0;
    static std::string text;
    app.choice<int>({"--shape", "", "A form."}, {{"dot", 0}, {"line", 1}, {"arc", 2}}, shape);
    app.choice<int>({"--size", "", "A size."}, {{"small", 0}, {"large", 1}}, size);
    app.option({"--color", "SHADE", "A colour."}, text);
    app.needs("--color", {"--shape", {"line", "arc"}}, "; dots are black");
    app.excludes({{"--shape", {"arc"}}, "--size"}, {"--color", {"red"}}, ", which is plain");
  };
  CHECK(run(setup, {"--color=a"}).err == usage_error("--color requires --shape line or arc; dots are black"));
  CHECK(run(setup, {"--color=a", "--shape=dot", "--shape=arc"}).code == 0);
  CHECK(run(setup, {"--color=red", "--shape=arc"}).err ==
        usage_error("--shape arc and --size cannot be used with --color red, which is plain"));
  CHECK(run(setup, {"--color=red", "--shape=line", "--size=small"}).code == 0);  // the default
  CHECK(run(setup, {"--color=red", "--shape=line", "--size=large"}).code == 2);
}

TEST_CASE("--generate prints what the declared options say, for man and three shells") {
  const auto generated = [](const char* form) {
    Options options;
    const Outcome outcome = read(options, {"--generate", form});
    CHECK(outcome.code == 0);
    return outcome.out;
  };
  CHECK(generated("man").find(".It Fl c , Fl -count Ar N\nHow many (default 3).\n.\\\" --count\n") !=
        std::string::npos);
  CHECK(generated("man").find(".It Fl -colour Cm red | green\n") != std::string::npos);
  CHECK(generated("bash").find("\n  --colour) words='red green' ;;\n") != std::string::npos);
  CHECK(generated("zsh").find("  '(-l --loud)'{-l,--loud}'[Shout]' \\\n") != std::string::npos);
  CHECK(generated("fish").find(" -s w -l word -x -d 'A word'\n") != std::string::npos);
  for (const char* form : {"man", "bash", "zsh", "fish"})
    CHECK(generated(form).find("generate") == std::string::npos);
  CHECK(error_of({"--generate", "x"}) == usage_error("--generate must be man, bash, zsh or fish, not \"x\""));
}

TEST_CASE("given() reports whether an option is on the command line") {
  App app("bert-test", "Test.");
  int low = 0, high = 0;
  app.number({"--low", "N", ""}, {}, low);
  app.number({"--high", "N", ""}, {}, high);
  const char* arguments[] = {"bert-test", "--low", "0"};
  CHECK(app.run(3, arguments, [] {}) == 0);
  CHECK(app.given("--low"));
  CHECK_FALSE(app.given("--high"));
}

TEST_CASE("-q and -v set the log level") {
  for (const auto& [option, lines] : {std::pair("-q", ""), {"-v", "bert-test: warned\nbert-test: told\n"}}) {
    App app("bert-test", "Test.");
    const char* arguments[] = {"bert-test", option};
    const bert::test::Captured err(STDERR_FILENO);
    app.run(2, arguments, [&] {
      app.log().warn("warned");
      app.log().info("told");
    });
    CHECK(err.text() == lines);
  }
}
