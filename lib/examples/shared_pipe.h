// A pipe for several processes: rank 0 reads it and sends each record to the ranks that need it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "comm/communicator.h"
#include "examples/record_source.h"
#include "io/record_reader.h"
#include "io/stream.h"

namespace bert::examples {

class SharedPipe : public RecordSource {
 public:
  // `pipe`: the source of rank 0; nullptr on the others.
  SharedPipe(const io::StreamOptions& stream, comm::Communicator& ranks, std::unique_ptr<RecordSource> pipe,
             Log& log);

  bool interrupted() const override { return interrupted_; }
  void skip_to(int64_t drawn, uint64_t checksum) override;
  uint64_t drawn_checksum(int64_t drawn) override { return pipe_ ? pipe_->drawn_checksum(drawn) : 0; }
  bool draw(Drawn& record) override;
  void bring(std::span<const Move> moves, int64_t drawn) override;
  std::optional<io::RawRecord> ahead(int64_t i) override;
  Range known() override { return pipe_ ? pipe_->known() : Range{0, 0}; }
  std::vector<io::RawRecord> copy(Range records) const override { return pipe_->copy(records); }

 protected:
  io::RawRecord raw(Drawn& record) override { return held_.at(record.number); }

 private:
  std::vector<std::string> drawn_by_first();
  void receive(const std::string& message);
  void hold(std::string_view message);

  comm::Communicator& ranks_;
  const std::unique_ptr<RecordSource> pipe_;
  int64_t known_ = 0;        // records that may be drawn before rank 0 reads more
  int64_t needed_from_ = 0;  // number of the first record that may be needed again
  bool ended_ = false, interrupted_ = false;
  std::string failure_;  // of rank 0, after the known records
  // By number. Rank 0 has all that were drawn and are still needed, the others those that were sent to them.
  std::map<int64_t, io::RawRecord> held_;
};

}  // namespace bert::examples
