// Runs code on every rank of a simulated machine, with a group through which the ranks meet. Ranks
// stand for processes: memory of another rank is reached through IPC handles only.
#pragma once

#include <functional>

#include "harness/runner/rank_group.h"
#include "sim/machine.h"

namespace rankle {

inline sim::Result on_ranks(int world, const std::function<void(kernels::RankGroup&)>& body) {
  RankBoard board(world);
  sim::Config config;
  config.devices = world;
  config.separate_address_spaces = true;
  return sim::run(config, [&](int rank) {
    LocalRankGroup group(board, rank);
    body(group);
  });
}

}  // namespace rankle
