#include "train/sequence_losses.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "comm/message.h"

namespace bert::train {

void append_loss(std::string& own, uint64_t sequence, double loss) {
  comm::append(own, sequence);
  comm::append_real(own, loss);
}

nn::Loss sum_of_losses(comm::Communicator& ranks, const std::string& own) {
  std::vector<std::pair<int64_t, double>> losses;
  for (const auto& text : ranks.all_gather(own)) {
    for (std::string_view rest = text; !rest.empty();) {
      const int64_t number = comm::take_number(rest);
      losses.emplace_back(number, comm::take_real(rest));
    }
  }
  std::ranges::sort(losses);
  nn::Loss sum = {.count = std::ssize(losses)};
  for (const auto& [_, loss] : losses) sum.sum += loss;
  return sum;
}

}  // namespace bert::train
