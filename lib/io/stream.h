// Runs a Filter over the inputs: ordered, bounded in memory, on all threads of the pool plus two threads that
// only block on I/O. See filter.h for what a filter does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "io/drop_list.h"
#include "io/filter.h"
#include "io/folder_walk.h"
#include "io/format.h"
#include "io/input.h"
#include "io/input_format.h"
#include "io/not_text_files.h"
#include "io/record.h"

namespace bert::io {

enum class ShowProgress { automatic, always, never };  // automatic: if stderr is a terminal

// A given option that is only for FILEs with such records.
struct FormatOption {
  std::string option;
  RecordKind kind;
};

struct StreamOptions {
  std::vector<std::string> files;  // none or "-": stdin
  std::string output = "-";        // "-": stdout
  std::string text_option;         // option that takes a text instead of FILEs, for messages
  InputFormat input_format = InputFormat::automatic;
  std::optional<FolderOptions> folders;  // nullopt: the tool reads none
  std::optional<InputFormat> cut;        // what text is cut into: text (lines), passages or file
  std::vector<std::string> columns;      // for TSV and CSV without a header line
  bool columns_given = false;            // by --columns
  std::optional<char> delimiter;         // of CSV; tables of automatic format are then CSV
  std::optional<ConllColumn> word_column, tag_column;
  std::vector<FormatOption> format_options;  // a note says for which FILEs they have no effect
  std::string encoding;                      // "": UTF-8
  std::string text_field{kTextField};        // the single field of text input
  std::string pair_field{kPairField};        // used by filters, not by the stream
  UsualForm usual;                           // of the model's records
  std::vector<FieldOption> field_options;    // which options name fields, for messages
  std::shared_ptr<FieldUse> pair_use;        // of pair_field, if the user named it; see Fields::pair_text
  DropList drop;                             // for the filter, which passes it to its Output
  std::vector<std::string> keep;             // fields to write, in this order; none: all
  Format format = Format::jsonl;             // of the output
  OnError on_error = OnError::stop;          // skip: also leave out unreadable FILEs, if there are several
  InvalidUtf8 invalid_utf8 = InvalidUtf8::error;
  bool line_buffered = false;  // write each record separately; also if the output is a terminal
  ShowProgress progress = ShowProgress::automatic;
  int64_t first_record = 0;  // the place (index) of the first record

  // The following are set by the tool, not by the user.
  // The tags of CoNLL are predictions: the last column, or in CoNLL-U the one that tag_column has gold tags
  // in.
  bool predicted_tags = false;
  // conll, squad, npy and f32, if the tool reads them: detected by their contents, or f32 by its suffix.
  std::vector<InputFormat> more;
  int64_t context_words = 0;         // words that are read on each side of a sentence, see document_context.h
  std::string context_tags;          // field with their tags; "": without tags
  std::string context_scores;        // field with the probabilities of their tags; "": without them
  bool context_apart = false;        // the reader of the records finds their contexts itself
  std::optional<int64_t> row_width;  // numbers in a row of an array; f32 needs it
  // A first line with one of these columns is the header of a table; none: text_field.
  std::vector<std::string> header_fields;
  bool tagged_rows = false;      // input that is neither JSON nor a table is CoNLL if it has such rows
  bool no_texts = false;         // records are never texts alone, so that other input is not taken for them
  std::string table_option;      // given option that names fields, so that input is not text: "--text-field"
  std::string records_of;        // the command that makes the records, if no others can be read; for messages
  DecoderFor decoder = nullptr;  // nullptr: input in other encodings is refused
  std::function<void(const std::string&)> note;      // shows how a FILE is read if that may surprise
  std::function<void(const std::string&)> detail;    // the same for those who want to know all
  std::function<void(const std::string&)> left_out;  // shows why PullReader leaves out a FILE
  bool is_one_of_several = false;                    // `files` are a part of several FILEs
  bool found = false;  // `files` are of a FolderWalk: unreadable ones and those without text are left out
  bool named = false;  // those of `found` are named by the user: one without text is an error
  // Called with the beginning of a FILE whose format is automatic, before the common detection rules.
  std::function<std::optional<InputFormat>(Input&)> recognize;
  // Called with the columns of each table; may throw Error, which is reported as an error of its header line.
  std::function<void(const std::vector<std::string>& columns)> check_columns;
  // A chunk is the work of one task: small chunks reduce latency, large ones overhead.
  size_t chunk_bytes = 256 << 10;
  size_t chunk_records = 4096;
  int64_t budget = 2048;  // tokens per call of Filter::compute

  bool recursive() const { return folders && folders->recursive; }
  bool located() const { return recursive() || cut; }  // see Source
  bool several() const { return files.size() > 1 || recursive(); }
  // Whether a FILE that cannot be read is left out.
  bool leaves_out_files() const { return on_error == OnError::skip && (several() || is_one_of_several); }
};

// To read `file`, which belongs to the records of a stream (gold labels, an index), as the stream reads its
// own FILEs. Its format is detected.
StreamOptions side_file(const StreamOptions& stream, const std::string& file);

// For filters that run a network: output per record is large, and the first results are wanted early.
constexpr size_t kNetworkChunkBytes = 4 << 10;
constexpr size_t kNetworkChunkRecords = 64;

struct RunResult {
  int64_t records = 0;  // written; skipped ones not included
  int64_t skipped = 0;
  int64_t skipped_files = 0;
  int64_t truncated = 0;  // of the written ones
  NotTextFiles not_text;
};

// Call it on the thread that created `pool`. When it returns, all output has been written and the file has
// its final name. Skipped records and FILEs are reported by log.error as they occur, in input order, and
// counted at the end.
//
// Throws Error if the stream fails. what() is the whole message after the program's name; for a record with
// OnError::stop it is "FILE:LINE: what", thrown after the records before it have been written. An empty
// what() means that the reader of the output has exited (EPIPE): exit 1 without a message.
RunResult run_stream(const StreamOptions& options, Pool& pool, Log& log, Filter& filter);

// Whether progress is shown, according to --progress and -q (known to the log): on a terminal, and in a file
// a line a minute.
bool shows_progress(const StreamOptions& options, Log& log);

}  // namespace bert::io
