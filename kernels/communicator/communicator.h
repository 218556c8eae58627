// The communicator: what one rank of a collective keeps between calls. Signals, scratch and staging
// memory of its own, the peers' opened through IPC, and a table through which kernels find the
// buffers of each call. After the wrappers of vLLM and AITER, with their three ways of passing an
// input on (path.h).
//
// Epochs lie on the device (kernels/signal.h) and the host passes no counter, so a graph may be
// replayed any number of times. One workspace serves every kernel, which is sound because each
// begins with a barrier that carries the peers' reads of the last call.
//
// Contract. Calls are made by all ranks in the same order and with equal sizes; each rank's calls
// go to one stream (switch_stream), because two that ran at once would draw the same epochs.
// "Collective" below: made by all ranks, in the same order; fails on all ranks or on none. Not
// thread-safe.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/communicator/buffer_exchange.h"
#include "kernels/communicator/capacity.h"
#include "kernels/communicator/path.h"
#include "kernels/communicator/rank_group.h"
#include "kernels/communicator/slot_table.h"
#include "kernels/communicator/workspace.h"
#include "kernels/pack.h"
#include "kernels/signal.h"

namespace rankle::kernels {

// One call, as the caller sees it. `output` may be `input` if the kernel allows it.
struct CallRequest {
  const void* input = nullptr;
  void* output = nullptr;
  std::int64_t bytes = 0;  // of each
  hipStream_t stream = nullptr;
  bool wants_copy = false;  // stage the input even if it is registered
  // What the kernel does with other ranks' buffers.
  bool peers_read_input = true;
  bool peers_write_output = false;
};

// How a call will go, known before anything is enqueued and the same on all ranks: what a dispatch
// may base its choice on.
struct Route {
  Path path = Path::staged;
  // Power of two that divides the address of every rank's input and output, as the kernel gets
  // them.
  std::int64_t alignment = kPackBytes;
  bool peers_know_output = false;
};

// What the kernel works on.
struct CallBuffers {
  const PeerPointers* inputs = nullptr;   // every rank's input
  const PeerPointers* outputs = nullptr;  // every rank's output; null unless peers know it
  const void* input = nullptr;            // this rank's own
  void* output = nullptr;
};

class Communicator {
 public:
  // Collective. Every capacity is the same on all ranks. `group` outlives the communicator.
  static hipError_t create(RankGroup& group, const Capacity& capacity,
                           std::unique_ptr<Communicator>& made);

  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  // Collective: waits for this rank's device, closes what is open, waits until no rank has this
  // one's memory open, and frees it. The destructor does none of it, because a rank that is on its
  // way out alone would wait there for ever.
  hipError_t destroy();

  int rank() const { return group_.rank(); }
  int world() const { return group_.world(); }
  const Capacity& capacity() const { return capacity_; }
  const Workspace& workspace() const { return workspace_; }
  const SlotTable& table() const { return table_; }
  const PeerMappings& mappings() const { return exchange_.mappings(); }

  // Collective. From here on, calls with these inputs or outputs use them directly. Each range lies
  // in one allocation that can be exported and stays allocated until it is deregistered.
  hipError_t register_buffers(std::span<const BufferRange> own);

  // Collective, with the n-th buffer of each rank belonging together. No call on it is under way
  // here; once this has returned, no rank has the buffer open.
  hipError_t deregister_buffer(const void* begin);

  // Between these, calls on a stream that is being captured are recorded; calls on other streams
  // are carried out as ever. end_capture is collective: it makes the buffers of the recorded calls
  // known to all ranks, and must come before the first replay. `capture` is for release_capture,
  // which is collective too, once the graph will not be launched any more.
  hipError_t begin_capture();
  hipError_t end_capture(int& capture);
  hipError_t release_capture(int capture);

  // Waits for the calls made so far; later ones go to `stream`.
  hipError_t switch_stream(hipStream_t stream);

  // Collective, for tests: sets every signal and counter to `epoch`, as if that many barriers had
  // been passed.
  hipError_t seed_epochs(std::uint32_t epoch);

  Route route(const CallRequest& request) const;

  // Runs one call: copies the input into the staging memory if the route says so, launches
  // `launch(CallBuffers) -> hipError_t`, and copies the result out if it was staged. Refused with
  // hipErrorInvalidValue, before anything is enqueued: a message that must be staged and does not
  // fit, another stream than that of the last call, a captured call outside of begin_capture.
  template <typename Launch>
  hipError_t run(const CallRequest& request, const Route& route, Launch launch) {
    CallBuffers buffers;
    if (const hipError_t error = enter(request, route, buffers); error != hipSuccess) return error;
    if (const hipError_t error = launch(buffers); error != hipSuccess) return error;
    return leave(request, buffers);
  }

  template <int kWorld>
  PerRank<Signals, kWorld> signals() const {
    return per_rank<Signals, kWorld>(workspace_.signals());
  }
  template <typename T, int kWorld>
  PerRank<T, kWorld> scratch() const {
    return per_rank<T, kWorld>(workspace_.scratch());
  }

 private:
  // A buffer that calls may use directly.
  struct Known {
    const void* begin;
    int slot;
    SharedBuffer shared;
  };
  // A buffer of a captured call, whose slot is empty until the capture has ended.
  struct Pending {
    BufferRange range;
    int slot;
  };
  struct Capture {
    int id;
    std::vector<Known> buffers;
  };

  Communicator(RankGroup& group, const Capacity& capacity)
      : group_(group), capacity_(capacity), exchange_(group) {}

  hipError_t set_up();

  const Known* find(const void* begin, std::int64_t bytes) const;
  // Collective: fills the slots, one for each buffer, or gives all of both up. A slot of -1 could
  // not be had.
  hipError_t place(const std::vector<BufferRange>& own, const std::vector<int>& slots,
                   std::vector<Known>& placed);
  hipError_t give_up(const std::vector<Known>& known);

  hipError_t bind(const CallRequest& request, Path path);
  hipError_t enter(const CallRequest& request, const Route& route, CallBuffers& buffers);
  hipError_t leave(const CallRequest& request, const CallBuffers& buffers);
  hipError_t record(const void* begin, std::int64_t bytes, const PeerPointers*& entry);

  RankGroup& group_;
  const Capacity capacity_;
  BufferExchange exchange_;
  Workspace workspace_;
  SlotTable table_;
  int staging_slot_ = -1;
  std::vector<Known> registered_;
  std::vector<Pending> pending_;
  std::vector<Capture> captures_;
  int captures_made_ = 0;
  bool in_capture_ = false;
  std::optional<hipStream_t> stream_;           // of the calls made so far
  std::optional<hipStream_t> captured_stream_;  // of those recorded in the capture that goes on
};

}  // namespace rankle::kernels

#include "kernels/communicator/communicator_calls.h"
#include "kernels/communicator/communicator_setup.h"
