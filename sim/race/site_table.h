// Program counters as 16-bit numbers, so that a shadow stamp has room for its site and for 16
// bytes. A small direct-mapped cache in front answers nearly every look-up.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/race/epoch.h"

namespace rankle::sim::race {

class SiteTable {
 public:
  static constexpr std::size_t kSitesMax = (std::size_t{1} << 16) - 1;

  SiteId intern(std::uintptr_t pc) {
    Cached& cached = cache_[(pc ^ pc >> 12) % kCached];
    if (cached.pc != pc) cached = {pc, 0, look_up(pc)};
    return cached.id;
  }
  // How far a site has stepped since its last access; mostly it goes on like that.
  std::uintptr_t step_to(std::uintptr_t pc, std::uintptr_t address) {
    Cached& cached = cache_[(pc ^ pc >> 12) % kCached];
    const std::uintptr_t step = address - cached.address;
    cached.address = address;
    return step;
  }
  std::uintptr_t pc_of(SiteId site) const { return pcs_[site]; }

  // Between runs: targets are loaded anew, so that their program counters may be new each time.
  void make_room() {
    if (pcs_.size() < kSitesMax / 2) return;
    cache_ = {};
    ids_.clear();
    pcs_.resize(1);
  }

 private:
  static constexpr std::size_t kCached = 4096;
  struct Cached {
    std::uintptr_t pc = 0;
    std::uintptr_t address = 0;  // latest
    SiteId id = 0;
  };

  SiteId look_up(std::uintptr_t pc) {
    const auto [it, is_new] = ids_.try_emplace(pc, static_cast<SiteId>(pcs_.size()));
    if (is_new && pcs_.size() >= kSitesMax) return it->second = 0;
    if (is_new) pcs_.push_back(pc);
    return it->second;
  }

  std::array<Cached, kCached> cache_;
  std::unordered_map<std::uintptr_t, SiteId> ids_;
  std::vector<std::uintptr_t> pcs_ = {0};  // site 0: unknown
};

}  // namespace rankle::sim::race
