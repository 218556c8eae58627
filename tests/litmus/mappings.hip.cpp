// IPC mappings: rank 1 reaches rank 0's memory at another address. It is the same memory to the
// detector, data and flags alike, and opening a handle orders nothing.
#include "tests/litmus/scene.h"

namespace rankle::sim::litmus {
namespace {

template <Order kOrder>
__global__ void push(Word* data, Word* flag) {
  *data = kSent;  // RACE A
  store<kOrder, Scope::system>(flag, 1U);
}

__global__ void pull(const Word* data, const Word* flag, Word* out) {
  while (load<Order::acquire, Scope::system>(flag) == 0) {
  }
  *out = *data;  // RACE A
}

__global__ void overwrite(Word* data) {
  *data = kBefore;  // RACE A
}

// Rank 0's data or flags as rank 1 sees them.
Word* mapping_of(const hipIpcMemHandle_t& handle) {
  void* pointer = nullptr;
  static_cast<void>(hipIpcOpenMemHandle(&pointer, handle, hipIpcMemLazyEnablePeerAccess));
  return static_cast<Word*>(pointer);
}

void export_memory(Scene& scene) {
  Board& board = scene.board;
  static_cast<void>(hipIpcGetMemHandle(&board.handle_of_data, scene.data()));
  static_cast<void>(hipIpcGetMemHandle(&board.handle_of_flags, scene.flags()));
}

template <Order kOrder>
void play_flag(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    export_memory(scene);
    host_barrier();
    hipLaunchKernelGGL(push<kOrder>, blocks(1), threads(1), 0, nullptr, scene.data(),
                       scene.flags());
    return finish(scene);
  }
  host_barrier();
  const Word* const data = mapping_of(board.handle_of_data);
  const Word* const flags = mapping_of(board.handle_of_flags);
  hipLaunchKernelGGL(pull, blocks(1), threads(1), 0, nullptr, data, flags, scene.out());
  expect(scene, scene.out(), kSent);
}

// Both ranks write, the peer through its mapping.
void play_writes(Scene& scene) {
  if (scene.rank == 0) export_memory(scene);
  host_barrier();
  if (scene.rank == 0) {
    hipLaunchKernelGGL(push<Order::release>, blocks(1), threads(1), 0, nullptr, scene.data(),
                       scene.flags());
  } else {
    Word* const data = mapping_of(scene.board.handle_of_data);
    hipLaunchKernelGGL(overwrite, blocks(1), threads(1), 0, nullptr, data);
  }
  finish(scene);
}

}  // namespace

std::vector<Litmus> mapping_rows() {
  constexpr Level kLevel = Level::system;
  return {
      {.name = "clean_interdevice_ipc_mapping_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "Data and flag through IPC mappings on the reader's side.",
       .play = play_flag<Order::release>},
      {.name = "race_interdevice_ipc_mapping_relaxed_store_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The same with a relaxed store.",
       .play = play_flag<Order::relaxed>,
       .findings = {{ReportKind::relaxed_handoff, "push A", "pull A"}}},
      {.name = "race_interdevice_ipc_mapping_waw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The owner and the peer write one word at two addresses.",
       .play = play_writes,
       .findings = {{ReportKind::data_race, "push A", "overwrite A"}}},
  };
}

}  // namespace rankle::sim::litmus
