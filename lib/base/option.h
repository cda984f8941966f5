// The names of options that the library speaks of, in messages and among the settings of a run. Each name
// stands here alone: the tools declare their options with these constants, and tests/style/option_names.sh
// keeps other spellings out of the library.
#pragma once

#include <string>
#include <string_view>

namespace bert {

// "--text-field", as part of a message.
struct Option : std::string_view {
  using std::string_view::string_view;
  operator std::string() const { return std::string(begin(), end()); }  // NOLINT(google-explicit-constructor)
};

inline std::string operator+(std::string text, Option option) { return text.append(option); }
inline std::string operator+(Option option, std::string_view text) {
  return std::string(option).append(text);
}

namespace opt {

inline constexpr Option accumulate{"--accumulate"};
inline constexpr Option activation{"--activation"};
inline constexpr Option baseline{"--baseline"};
inline constexpr Option batch_size{"--batch-size"};
inline constexpr Option batch_tokens{"--batch-tokens"};
inline constexpr Option best{"--best"};
inline constexpr Option beta1{"--beta1"};
inline constexpr Option beta2{"--beta2"};
inline constexpr Option budget{"--budget"};
inline constexpr Option causal{"--causal"};
inline constexpr Option check{"--check"};
inline constexpr Option class_weights{"--class-weights"};
inline constexpr Option clip{"--clip"};
inline constexpr Option cluster{"--cluster"};
inline constexpr Option codes{"--codes"};
inline constexpr Option columns{"--columns"};
inline constexpr Option combine{"--combine"};
inline constexpr Option context{"--context"};
inline constexpr Option cut{"--cut"};
inline constexpr Option dedup{"--dedup"};
inline constexpr Option delimiter{"--delimiter"};
inline constexpr Option dev{"--dev"};
inline constexpr Option dev_vectors{"--dev-vectors"};
inline constexpr Option dims{"--dims"};
inline constexpr Option dim{"--dim"};
inline constexpr Option distance{"--distance"};
inline constexpr Option dropout{"--dropout"};
inline constexpr Option drop{"--drop"};
inline constexpr Option dtype{"--dtype"};
inline constexpr Option embedding_sharing{"--embedding-sharing"};
inline constexpr Option encoding{"--encoding"};
inline constexpr Option epochs{"--epochs"};
inline constexpr Option epsilon{"--epsilon"};
inline constexpr Option eval_every{"--eval-every"};
inline constexpr Option exclude{"--exclude"};
inline constexpr Option force{"--force"};
inline constexpr Option flops{"--flops"};
inline constexpr Option flops_warmup{"--flops-warmup"};
inline constexpr Option fold{"--fold"};
inline constexpr Option format{"--format"};
inline constexpr Option freeze{"--freeze"};
inline constexpr Option generator{"--generator"};
inline constexpr Option generator_size{"--generator-size"};
inline constexpr Option gold{"--gold"};
inline constexpr Option graph{"--graph"};
inline constexpr Option guide_vectors{"--guide-vectors"};
inline constexpr Option held_out{"--held-out"};
inline constexpr Option hybrid{"--hybrid"};
inline constexpr Option id_field{"--id-field"};
inline constexpr Option in{"--in"};
inline constexpr Option include{"--include"};
inline constexpr Option index{"--index"};
inline constexpr Option input_format{"--input-format"};
inline constexpr Option invalid_utf8{"--invalid-utf8"};
inline constexpr Option keep{"--keep"};
inline constexpr Option label_field{"--label-field"};
inline constexpr Option labels{"--labels"};
inline constexpr Option layer_decay{"--layer-decay"};
inline constexpr Option layer_weights{"--layer-weights"};
inline constexpr Option layers{"--layers"};
inline constexpr Option license{"--license"};
inline constexpr Option loss{"--loss"};
inline constexpr Option lr{"--lr"};
inline constexpr Option margin{"--margin"};
inline constexpr Option mask_id{"--mask-id"};
inline constexpr Option mask_prob{"--mask-prob"};
inline constexpr Option mask_rate{"--mask-rate"};
inline constexpr Option max_length{"--max-length"};
inline constexpr Option max_predictions{"--max-predictions"};
inline constexpr Option max_question_length{"--max-question-length"};
inline constexpr Option metric{"--metric"};
inline constexpr Option min_size{"--min-size"};
inline constexpr Option mode{"--mode"};
inline constexpr Option moments{"--moments"};
inline constexpr Option no_answer_threshold{"--no-answer-threshold"};
inline constexpr Option no_shuffle{"--no-shuffle"};
inline constexpr Option normalize{"--normalize"};
inline constexpr Option on_error{"--on-error"};
inline constexpr Option optimizer{"--optimizer"};
inline constexpr Option overflow{"--overflow"};
inline constexpr Option overlap{"--overlap"};
inline constexpr Option pair_field{"--pair-field"};
inline constexpr Option pairs{"--pairs"};
inline constexpr Option patience{"--patience"};
inline constexpr Option plot{"--plot"};
inline constexpr Option pooling{"--pooling"};
inline constexpr Option positive{"--positive"};
inline constexpr Option projection{"--projection"};
inline constexpr Option prompt{"--prompt"};
inline constexpr Option query_table{"--query-table"};
inline constexpr Option random_rate{"--random-rate"};
inline constexpr Option records{"--records"};
inline constexpr Option rebuild{"--rebuild"};
inline constexpr Option recursive{"--recursive"};
inline constexpr Option relation_heads{"--relation-heads"};
inline constexpr Option relative_margin{"--relative-margin"};
inline constexpr Option replace_any{"--replace-any"};
inline constexpr Option rerank{"--rerank"};
inline constexpr Option resume{"--resume"};
inline constexpr Option scale{"--scale"};
inline constexpr Option schedule{"--schedule"};
inline constexpr Option scheme{"--scheme"};
inline constexpr Option seed{"--seed"};
inline constexpr Option sentences{"--sentences"};
inline constexpr Option shuffle_buffer{"--shuffle-buffer"};
inline constexpr Option similarity{"--similarity"};
inline constexpr Option soft_labels{"--soft-labels"};
inline constexpr Option sparse{"--sparse"};
inline constexpr Option sparse_model{"--sparse-model"};
inline constexpr Option split{"--split"};
inline constexpr Option split_by{"--split-by"};
inline constexpr Option steps{"--steps"};
inline constexpr Option stride{"--stride"};
inline constexpr Option tag_column{"--tag-column"};
inline constexpr Option task{"--task"};
inline constexpr Option teacher{"--teacher"};
inline constexpr Option teacher_layers{"--teacher-layers"};
inline constexpr Option teacher_vectors{"--teacher-vectors"};
inline constexpr Option temperature{"--temperature"};
inline constexpr Option text_field{"--text-field"};
inline constexpr Option top_k{"--top-k"};
inline constexpr Option warmup{"--warmup"};
inline constexpr Option weight_decay{"--weight-decay"};
inline constexpr Option weighted_layers{"--weighted-layers"};
inline constexpr Option where{"--where"};
inline constexpr Option whole_word{"--whole-word"};
inline constexpr Option with{"--with"};
inline constexpr Option word_column{"--word-column"};

}  // namespace opt
}  // namespace bert
