// Downloads a model from the Hugging Face Hub into the cache, with the program curl.
#pragma once

#include <string>

#include "base/log.h"
#include "hub/cache.h"

namespace bert::hub {

// Returns the directory of the model's files. A file is complete when it has the size and the checksum that
// the Hub states; only then does it get its name. What was downloaded before an interruption is continued,
// and what is in the cache is not downloaded again. `progress`: curl's bar on stderr.
//
// $HF_ENDPOINT is the Hub's address, if not https://huggingface.co; $HF_HUB_OFFLINE=1 forbids downloads. The
// Error says what the Hub answered.
std::string fetch(const ModelName& model, bool progress, Log& log);

}  // namespace bert::hub
