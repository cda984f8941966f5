// Copies the files that sentence-transformers adds to a model directory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/output_directory.h"
#include "ckpt/checkpoint.h"
#include "ckpt/safetensors_writer.h"
#include "model/config.h"
#include "model/module_list.h"
#include "model/sentence_transformers.h"

namespace bert::model {

// modules.json with the settings and module folders it refers to, and the model card, for an output directory
// that has the transformer in its root. Files are copied unchanged, except modules.json if the transformer
// had its own folder. Weights become model.safetensors.
class ModuleFiles {
 public:
  ModuleFiles() = default;  // no modules
  // Reads the files of the model directory `root` and verifies the checksums of their weights. Weights are
  // stored in format `store`, or unchanged if it is not set.
  ModuleFiles(const std::string& root, std::optional<Dtype> store);

  // Files for a model of vectors. They have the form that all releases of sentence-transformers read. Prompts
  // and truncate_dim are those of `source`, the model that training started from.
  // The weights of a Dense module are those of a projection, which save() writes, see trained().
  enum class Scale { no, unit };
  struct Vectors {
    Pooling pooling;
    int64_t hidden = 0;
    bool words_only = false;             // a StaticEmbedding, see ModelType
    Config::Projection projection = {};  // a Dense module, if `out` is not 0
    Scale scale = Scale::unit;           // of the vectors: unit length or none
    std::string similarity = "cosine";   // how vectors are to be compared
    int64_t max_length = 0;              // in tokens
  };
  static ModuleFiles of_vectors(const Vectors& vectors, const SentenceTransformer& source);

  // The same for a model of late interaction, in the form of sentence-transformers 6.
  struct Late {
    LateInteraction late;
    Config::Projection projection = {};  // of each token's vector; none if `out` is 0
    bool unit_length = true;
    int64_t max_length = 0;  // in tokens
  };
  static ModuleFiles of_late(const Late& model, const SentenceTransformer& source);

  // The same for weights of words. The table of queries is that of Config::query_table.
  struct Sparse {
    SparsePooling pooling = SparsePooling::max;
    int64_t max_length = 0;  // in tokens
    // Whether the table of queries is frozen. Not set: there is none.
    std::optional<bool> freezes_queries = {};
  };
  static ModuleFiles of_sparse(const Sparse& model, const SentenceTransformer& source);

  void write(OutputDirectory& output) const;

  // The module whose weights are parameters of the network, see is_of_module() in model/parts.h.
  struct Trained {
    std::string folder;                      // "": there is none
    std::string_view in_network, in_folder;  // prefixes of the names of its weights
    bool has_tokenizer = false;              // the folder gets that of the model
  };
  const Trained& trained() const { return trained_; }

 private:
  struct File {
    std::string name, bytes;
  };
  struct Weights {
    std::string folder;
    ckpt::Checkpoint checkpoint;
    std::vector<ckpt::TensorToWrite> tensors;  // refer to `checkpoint`
  };
  void add(const std::string& root, const std::string& name);
  void add_folder(const std::string& root, const std::string& folder, std::optional<Dtype> store);
  void add_router(const std::string& root, const ModuleList& list, std::optional<Dtype> store);

  std::vector<File> files_;
  Trained trained_;
  std::vector<Weights> weights_;
};

// True if a directory entry with this name is a file or folder of a module.
bool is_module_entry(const std::string& name);

}  // namespace bert::model
