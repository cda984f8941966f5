// How the types of models name their tensors in files, in one table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bert::ckpt {

// A name that begins with `stored` in files begins with `canonical` here.
struct Renaming {
  std::string_view canonical, stored;
  std::string_view only_in = {};  // models whose architecture ends like this; otherwise in all
};

// A tensor in files that is several here, one after another by rows. Names as in Naming::in_layer.
struct Fusion {
  std::string_view stored;
  std::vector<std::string_view> parts;
};

struct Naming {
  std::string_view type;                // model_type in config.json
  std::string_view prefix;              // of the encoder's tensors in the files of a model with a head
  bool pooler_in_head = false;          // the pooler has no prefix
  std::vector<Renaming> names = {};     // of whole names, without the prefix
  std::vector<Renaming> in_layer = {};  // of what follows "encoder.layer.3."
  std::vector<Fusion> fusions = {};     // likewise
};

std::span<const Naming> namings();

// `stored`, without prefixes, by the first renaming of any type that fits: their names differ. Unchanged if
// none does.
std::string renamed(std::string_view stored);

// The name of a canonical tensor in the files of this type and architecture ("RobertaForMaskedLM"; "" if it
// has no head).
std::string stored_name(std::string_view canonical, std::string_view type, std::string_view architecture);

// The names of the parts of a tensor that is several here, in order; none if it is one. `renamed`: see above.
std::vector<std::string> parts_of(std::string_view renamed);
// The place of a canonical tensor among the parts of its stored_name, and how many there are.
struct PlaceOfPart {
  size_t place = 0, count = 1;
};
PlaceOfPart place_of_part(std::string_view canonical, std::string_view type);

// Where the rest of a name in an encoder layer begins: after "encoder.layer.3."; 0 for other names.
size_t layer_end(std::string_view canonical);

}  // namespace bert::ckpt
