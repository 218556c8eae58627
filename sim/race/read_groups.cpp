// Look-up of groups by a block's latest one, and splitting them.
#include "sim/race/read_groups.h"

#include <algorithm>

namespace rankle::sim::race {
namespace {

bool fits(const ReadGroup& group, const Stamp& read) {
  return group.block == block_of(read.who) && group.clock == read.clock &&
         group.site_mask == read.site_mask;
}

}  // namespace

ReadGroup* ReadGroups::find(const Stamp& read) {
  std::uint8_t& hint = hint_of(read);
  if (hint < groups_.size() && fits(groups_[hint], read)) return &groups_[hint];
  const auto it = std::find_if(groups_.begin(), groups_.end(),
                               [&](const ReadGroup& group) { return fits(group, read); });
  if (it == groups_.end()) return nullptr;
  hint = static_cast<std::uint8_t>(it - groups_.begin());
  return &*it;
}

ReadGroup& ReadGroups::need(const Stamp& read) {
  if (ReadGroup* const group = find(read)) return *group;
  ReadGroup made;
  made.block = block_of(read.who);
  made.site_mask = read.site_mask;
  made.clock = read.clock;
  for (ReadGroup& group : groups_) {
    if (group.block == made.block) group.is_only = made.is_only = false;
  }
  hint_of(read) = static_cast<std::uint8_t>(groups_.size());
  groups_.push_back(made);
  return groups_.back();
}

void ReadGroups::renew(const Stamp& read) {
  const std::uint8_t hint = hint_of(read);
  if (hint >= groups_.size()) return;
  ReadGroup& group = groups_[hint];
  if (group.block != block_of(read.who) || group.site_mask != read.site_mask ||
      phase_of(group.clock) >= phase_of(read.clock)) {
    return;
  }
  group.clock = read.clock;
  group.settled_at = 0;
  group.threads = {};
}

bool ReadGroups::is_only(const Stamp& read) {
  const std::uint8_t hint = hint_of(read);
  return hint < groups_.size() && fits(groups_[hint], read) && groups_[hint].is_only;
}

void ReadGroups::drop(std::size_t index, std::uint32_t thread, unsigned bytes) {
  groups_[index].threads.remove(thread);
  Stamp left = groups_[index].stamp_of(thread);
  left.drop(bytes);
  if (left.mask() != 0) need(left).threads.add(thread);
}

void ReadGroups::erase_empty(std::uint32_t block) {
  std::erase_if(groups_, [block](const ReadGroup& group) {
    return group.mask() == 0 || (group.block != block && group.threads.empty());
  });
}

}  // namespace rankle::sim::race
