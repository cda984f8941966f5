// The settings of late interaction in the files of sentence-transformers 6, of PyLate, and of Stanford's
// ColBERT.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/json.h"
#include "model/sentence_transformers.h"

namespace bert::model {

// All throw Error, with the file's name, for what is wrong.

// From a transformer's sentence_bert_config.json; nullopt if it says nothing about queries and documents.
std::optional<LateInteraction> read_late(const json::File& file);

// From a module MultiVectorMask: which tokens get no vector.
void read_late_mask(const json::File& file, LateInteraction& late);

// End of the keys of prefixes in config_sentence_transformers.json, after the names of prompts.
constexpr std::string_view kPrefix = "_prefix";
// These prefixes, which become a part of the prompts. They are tokens.
void read_prefixes(const json::File& file, SentenceTransformer& sentence);

// The other settings of PyLate in config_sentence_transformers.json.
void read_pylate(const json::File& file, LateInteraction& late);

// The architecture of Stanford's ColBERT (https://github.com/stanford-futuredata/ColBERT), and its
// projection, which is a tensor of the encoder's file.
constexpr std::string_view kStanford = "HF_ColBERT", kStanfordProjection = "linear.weight";
// The settings in artifact.metadata, the usual ones where it is missing, and the projection of each token's
// vector, as the modules Dense and Normalize.
void read_stanford(const std::string& directory, int64_t hidden, SentenceTransformer& sentence);

}  // namespace bert::model
