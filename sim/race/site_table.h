// Program counters as 24-bit numbers, so that a shadow stamp has room for its site. A small
// direct-mapped cache in front answers nearly every look-up.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/race/epoch.h"

namespace rankle::sim::race {

class SiteTable {
 public:
  static constexpr std::size_t kSitesMax = (std::size_t{1} << 24) - 1;

  SiteId intern(std::uintptr_t pc) {
    Cached& cached = cache_[(pc ^ pc >> 12) % kCached];
    if (cached.pc != pc) cached = {pc, look_up(pc)};
    return cached.id;
  }
  std::uintptr_t pc_of(SiteId site) const { return pcs_[site]; }

 private:
  static constexpr std::size_t kCached = 4096;
  struct Cached {
    std::uintptr_t pc = 0;
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
