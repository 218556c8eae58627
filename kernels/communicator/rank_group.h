// How ranks meet on the host: all that a communicator needs from whatever has started them. Ranks
// may be fibers of one thread, threads, or processes; each kind implements these few calls.
//
// Every call is collective: all ranks make it, in the same order and with the same sizes.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

namespace rankle::kernels {

class RankGroup {
 public:
  virtual ~RankGroup() = default;

  virtual int rank() const = 0;
  virtual int world() const = 0;

  // False, here and below: the other ranks cannot be reached any more, and the caller must give up
  // what it was about to do.
  virtual bool barrier() = 0;

  // Every rank gives `mine`; `all` receives them in rank order and is world() times as long.
  virtual bool all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;

  // `data` of the root replaces that of the others; all have the same size.
  virtual bool broadcast(int root, std::span<std::byte> data) = 0;

  // all_gather of one plain value per rank; `all` has world() entries.
  template <typename T>
  bool all_gather_value(const T& mine, std::span<T> all) {
    static_assert(std::is_trivially_copyable_v<T>);
    return all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(all));
  }
};

}  // namespace rankle::kernels
