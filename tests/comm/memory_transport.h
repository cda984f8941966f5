// Ranks as threads of one process, for tests of what is made of messages.
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "comm/communicator.h"
#include "comm/transport.h"

namespace bert::comm {

// Messages under way, by (from, to, tag).
struct Wires {
  std::mutex mutex;
  std::map<std::tuple<int, int, int>, std::deque<std::string>> messages;
};

class MemoryTransport final : public Transport {
 public:
  MemoryTransport(std::shared_ptr<Wires> wires, int rank, int size)
      : wires_(std::move(wires)), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, int tag, const void* data, size_t bytes, uint64_t id) override {
    const std::lock_guard lock(wires_->mutex);
    wires_->messages[{rank_, to, tag}].emplace_back(static_cast<const char*>(data), bytes);
    sent_.push_back(id);
  }
  void receive(int from, int tag, void* data, size_t bytes, uint64_t id) override {
    expected_[{from, rank_, tag}].push_back({data, bytes, id});
  }
  void poll(std::vector<uint64_t>& finished) override {
    finished.insert(finished.end(), sent_.begin(), sent_.end());
    sent_.clear();
    const std::lock_guard lock(wires_->mutex);
    for (auto& [wire, places] : expected_) {
      auto& messages = wires_->messages[wire];
      while (!places.empty() && !messages.empty()) {
        const auto& place = places.front();
        if (messages.front().size() != place.bytes) throw std::runtime_error("a message of another size");
        std::memcpy(place.data, messages.front().data(), place.bytes);
        finished.push_back(place.id);
        places.pop_front();
        messages.pop_front();
      }
    }
  }
  void close() override {}

 private:
  struct Place {
    void* data;
    size_t bytes;
    uint64_t id;
  };
  const std::shared_ptr<Wires> wires_;
  const int rank_, size_;
  std::vector<uint64_t> sent_;
  std::map<std::tuple<int, int, int>, std::deque<Place>> expected_;
};

// Runs `body` as each of `size` ranks, at once.
template <class Body>
void run_ranks(int size, const Body& body) {
  const auto wires = std::make_shared<Wires>();
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      Communicator ranks({.open = [&] { return std::make_unique<MemoryTransport>(wires, rank, size); },
                          .report = [](const std::string&) {},
                          .end = [](int) {}});
      body(ranks);
    });
  }
}

}  // namespace bert::comm
