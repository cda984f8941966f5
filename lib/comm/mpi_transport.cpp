// The plug-in for MPI. It is linked with no other part of the library.
#include <mpi.h>

#include <climits>
#include <stdexcept>
#include <string>

#include "comm/transport.h"

namespace {

void check(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error("MPI: " + std::string(text, length));
}

int count_of(size_t bytes) {
  if (bytes > INT_MAX)
    throw std::runtime_error("MPI: a message of " + std::to_string(bytes) + " bytes is too long");
  return static_cast<int>(bytes);
}

class MpiTransport final : public bert::comm::Transport {
 public:
  MpiTransport() {
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    if (provided < MPI_THREAD_FUNNELED)
      throw std::runtime_error("MPI: this library does not support threads");
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_));
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_));
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, int tag, const void* data, size_t bytes, uint64_t id) override {
    MPI_Request request;
    check(MPI_Isend(data, count_of(bytes), MPI_BYTE, to, tag, MPI_COMM_WORLD, &request));
    add(request, id);
  }

  void receive(int from, int tag, void* data, size_t bytes, uint64_t id) override {
    MPI_Request request;
    check(MPI_Irecv(data, count_of(bytes), MPI_BYTE, from, tag, MPI_COMM_WORLD, &request));
    add(request, id);
  }

  void poll(std::vector<uint64_t>& finished) override {
    if (requests_.empty()) return;
    int count = 0;
    indexes_.resize(requests_.size());
    check(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, indexes_.data(),
                       MPI_STATUSES_IGNORE));
    if (count <= 0) return;
    for (int i = 0; i < count; ++i) finished.push_back(ids_[indexes_[i]]);
    size_t kept = 0;
    for (size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      ids_[kept++] = ids_[i];
    }
    requests_.resize(kept);
    ids_.resize(kept);
  }

  void close() override { check(MPI_Finalize()); }

 private:
  void add(MPI_Request request, uint64_t id) {
    requests_.push_back(request);
    ids_.push_back(id);
  }

  int rank_ = 0, size_ = 1;
  std::vector<MPI_Request> requests_;
  std::vector<uint64_t> ids_;  // of requests_
  std::vector<int> indexes_;
};

}  // namespace

bert::comm::Transport* bert_open_transport() { return new MpiTransport; }
