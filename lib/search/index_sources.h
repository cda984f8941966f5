// Parts of an index, of which a new one is made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "io/array_rows.h"
#include "search/index_folder.h"

namespace bert::search {

// Manifests whose files are complete, and where each file is in them.
class Sources {
 public:
  struct Place {
    size_t source, file;
  };
  struct Begin {
    int64_t row, byte;
  };

  explicit Sources(const IndexFolder& folder) : folder_(folder) {}

  void add(Manifest manifest) {
    std::vector<Begin> begins = {{0, 0}};
    for (size_t i = 0; i < manifest.files.size(); ++i) {
      const auto& file = manifest.files[i];
      places_[file.path] = {manifests_.size(), i};
      begins.push_back({begins.back().row + file.records, begins.back().byte + file.bytes});
    }
    const auto [rows, bytes] = begins.back();
    const auto [vectors, records] = std::pair(folder_.at(manifest.vectors), folder_.at(manifest.records));
    if (FileState::of(vectors).size != io::kNpyHeaderBytes + rows * row_bytes(manifest) ||
        FileState::of(records).size != bytes)
      throw Error(folder_.path(), ": is damaged: ", manifest.vectors, " or ", manifest.records,
                  " has another size than the manifest says; ", opt::rebuild, " embeds all files again");
    begins_.push_back(std::move(begins));
    manifests_.push_back(std::move(manifest));
  }

  std::optional<Place> find(const std::string& path) const {
    const auto found = places_.find(path);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }
  const IndexedFile& at(Place place) const { return manifests_[place.source].files[place.file]; }
  const std::vector<Manifest>& manifests() const { return manifests_; }

  // The rows, and the records, of the files from `first` to `last` of a source. Valid until those of another
  // source are asked for: there may be more sources than a process may have open files.
  std::string_view rows(Place first, size_t last) {
    const auto row_size = row_bytes(manifests_[first.source]);
    const auto& begins = begins_[first.source];
    const auto from = begins[first.file].row, to = begins[last + 1].row;
    return open(first.source)
        .rows.text()
        .substr(io::kNpyHeaderBytes + from * row_size, (to - from) * row_size);
  }
  std::string_view records(Place first, size_t last) {
    const auto& begins = begins_[first.source];
    const auto from = begins[first.file].byte;
    return open(first.source).records.text().substr(from, begins[last + 1].byte - from);
  }

 private:
  struct Opened {
    size_t source;
    MappedFile rows, records;
  };
  const Opened& open(size_t source) {
    if (!opened_ || opened_->source != source)
      opened_.emplace(Opened{.source = source,
                             .rows = MappedFile(folder_.at(manifests_[source].vectors)),
                             .records = MappedFile(folder_.at(manifests_[source].records))});
    return *opened_;
  }
  static int64_t row_bytes(const Manifest& manifest) { return manifest.width * int64_t{sizeof(float)}; }

  const IndexFolder& folder_;
  std::vector<Manifest> manifests_;
  std::vector<std::vector<Begin>> begins_;
  std::optional<Opened> opened_;
  std::unordered_map<std::string, Place> places_;
};

}  // namespace bert::search
