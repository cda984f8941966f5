// What the Hub says of a model, and which of its files the tools need.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bert::hub {

struct RemoteFile {
  std::string path;    // relative to the model, "1_Pooling/config.json"
  int64_t size = 0;    // in bytes
  std::string etag;    // name of its blob in the cache
  bool large = false;  // etag is the file's SHA-256, else git's SHA-1 of a blob
};

struct Listing {
  std::string commit;
  std::vector<RemoteFile> files;
};

// Reads the answer to GET /api/models/NAME/revision/REVISION?blobs=true. `name` is used in messages. Throws
// Error if it is not such an answer, or if a file has a name that would lie outside the model's directory.
Listing parse_listing(std::string_view text, const std::string& name);

// The files that the tools read: configuration, tokenizer, modules of sentence-transformers, model card and
// licence, and the weights in one format: safetensors if there are any, else PyTorch's. Throws Error if there
// are none of these, or no config.json.
std::vector<RemoteFile> needed_files(const Listing& listing, const std::string& name);

}  // namespace bert::hub
