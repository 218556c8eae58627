// Makes buffers known to all ranks: each rank tells where its own lie, and opens those of the
// others. All or none: a rank that cannot export or open something says so, and every rank gives up
// and returns the same error. A failure that one rank kept to itself would leave the others waiting
// in their next call.
#pragma once

#include <hip/hip_runtime.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/communicator/buffer_range.h"
#include "kernels/communicator/first_error.h"
#include "kernels/communicator/peer_mappings.h"
#include "kernels/communicator/peer_pointers.h"
#include "kernels/communicator/rank_group.h"

namespace rankle::kernels {

// The buffers that all ranks have made known together, one of each.
struct SharedBuffer {
  PeerPointers pointers{};  // as seen from here, the own one included
  std::array<int, kWorldMax> mappings{-1, -1, -1, -1, -1, -1, -1, -1};  // of peers; -1: none
  std::size_t bytes = 0;                                                // of the smallest
  std::int64_t alignment = 1;  // power of two that divides the address of every one
};

class BufferExchange {
 public:
  // The largest alignment that is told apart; every allocation has it.
  static constexpr std::int64_t kAlignmentMax = 256;

  explicit BufferExchange(RankGroup& group) : group_(group) {}

  // What all ranks return, if each passes what it has: the error of the first that has one.
  hipError_t agree(hipError_t own) const {
    std::array<hipError_t, kWorldMax> all{};
    if (!group_.all_gather_value(own, std::span(all).first(world()))) return hipErrorLaunchFailure;
    const auto failed =
        std::find_if(all.begin(), all.end(), [](hipError_t error) { return error != hipSuccess; });
    return failed == all.end() ? hipSuccess : *failed;
  }

  // Collective. The n-th buffer of a rank belongs to the n-th of every other. Ranks that come with
  // different numbers of buffers all fail.
  hipError_t share(std::span<const BufferRange> own, std::vector<SharedBuffer>& shared) {
    shared.clear();
    std::vector<Offer> offers;
    if (const hipError_t error = gather_offers(own, offers); error != hipSuccess) return error;
    hipError_t error = hipSuccess;
    for (std::size_t i = 0; i < own.size() && error == hipSuccess; ++i) {
      shared.push_back(with_own(own[i]));
      for (int rank = 0; rank < group_.world() && error == hipSuccess; ++rank) {
        const Offer& offer = offers[static_cast<std::size_t>(rank) * own.size() + i];
        if (rank != group_.rank()) error = add(rank, offer, shared.back());
      }
    }
    error = agree(error);
    if (error == hipSuccess) return hipSuccess;
    for (const SharedBuffer& buffer : shared) static_cast<void>(give_up(buffer));
    shared.clear();
    return error;
  }

  // Closes the peers' buffers. No kernel of this rank may use them any more. Not collective: what
  // peers have open of this rank's memory is theirs to close.
  hipError_t give_up(const SharedBuffer& buffer) {
    FirstError result;
    for (const int mapping : buffer.mappings) {
      if (mapping >= 0) result.note(mappings_.close(mapping));
    }
    return result.result();
  }

  const PeerMappings& mappings() const { return mappings_; }

 private:
  // What a rank says of one of its buffers.
  struct Offer {
    ExportedBuffer buffer;
    std::uint64_t bytes;
    std::int64_t alignment;
    hipError_t error;
  };

  std::size_t world() const { return static_cast<std::size_t>(group_.world()); }

  static std::int64_t alignment_of(const void* pointer) {
    const std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(pointer) | kAlignmentMax;
    return static_cast<std::int64_t>(bits & (~bits + 1));
  }

  SharedBuffer with_own(const BufferRange& own) const {
    SharedBuffer buffer;
    buffer.pointers.at[group_.rank()] = own.begin;
    buffer.bytes = own.bytes;
    buffer.alignment = alignment_of(own.begin);
    return buffer;
  }

  hipError_t add(int rank, const Offer& offer, SharedBuffer& buffer) {
    int mapping = -1;
    const hipError_t error = mappings_.open(rank, offer.buffer, buffer.pointers.at[rank], mapping);
    if (error != hipSuccess) return error;
    buffer.mappings[static_cast<std::size_t>(rank)] = mapping;
    buffer.bytes = std::min<std::size_t>(buffer.bytes, offer.bytes);
    buffer.alignment = std::min(buffer.alignment, offer.alignment);
    return hipSuccess;
  }

  // Every rank's offers, in rank order.
  hipError_t gather_offers(std::span<const BufferRange> own, std::vector<Offer>& all) {
    std::array<std::size_t, kWorldMax> counts{};
    const auto ranks = std::span(counts).first(world());
    if (!group_.all_gather_value(own.size(), ranks)) return hipErrorLaunchFailure;
    for (const std::size_t count : ranks) {
      if (count != own.size()) return hipErrorInvalidValue;
    }
    std::vector<Offer> mine(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      mine[i].bytes = own[i].bytes;
      mine[i].alignment = alignment_of(own[i].begin);
      mine[i].error = export_buffer(own[i].begin, own[i].bytes, mine[i].buffer);
    }
    all.resize(own.size() * world());
    if (!group_.all_gather(std::as_bytes(std::span(mine)),
                           std::as_writable_bytes(std::span(all)))) {
      return hipErrorLaunchFailure;
    }
    // Nobody has opened anything yet, and all see the same offers.
    for (const Offer& offer : all) {
      if (offer.error != hipSuccess) return offer.error;
    }
    return hipSuccess;
  }

  RankGroup& group_;
  PeerMappings mappings_;
};

}  // namespace rankle::kernels
