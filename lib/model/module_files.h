// What sentence-transformers adds to a model, as files of another directory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/output_directory.h"
#include "ckpt/checkpoint.h"
#include "ckpt/safetensors_writer.h"

namespace bert::model {

// modules.json with the settings and the folders it means, for a directory whose transformer is in its root.
// Files are as they stand, but modules.json where the transformer had a folder of its own; weights become
// model.safetensors.
class ModuleFiles {
 public:
  ModuleFiles() = default;  // none
  // Those of the model directory `root`; numbers in the format `store` or as they are. Checks the sums of
  // weights.
  ModuleFiles(const std::string& root, std::optional<Dtype> store);

  void write(OutputDirectory& output) const;

 private:
  struct File {
    std::string name, bytes;
  };
  struct Weights {
    std::string folder;
    ckpt::Checkpoint checkpoint;
    std::vector<ckpt::TensorToWrite> tensors;  // of `checkpoint`
  };
  void add(const std::string& root, const std::string& name);
  void add_folder(const std::string& root, const std::string& folder, std::optional<Dtype> store);

  std::vector<File> files_;
  std::vector<Weights> weights_;
};

// Whether a directory's entry of this name is a file or a folder of a module.
bool is_module_entry(const std::string& name);

}  // namespace bert::model
