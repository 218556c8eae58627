// Copies, fills, pinned host memory and memory that is used again: operations race like kernels.
// The line of a copy or fill is that of the call that enqueued it.
#include "tests/litmus/scene.h"

namespace rankle::sim::litmus {
namespace {

constexpr std::size_t kBytes = 16 * sizeof(Word);

__global__ void put(Word* word) {
  *word = kSent;  // RACE A
}

__global__ void get(const Word* word, Word* out) {
  *out = *word;  // RACE A
}

void launch_put(Word* word, hipStream_t stream) {
  hipLaunchKernelGGL(put, blocks(1), threads(1), 0, stream, word);
}

void launch_get(const Word* word, Word* out, hipStream_t stream) {
  hipLaunchKernelGGL(get, blocks(1), threads(1), 0, stream, word, out);
}

void copy(Word* to, const Word* from, hipStream_t stream) {
  static_cast<void>(hipMemcpyAsync(to, from, kBytes, hipMemcpyDefault, stream));  // RACE A
}

void copy_again(Word* to, const Word* from, hipStream_t stream) {
  static_cast<void>(hipMemcpyAsync(to, from, kBytes, hipMemcpyDefault, stream));  // RACE A
}

void copy_peer(Word* to, int to_device, const Word* from, int from_device, hipStream_t stream) {
  static_cast<void>(
      hipMemcpyPeerAsync(to, to_device, from, from_device, kBytes, stream));  // RACE A
}

void clear(Word* words, hipStream_t stream) {
  static_cast<void>(hipMemsetAsync(words, 0, kBytes, stream));  // RACE A
}

Word* pinned() {
  Word* words = nullptr;
  static_cast<void>(hipHostMalloc(&words, kBytes));
  for (int i = 0; i < 16; ++i) words[i] = kBefore;
  return words;
}

// The half of data that the kernels do not touch.
Word* spare(const Scene& scene) { return scene.data() + kDataWords / 2; }

enum class Between { same_stream, event, none };

template <Between kOrder>
struct Streams {
  hipStream_t first = new_stream();
  hipStream_t second = kOrder == Between::same_stream ? first : new_stream();

  void between() const {
    if constexpr (kOrder == Between::event) order_streams(first, second);
  }
};

template <Between kOrder>
void play_kernel_then_copy(Scene& scene) {
  const Streams<kOrder> streams;
  launch_put(scene.data(), streams.first);
  streams.between();
  copy(spare(scene), scene.data(), streams.second);
  expect(scene, spare(scene), kSent);
}

template <Between kOrder>
void play_copy_then_kernel(Scene& scene) {
  const Streams<kOrder> streams;
  copy(spare(scene), scene.data(), streams.first);
  streams.between();
  launch_put(scene.data(), streams.second);
  expect(scene, spare(scene), kBefore);
}

template <Between kOrder>
void play_copy_then_read(Scene& scene) {
  const Streams<kOrder> streams;
  copy(scene.out(), scene.data(), streams.first);
  streams.between();
  launch_get(scene.out(), scene.out() + 64, streams.second);
  expect(scene, scene.out() + 64, kBefore);
}

template <Between kOrder>
void play_two_copies(Scene& scene) {
  const Streams<kOrder> streams;
  copy(spare(scene), scene.out(), streams.first);
  streams.between();
  copy_again(spare(scene), scene.data(), streams.second);
  expect(scene, spare(scene), kBefore);
}

// A fill on a side stream: what initialises flags must come before their first use.
template <Between kOrder>
void play_fill_then_kernel(Scene& scene) {
  const Streams<kOrder> streams;
  clear(scene.data(), streams.first);
  streams.between();
  launch_put(scene.data(), streams.second);
  expect(scene, scene.data(), kSent);
}

// Rank 1 copies from rank 0's device what a kernel of rank 0 writes.
template <bool kMeets>
void play_pull_from_peer(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    launch_put(board.data[0], nullptr);
    finish(scene);
    if constexpr (kMeets) host_barrier();
    return;
  }
  if constexpr (kMeets) host_barrier();
  copy_peer(board.out[1], 1, board.data[0], 0, nullptr);
  expect(scene, board.out[1], kSent);
}

// Rank 0 copies to rank 1's device; there a kernel reads.
template <bool kMeets>
void play_push_to_peer(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    copy_peer(board.data[1], 1, board.data[0] + 64, 0, nullptr);
    finish(scene);
    if constexpr (kMeets) host_barrier();
    return;
  }
  if constexpr (kMeets) host_barrier();
  launch_get(board.data[1], board.out[1], nullptr);
  expect(scene, board.out[1], kBefore);
}

template <bool kWaits>
void play_host_reads(Scene& scene) {
  Word* const words = pinned();
  launch_put(words, nullptr);
  if constexpr (kWaits) finish(scene);
  const Word found = words[0];  // RACE A
  const bool is_possible = found == kSent || (!kWaits && found == kBefore);
  if (!is_possible) scene.board.unexpected.emplace_back("the host reads another value");
  finish(scene);
}

template <bool kWaits>
void play_host_overwrites_source(Scene& scene) {
  Word* const words = pinned();
  hipStream_t stream = new_stream();
  copy(scene.data(), words, stream);
  if constexpr (kWaits) static_cast<void>(hipStreamSynchronize(stream));
  words[0] = kSent;  // RACE A
  expect(scene, scene.data(), kBefore);
}

void play_host_writes_then_launches(Scene& scene) {
  Word* const words = pinned();
  words[0] = kSent;
  launch_get(words, scene.out(), new_stream());
  expect(scene, scene.out(), kSent);
}

// A caching allocator gives the buffer of a kernel to another stream.
template <Between kOrder>
void play_pool(Scene& scene) {
  const Streams<kOrder> streams;
  launch_get(scene.data(), scene.out(), streams.first);
  streams.between();
  launch_put(scene.data(), streams.second);
  expect(scene, scene.out(), kBefore);
}

// Memory is freed and allocated anew, and a kernel of another stream writes there.
void play_free_and_allocate(Scene& scene) {
  for (int life = 0; life < 3; ++life) {
    Word* words = nullptr;
    static_cast<void>(hipMalloc(&words, kBytes));
    hipStream_t stream = new_stream();
    launch_put(words, stream);
    launch_get(words, scene.out() + life, stream);
    static_cast<void>(hipFree(words));
  }
  expect(scene, scene.out() + 2, kSent);
}

void play_free_and_allocate_in_stream_order(Scene& scene) {
  hipStream_t stream = new_stream();
  for (int life = 0; life < 3; ++life) {
    Word* words = nullptr;
    static_cast<void>(hipMallocAsync(&words, kBytes, stream));
    launch_put(words, stream);
    launch_get(words, scene.out() + life, stream);
    static_cast<void>(hipFreeAsync(words, stream));
  }
  expect(scene, scene.out() + 2, kSent);
}

constexpr ReportKind kData = ReportKind::data_race;

std::vector<Litmus> operation_rows() {
  constexpr Level kLevel = Level::device;
  return {
      {.name = "clean_copy_behind_a_kernel_raw",
       .level = kLevel,
       .sentence = "A kernel and a copy of what it wrote, in one stream.",
       .play = play_kernel_then_copy<Between::same_stream>},
      {.name = "clean_copy_behind_an_event_raw",
       .level = kLevel,
       .sentence = "The copy is in another stream and waits for an event.",
       .play = play_kernel_then_copy<Between::event>},
      {.name = "race_copy_in_another_stream_raw",
       .level = kLevel,
       .sentence = "The copy is in another stream and waits for nothing.",
       .play = play_kernel_then_copy<Between::none>,
       .findings = {{kData, "put A", "copy A"}}},
      {.name = "clean_copy_before_a_kernel_war",
       .level = kLevel,
       .sentence = "A copy, an event, and a kernel that overwrites its source.",
       .play = play_copy_then_kernel<Between::event>},
      {.name = "race_kernel_overwrites_the_source_of_a_copy_war",
       .level = kLevel,
       .sentence = "A kernel in another stream overwrites the source of a copy.",
       .play = play_copy_then_kernel<Between::none>,
       .findings = {{kData, "put A", "copy A"}}},
      {.name = "clean_copy_then_kernel_raw",
       .level = kLevel,
       .sentence = "A kernel behind an event reads what a copy wrote.",
       .play = play_copy_then_read<Between::event>},
      {.name = "race_kernel_reads_the_target_of_a_copy_raw",
       .level = kLevel,
       .sentence = "A kernel in another stream reads what a copy writes.",
       .play = play_copy_then_read<Between::none>,
       .findings = {{kData, "get A", "copy A"}}},
      {.name = "clean_two_copies_waw",
       .level = kLevel,
       .sentence = "Two copies to one place, with an event between.",
       .play = play_two_copies<Between::event>},
      {.name = "race_two_copies_waw",
       .level = kLevel,
       .sentence = "Two copies to one place, in two streams.",
       .play = play_two_copies<Between::none>,
       .findings = {{kData, "copy A", "copy_again A"}}},
      {.name = "clean_fill_before_a_kernel_waw",
       .level = kLevel,
       .sentence = "A fill, an event, and a kernel that writes there.",
       .play = play_fill_then_kernel<Between::event>},
      {.name = "race_fill_on_a_side_stream_waw",
       .level = kLevel,
       .sentence = "A fill on a side stream, and a kernel that does not wait for it.",
       .play = play_fill_then_kernel<Between::none>,
       .findings = {{kData, "clear A", "put A"}}},
  };
}

std::vector<Litmus> peer_and_host_rows() {
  constexpr Level kLevel = Level::system;
  return {
      {.name = "clean_peer_copy_pulls_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "A copy from the peer's device, when its host has waited and the hosts have "
                   "met.",
       .play = play_pull_from_peer<true>},
      {.name = "race_peer_copy_pulls_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "A copy from the peer's device, and nobody has told this rank.",
       .play = play_pull_from_peer<false>,
       .findings = {{kData, "put A", "copy_peer A"}}},
      {.name = "clean_peer_copy_pushes_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "A copy to the peer's device; the hosts meet before a kernel reads there.",
       .play = play_push_to_peer<true>},
      {.name = "race_peer_copy_pushes_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "A copy to the peer's device, where a kernel reads without waiting.",
       .play = play_push_to_peer<false>,
       .findings = {{kData, "get A", "copy_peer A"}}},
      {.name = "clean_host_reads_pinned_memory_raw",
       .level = kLevel,
       .sentence = "The host waits, then reads pinned memory that a kernel has written.",
       .play = play_host_reads<true>},
      {.name = "race_host_reads_pinned_memory_raw",
       .level = kLevel,
       .sentence = "The host reads pinned memory while a kernel may write it.",
       .play = play_host_reads<false>,
       .findings = {{kData, "put A", "play_host_reads A"}}},
      {.name = "clean_host_overwrites_the_source_of_a_copy_war",
       .level = kLevel,
       .sentence = "The host waits before it overwrites the pinned source of an asynchronous copy.",
       .play = play_host_overwrites_source<true>},
      {.name = "race_host_overwrites_the_source_of_a_copy_war",
       .level = kLevel,
       .sentence = "The host overwrites the pinned source of an asynchronous copy at once.",
       .play = play_host_overwrites_source<false>,
       .findings = {{kData, "copy A", "play_host_overwrites_source A"}}},
      {.name = "clean_host_writes_before_the_launch_raw",
       .level = kLevel,
       .sentence = "What the host wrote before a launch is there for the kernel.",
       .play = play_host_writes_then_launches},
  };
}

std::vector<Litmus> reuse_rows() {
  constexpr Level kLevel = Level::device;
  return {
      {.name = "clean_buffer_reused_in_one_stream_war",
       .level = kLevel,
       .sentence = "A pool gives a buffer out again in the stream that used it.",
       .play = play_pool<Between::same_stream>},
      {.name = "clean_buffer_reused_behind_an_event_war",
       .level = kLevel,
       .sentence = "A pool gives a buffer to another stream, which waits for an event.",
       .play = play_pool<Between::event>},
      {.name = "race_buffer_reused_in_another_stream_war",
       .level = kLevel,
       .sentence = "A pool gives a buffer to another stream while the first one may still read it.",
       .play = play_pool<Between::none>,
       .findings = {{kData, "get A", "put A"}}},
      {.name = "clean_free_and_allocate",
       .level = kLevel,
       .sentence = "Memory that `hipFree` took back and `hipMalloc` gave out anew.",
       .play = play_free_and_allocate},
      {.name = "clean_free_and_allocate_in_stream_order",
       .level = kLevel,
       .sentence = "The same with `hipMallocAsync` and `hipFreeAsync`.",
       .play = play_free_and_allocate_in_stream_order},
  };
}

}  // namespace

std::vector<Litmus> copy_rows() {
  std::vector<Litmus> rows = operation_rows();
  for (Litmus& row : peer_and_host_rows()) rows.push_back(std::move(row));
  for (Litmus& row : reuse_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace rankle::sim::litmus
