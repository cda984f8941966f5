// Messages between the processes (ranks) of a run. A plug-in implements it, so that the tools themselves need
// no MPI. All calls come from one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bert::comm {

class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;  // from 0
  virtual int size() const = 0;  // number of ranks

  // Start a message; `id` is reported by poll() when the memory may be used again. Messages of one tag
  // between two ranks arrive in the order in which they were sent. Throw std::exception if the connection is
  // broken.
  virtual void send(int to, int tag, const void* data, size_t bytes, uint64_t id) = 0;
  virtual void receive(int from, int tag, void* data, size_t bytes, uint64_t id) = 0;

  // Appends the ids of finished messages.
  virtual void poll(std::vector<uint64_t>& finished) = 0;

  // Disconnects; all ranks call it when no message is open. The destructor alone does not wait for others.
  virtual void close() = 0;
};

}  // namespace bert::comm

// What a plug-in exports. Connects to the other ranks; throws std::exception.
extern "C" bert::comm::Transport* bert_open_transport();
