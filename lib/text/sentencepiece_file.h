// SentencePiece's model file, a protocol buffer (sentencepiece_model.proto).
#pragma once

#include <string>
#include <vector>

namespace bert::text {

struct SentencePieceModel {
  enum class Type { unigram = 1, bpe = 2, word = 3, character = 4 };
  // The kinds of pieces that matter here. Control pieces are special tokens; both they and user-defined ones
  // are never split.
  static constexpr int kUnknown = 2, kControl = 3, kUserDefined = 4;

  struct Piece {
    std::string text;
    double score = 0;
    int kind = 1;
  };
  std::vector<Piece> pieces;  // by id
  Type type = Type::unigram;
  bool byte_fallback = false;
  std::string charsmap;  // compiled; empty: no normalization
};

// Throws Error if the file is not such a model.
SentencePieceModel read_sentencepiece(const std::string& path);

}  // namespace bert::text
