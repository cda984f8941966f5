#include "comm/communicator.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <deque>

#include "base/error.h"
#include "base/signals.h"

namespace bert::comm {
namespace {

using Tag = Engine::Tag;

size_t bytes_of(const Piece& piece) { return piece.count * sizeof(float); }

// out = parts[0] + parts[1] + …, in this order. count: a multiple of 64.
void add_in_order(const std::vector<const float*>& parts, int64_t count, float* out) {
  constexpr int64_t kBlock = 64;
  for (int64_t at = 0; at < count; at += kBlock) {
    float sums[kBlock];
    std::copy_n(parts[0] + at, kBlock, sums);
    for (size_t part = 1; part < parts.size(); ++part) {
      const float* const numbers = parts[part] + at;
      for (int64_t i = 0; i < kBlock; ++i) sums[i] += numbers[i];
    }
    std::copy_n(sums, kBlock, out + at);
  }
}

}  // namespace

// The pieces that this rank owns and adds, on the engine's thread. Few are received at a time, in bounded
// memory.
struct Communicator::Summation {
  explicit Summation(Engine& engine) : engine(engine) {
    constexpr int64_t kBytes = 16 << 20;
    const int64_t others = engine.size() - 1, piece_bytes = kLongestPiece * int64_t{sizeof(float)};
    slots.resize(std::clamp<int64_t>(kBytes / (others * piece_bytes), 2, 16));
    for (size_t i = 0; i < slots.size(); ++i) {
      slots[i].numbers.resize(others * kLongestPiece);
      idle.push_back(i);
    }
  }

  struct Slot {
    std::vector<float> numbers;  // of the other ranks, [size - 1, kLongestPiece]
    int missing = 0;
  };

  void add(const std::vector<Piece>& pieces) {
    for (const auto& piece : pieces) {
      if (piece.owner == engine.rank()) {
        waiting.push_back(piece);
      } else {
        engine.send(piece.owner, Tag::sums, piece.numbers, bytes_of(piece));
      }
    }
    receive();
  }

  void receive() {
    while (!waiting.empty() && !idle.empty()) {
      const Piece piece = waiting.front();
      const size_t slot = idle.back();
      waiting.pop_front();
      idle.pop_back();
      slots[slot].missing = engine.size() - 1;
      float* to = slots[slot].numbers.data();
      for (int rank = 0; rank < engine.size(); ++rank) {
        if (rank == engine.rank()) continue;
        engine.receive(rank, Tag::sums, to, bytes_of(piece), [this, piece, slot] { received(piece, slot); });
        to += kLongestPiece;
      }
    }
  }

  void received(const Piece& piece, size_t slot) {
    if (--slots[slot].missing > 0) return;
    std::vector<const float*> parts;
    const float* other = slots[slot].numbers.data();
    for (int rank = 0; rank < engine.size(); ++rank) {
      const bool own = rank == engine.rank();
      parts.push_back(own ? piece.numbers : other);
      if (!own) other += kLongestPiece;
    }
    add_in_order(parts, piece.count, piece.numbers);
    idle.push_back(slot);
    receive();
  }

  Engine& engine;
  std::vector<Slot> slots;
  std::vector<size_t> idle;
  std::deque<Piece> waiting;
};

Communicator::Communicator() = default;

Communicator::Communicator(EngineSettings settings) : engine_(std::make_unique<Engine>(std::move(settings))) {
  summation_ = std::make_unique<Summation>(*engine_);
  engine_->set_names(all_gather(host()));
}

Communicator::~Communicator() = default;

std::string Communicator::host() {
  std::array<char, 256> name = {};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::vector<std::string> Communicator::all_gather(const std::string& own) {
  std::vector<std::string> all(size());
  all[rank()] = own;
  if (alone()) return all;
  std::vector<uint64_t> sizes(all.size(), own.size());
  engine_->submit([&] {
    for (int peer = 0; peer < size(); ++peer) {
      if (peer == rank()) continue;
      engine_->send(peer, Tag::text, &sizes[rank()], sizeof sizes[0]);
      if (!own.empty()) engine_->send(peer, Tag::text, own.data(), own.size());
      auto& bytes = sizes[peer];
      auto& text = all[peer];
      engine_->receive(peer, Tag::text, &bytes, sizeof bytes, [this, peer, &bytes, &text] {
        text.resize(bytes);
        if (bytes > 0) engine_->receive(peer, Tag::text, text.data(), bytes);
      });
    }
  });
  engine_->wait();
  return all;
}

std::string Communicator::broadcast(const std::string& text) {
  if (is_first()) {
    from_first([&](int) -> const std::string& { return text; });
    return text;
  }
  return from_first({});
}

std::string Communicator::scatter(std::vector<std::string> texts) {
  if (!is_first()) return from_first({});
  from_first([&](int rank) -> const std::string& { return texts[rank]; });
  return std::move(texts.front());
}

std::string Communicator::from_first(const std::function<const std::string&(int rank)>& text_of) {
  std::string received;
  if (alone()) return received;
  std::vector<uint64_t> sizes(size());
  engine_->submit([&] {
    if (!is_first()) {
      engine_->receive(0, Tag::text, &sizes[0], sizeof sizes[0], [&] {
        received.resize(sizes[0]);
        if (sizes[0] > 0) engine_->receive(0, Tag::text, received.data(), received.size());
      });
      return;
    }
    for (int peer = 1; peer < size(); ++peer) {
      const auto& text = text_of(peer);
      auto& bytes = sizes[peer] = text.size();
      engine_->send(peer, Tag::text, &bytes, sizeof bytes);
      if (bytes > 0) engine_->send(peer, Tag::text, text.data(), bytes);
    }
  });
  engine_->wait();
  return received;
}

void Communicator::sum(std::span<double> numbers) {
  if (alone()) return;
  const auto all =
      all_gather(std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()));
  std::ranges::fill(numbers, 0.0);
  for (const auto& text : all) {
    assert(text.size() == numbers.size_bytes());
    for (size_t i = 0; i < numbers.size(); ++i) {
      double number;
      std::memcpy(&number, text.data() + i * sizeof number, sizeof number);
      numbers[i] += number;
    }
  }
}

void Communicator::start_sum(std::vector<Piece> pieces) {
  if (alone()) return;
  engine_->submit([this, pieces = std::move(pieces)] { summation_->add(pieces); });
}

void Communicator::share(const std::vector<Piece>& pieces) {
  if (alone()) return;
  engine_->submit([&] {
    for (const auto& piece : pieces) {
      if (piece.owner != rank()) {
        engine_->receive(piece.owner, Tag::shares, piece.numbers, bytes_of(piece));
        continue;
      }
      for (int peer = 0; peer < size(); ++peer)
        if (peer != rank()) engine_->send(peer, Tag::shares, piece.numbers, bytes_of(piece));
    }
  });
  engine_->wait();
}

void Communicator::collect(const std::vector<Piece>& pieces) {
  if (alone()) return;
  engine_->submit([&] {
    for (const auto& piece : pieces) {
      if (piece.owner == 0) continue;
      if (is_first()) engine_->receive(piece.owner, Tag::shares, piece.numbers, bytes_of(piece));
      if (piece.owner == rank()) engine_->send(0, Tag::shares, piece.numbers, bytes_of(piece));
    }
  });
  engine_->wait();
}

void Communicator::wait() {
  if (engine_) engine_->wait();
}

int Communicator::stop_requested() {
  const int own = StopOnSignal::requested();
  if (alone()) return own;
  const int signal = std::atoi(broadcast(std::to_string(own)).c_str());
  if (signal != 0) StopOnSignal::request(signal);
  return signal;
}

bool Communicator::together(const std::function<bool()>& work) {
  bool result = false;
  std::string failure;
  try {
    result = work();
  } catch (const Error& error) {
    failure = error.what();
  }
  for (const auto& message : all_gather(failure)) {
    if (message.empty()) continue;
    failed_together_ = true;
    throw Error(message);
  }
  return result;
}

void Communicator::fail(int status, const std::string& message) { engine_->fail(status, message); }

void Communicator::close() {
  if (engine_) engine_->close();
}

}  // namespace bert::comm
