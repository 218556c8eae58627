// Starting kernels: blocks become resident as far as the device has room, and their storage is
// reused from block to block, so that a launch allocates nothing per thread.
#include <algorithm>
#include <bit>

#include "sim/engine.h"
#include "sim/lanes.h"
#include "sim/shared_memory.h"

namespace rankle::sim {

Launch* Engine::keep(std::unique_ptr<Launch> launch) {
  launches_.push_back(std::move(launch));
  return launches_.back().get();
}

void Engine::start_launch(Launch& launch) {
  if (launch.blocks_total == 0) return end_op(*launch.op);
  pending_[launch.device].push_back(&launch);
  start_blocks(launch.device);
}

void Engine::start_blocks(int device) {
  std::vector<Launch*>& queue = pending_[device];
  while (!queue.empty()) {
    Launch& launch = *queue.front();
    if (config_.resident_blocks > 0 && resident_[device] >= config_.resident_blocks) return;
    const bool waits_for_room =
        launch.cooperative && launch.blocks_started == 0 && config_.resident_blocks > 0 &&
        resident_[device] + static_cast<int>(launch.blocks_total) > config_.resident_blocks;
    if (waits_for_room) return;
    start_block(launch);
    if (launch.blocks_started == launch.blocks_total) queue.erase(queue.begin());
  }
}

Block* Engine::take_block() {
  if (free_blocks_.empty()) {
    blocks_.push_back(std::make_unique<Block>());
    free_blocks_.push_back(blocks_.back().get());
  }
  Block* const block = free_blocks_.back();
  free_blocks_.pop_back();
  return block;
}

std::uintptr_t Engine::take_shared_slot() {
  if (shared_slots_.empty()) {
    shared_slots_.push_back(make_shared_slot());
  }
  const std::uintptr_t slot = shared_slots_.back();
  shared_slots_.pop_back();
  return slot;
}

void Engine::start_block(Launch& launch) {
  Block& block = *take_block();
  prepare_block(block, launch, launch.blocks_started++);
  race_block_begin(block);
  launch.running.push_back(&block);
  ++resident_[launch.device];
  result_.stats.threads += block.threads.size();
  result_.stats.entities += block.waves.size();
  for (Wave& wave : block.waves) runnable_.add(&wave);
}

void Engine::prepare_block(Block& block, Launch& launch, std::uint32_t index) {
  const std::uint32_t threads = launch.block.x * launch.block.y * launch.block.z;
  const auto wave_lanes = static_cast<std::uint32_t>(config_.wave);
  const std::uint32_t waves = (threads + wave_lanes - 1) / wave_lanes;
  block.launch = &launch;
  block.index = index;
  block.x = index % launch.grid.x;
  block.y = index / launch.grid.x % launch.grid.y;
  block.z = index / launch.grid.x / launch.grid.y;
  block.race = nullptr;
  block.barrier = {};
  block.waves_exited = block.threads_exited = 0;
  block.exited_barriers_min = block.exited_thread = 0;
  block.shared = take_shared_slot();
  block.threads.assign(threads, Thread{});
  block.waves.assign(waves, Wave{});
  for (std::uint32_t w = 0; w < waves; ++w) {
    Wave& wave = block.waves[w];
    wave.id = wave_entity(launch.rank, launch.sequence, index, w);
    wave.block = &block;
    wave.threads = &block.threads[w * wave_lanes];
    wave.lanes = static_cast<std::uint8_t>(std::min(wave_lanes, threads - w * wave_lanes));
    wave.last_lane = static_cast<std::uint8_t>(wave.lanes - 1);
    wave.ready = first_lanes(wave.lanes);
    for (std::uint8_t lane = 0; lane < wave.lanes; ++lane) {
      wave.threads[lane].wave = &wave;
      wave.threads[lane].lane = lane;
      wave.threads[lane].index = w * wave_lanes + lane;
    }
  }
}

void Engine::end_block(Block& block) {
  Launch& launch = *block.launch;
  for (Wave& wave : block.waves) runnable_.remove(&wave);
  race_block_end(block);
  clear_shared_slot(block.shared);
  shared_slots_.push_back(block.shared);
  launch.running.erase(std::find(launch.running.begin(), launch.running.end(), &block));
  --resident_[launch.device];
  current_ = nullptr;  // the wave that ended last: its storage may be reused by start_blocks below
  free_blocks_.push_back(&block);
  if (++launch.blocks_ended == launch.blocks_total) end_op(*launch.op);
  start_blocks(launch.device);
}

}  // namespace rankle::sim
