// See positions.h.
#include "campaign/positions.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "repro/atomic_file.h"

namespace rankle {

struct Positions::Layout {
  static constexpr std::uint64_t kMagic = 0x31736f706b6e6172;  // "rankpos1"

  std::uint64_t magic;
  std::uint64_t seed;
  std::uint64_t workers;
  std::atomic<std::uint64_t> milliseconds;
  std::atomic<std::uint64_t> next[kWorkersMax];
};

Positions::Positions(const std::filesystem::path& file, std::uint64_t seed,
                     const std::vector<std::uint64_t>& next) {
  if (next.size() > kWorkersMax) throw std::length_error("too many workers for one campaign");
  // Made aside and renamed: a kill in between leaves the old file or the new one.
  const std::filesystem::path fresh = file.string() + ".new";
  const int descriptor = open(fresh.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    throw std::system_error(errno, std::generic_category(),
                            fmt::format("cannot create {}", fresh.string()));
  }
  // Allocated now: on a full disk a mapping without blocks would kill us with SIGBUS later.
  int error = posix_fallocate(descriptor, 0, sizeof(Layout));
  void* memory = MAP_FAILED;
  if (error == 0) {
    memory = mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) error = errno;
  }
  close(descriptor);
  if (error != 0) {
    unlink(fresh.c_str());
    throw std::system_error(error, std::generic_category(),
                            fmt::format("cannot write {}", fresh.string()));
  }
  layout_ = static_cast<Layout*>(memory);
  layout_->magic = Layout::kMagic;
  layout_->seed = seed;
  layout_->workers = next.size();
  for (std::size_t worker = 0; worker < next.size(); ++worker) set(worker, next[worker]);
  if (rename(fresh.c_str(), file.c_str()) != 0) {
    error = errno;
    munmap(layout_, sizeof(Layout));
    throw std::system_error(error, std::generic_category(),
                            fmt::format("cannot replace {}", file.string()));
  }
}

Positions::~Positions() { munmap(layout_, sizeof(Layout)); }

void Positions::set(std::size_t worker, std::uint64_t next) {
  layout_->next[worker].store(next, std::memory_order_relaxed);
}

std::vector<std::uint64_t> Positions::all() const {
  std::vector<std::uint64_t> next;
  for (std::size_t worker = 0; worker < layout_->workers; ++worker) {
    next.push_back(layout_->next[worker].load(std::memory_order_relaxed));
  }
  return next;
}

void Positions::set_seconds(double seconds) {
  layout_->milliseconds.store(static_cast<std::uint64_t>(seconds * 1e3), std::memory_order_relaxed);
}

std::optional<OldPositions> Positions::read(const std::filesystem::path& file, std::uint64_t seed) {
  std::string error;
  const std::optional<std::string> bytes = read_small_file(file, sizeof(Layout), error);
  if (!bytes || bytes->size() != sizeof(Layout)) return std::nullopt;
  std::vector<std::uint64_t> words(sizeof(Layout) / sizeof(std::uint64_t));
  std::copy(bytes->begin(), bytes->end(), reinterpret_cast<char*>(words.data()));
  if (words[0] != Layout::kMagic || words[1] != seed || words[2] > kWorkersMax) return std::nullopt;
  const auto first = words.begin() + sizeof(Layout) / sizeof(std::uint64_t) - kWorkersMax;
  OldPositions old;
  old.next.assign(first, first + static_cast<std::ptrdiff_t>(words[2]));
  old.seconds = static_cast<double>(words[3]) / 1e3;
  return old;
}

}  // namespace rankle
