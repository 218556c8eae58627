// Order between operations: streams, events, what the host waits for, and hosts that meet. The
// kernels write or read one word each; what the host does between the launches is the case.
#include "tests/litmus/scene.h"

namespace rankle::sim::litmus {
namespace {

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

bool succeeds(hipError_t error) { return error == hipSuccess; }

// What stands between a kernel in one stream and a kernel in another one.
enum class Between {
  nothing,
  event,
  early_event,  // recorded before the first kernel
  two_events,   // by way of a third stream
  stream_synchronize,
  other_stream_synchronize,
  event_synchronize,
  stream_query,
  event_query,
  device_synchronize
};

void order_through_third(hipStream_t first, hipStream_t second) {
  hipStream_t third = new_stream();
  order_streams(first, third);
  order_streams(third, second);
}

template <Between kBetween>
void between(hipStream_t first, hipStream_t second) {
  if constexpr (kBetween == Between::event) order_streams(first, second);
  if constexpr (kBetween == Between::two_events) order_through_third(first, second);
  if constexpr (kBetween == Between::stream_synchronize) {
    static_cast<void>(hipStreamSynchronize(first));
  }
  if constexpr (kBetween == Between::other_stream_synchronize) {
    static_cast<void>(hipStreamSynchronize(second));
  }
  if constexpr (kBetween == Between::stream_query) {
    while (!stopped() && !succeeds(hipStreamQuery(first))) {
    }
  }
  if constexpr (kBetween == Between::device_synchronize) {
    static_cast<void>(hipDeviceSynchronize());
  }
  if constexpr (kBetween == Between::event_synchronize || kBetween == Between::event_query) {
    hipEvent_t event = new_event();
    static_cast<void>(hipEventRecord(event, first));
    if constexpr (kBetween == Between::event_synchronize) {
      static_cast<void>(hipEventSynchronize(event));
    } else {
      while (!stopped() && !succeeds(hipEventQuery(event))) {
      }
    }
  }
}

template <Between kBetween>
void play_raw(Scene& scene) {
  hipStream_t first = new_stream();
  hipStream_t second = new_stream();
  if constexpr (kBetween == Between::early_event) order_streams(first, second);
  launch_put(scene.data(), first);
  between<kBetween>(first, second);
  launch_get(scene.data(), scene.out(), second);
  expect(scene, scene.out(), kSent);
}

template <Between kBetween>
void play_war(Scene& scene) {
  hipStream_t first = new_stream();
  hipStream_t second = new_stream();
  launch_get(scene.data(), scene.out(), first);
  between<kBetween>(first, second);
  launch_put(scene.data(), second);
  expect(scene, scene.out(), kBefore);
}

void play_one_stream(Scene& scene) {
  hipStream_t stream = new_stream();
  launch_get(scene.data(), scene.out(), stream);
  launch_put(scene.data(), stream);
  launch_put(scene.data(), stream);
  launch_get(scene.data(), scene.out() + 1, stream);
  expect(scene, scene.out(), kBefore);
  expect(scene, scene.out() + 1, kSent);
}

// The default stream waits for blocking streams, and they for it.
template <unsigned kFlags>
void play_default_stream(Scene& scene) {
  hipStream_t stream = new_stream(kFlags);
  launch_put(scene.data(), stream);
  launch_get(scene.data(), scene.out(), nullptr);
  expect(scene, scene.out(), kSent);
}

// Two streams read what the first one wrote; it writes again when both have.
template <bool kJoinsBoth>
void play_fork_and_join(Scene& scene) {
  hipStream_t first = new_stream();
  hipStream_t left = new_stream();
  hipStream_t right = new_stream();
  launch_put(scene.data(), first);
  order_streams(first, left);
  order_streams(first, right);
  launch_get(scene.data(), scene.out(), left);
  launch_get(scene.data(), scene.out() + 1, right);
  order_streams(left, first);
  if constexpr (kJoinsBoth) order_streams(right, first);
  launch_put(scene.data(), first);
  expect(scene, scene.out() + 1, kSent);
}

// One host with streams on two devices; the other rank looks on.
template <bool kEvent>
void play_two_devices_of_one_host(Scene& scene) {
  if (scene.rank == 1) return;
  Board& board = scene.board;
  hipStream_t here = new_stream();
  static_cast<void>(hipSetDevice(1));
  hipStream_t there = new_stream();
  static_cast<void>(hipSetDevice(0));
  launch_put(board.data[0], here);
  if constexpr (kEvent) order_streams(here, there);
  static_cast<void>(hipSetDevice(1));
  launch_get(board.data[0], board.out[1], there);
  finish(scene);
  static_cast<void>(hipSetDevice(0));
  finish(scene);
}

// Rank 1 reads what a kernel of rank 0 writes.
template <bool kWaits, bool kMeets>
void play_ranks(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    launch_put(board.data[0], nullptr);
    if constexpr (kWaits) finish(scene);
    if constexpr (kMeets) host_barrier();
    return finish(scene);
  }
  if constexpr (kMeets) host_barrier();
  launch_get(board.data[0], board.out[1], nullptr);
  expect(scene, board.out[1], kSent);
}

// The reader's rank is done before the writer's rank launches.
template <bool kMeets>
void play_ranks_war(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 1) {
    launch_get(board.data[0], board.out[1], nullptr);
    finish(scene);
    if constexpr (kMeets) host_barrier();
    return;
  }
  if constexpr (kMeets) host_barrier();
  launch_put(board.data[0], nullptr);
  finish(scene);
}

std::vector<Finding> race() { return {{ReportKind::data_race, "put A", "get A"}}; }

std::vector<Litmus> first_order_rows() {
  using B = Between;
  constexpr Level kLevel = Level::device;
  return {
      {.name = "clean_stream_order",
       .level = kLevel,
       .sentence = "Read, write, write and read in one stream.",
       .play = play_one_stream},
      {.name = "race_streams_nothing_between_raw",
       .level = kLevel,
       .sentence = "A kernel writes, and one in another stream reads.",
       .play = play_raw<B::nothing>,
       .findings = race()},
      {.name = "race_streams_nothing_between_war",
       .level = kLevel,
       .sentence = "A kernel reads, and one in another stream overwrites.",
       .play = play_war<B::nothing>,
       .findings = race()},
      {.name = "clean_streams_event_raw",
       .level = kLevel,
       .sentence = "The second stream waits for an event behind the write.",
       .play = play_raw<B::event>},
      {.name = "clean_streams_event_war",
       .level = kLevel,
       .sentence = "The second stream waits for an event behind the read.",
       .play = play_war<B::event>},
      {.name = "race_streams_event_recorded_too_early_raw",
       .level = kLevel,
       .sentence = "The event that the second stream waits for was recorded before the write.",
       .play = play_raw<B::early_event>,
       .findings = race()},
      {.name = "clean_streams_two_events_raw",
       .level = kLevel,
       .sentence = "Two events in a row, by way of a third stream.",
       .play = play_raw<B::two_events>},
      {.name = "clean_streams_host_waits_for_stream_raw",
       .level = kLevel,
       .sentence = "The host waits for the first stream before it launches into the second.",
       .play = play_raw<B::stream_synchronize>},
  };
}

std::vector<Litmus> further_order_rows() {
  using B = Between;
  constexpr Level kLevel = Level::device;
  return {
      {.name = "race_streams_host_waits_for_wrong_stream_raw",
       .level = kLevel,
       .sentence = "The host waits for the stream of the reader.",
       .play = play_raw<B::other_stream_synchronize>,
       .findings = race()},
      {.name = "clean_streams_host_waits_for_event_raw",
       .level = kLevel,
       .sentence = "The host waits for an event behind the write.",
       .play = play_raw<B::event_synchronize>},
      {.name = "clean_streams_host_asks_stream_raw",
       .level = kLevel,
       .sentence = "The host asks `hipStreamQuery` until it says success.",
       .play = play_raw<B::stream_query>},
      {.name = "clean_streams_host_asks_event_raw",
       .level = kLevel,
       .sentence = "The host asks `hipEventQuery` until it says success.",
       .play = play_raw<B::event_query>},
      {.name = "clean_streams_device_synchronize_war",
       .level = kLevel,
       .sentence = "`hipDeviceSynchronize` between a read and a write of two streams.",
       .play = play_war<B::device_synchronize>},
      {.name = "clean_default_stream_waits_for_blocking_stream_raw",
       .level = kLevel,
       .sentence = "The default stream comes behind what is in blocking streams.",
       .play = play_default_stream<hipStreamDefault>},
      {.name = "race_default_stream_and_nonblocking_stream_raw",
       .level = kLevel,
       .sentence = "The default stream does not wait for streams created as non-blocking.",
       .play = play_default_stream<hipStreamNonBlocking>,
       .findings = race()},
      {.name = "clean_streams_fork_and_join",
       .level = kLevel,
       .sentence = "Two streams read behind events; the first one writes again behind both.",
       .play = play_fork_and_join<true>},
      {.name = "race_streams_join_of_one_only_war",
       .level = kLevel,
       .sentence = "The first stream writes again behind one of the two readers.",
       .play = play_fork_and_join<false>,
       .findings = race()},
  };
}

std::vector<Litmus> order_rows() {
  std::vector<Litmus> rows = first_order_rows();
  for (Litmus& row : further_order_rows()) rows.push_back(std::move(row));
  return rows;
}

std::vector<Litmus> host_rows() {
  constexpr Level kLevel = Level::system;
  return {
      {.name = "clean_event_across_devices_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "One host, streams on two devices, an event between them.",
       .play = play_two_devices_of_one_host<true>},
      {.name = "race_two_devices_of_one_host_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "One host, streams on two devices, nothing between them.",
       .play = play_two_devices_of_one_host<false>,
       .findings = race()},
      {.name = "clean_ranks_wait_and_meet_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The writer's host waits for its device, then the hosts meet.",
       .play = play_ranks<true, true>},
      {.name = "race_ranks_meet_without_waiting_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The hosts meet, and nobody has waited for the kernel that writes.",
       .play = play_ranks<false, true>,
       .findings = race()},
      {.name = "race_ranks_wait_without_meeting_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The writer's host waits for its device, and tells nobody.",
       .play = play_ranks<true, false>,
       .findings = race()},
      {.name = "clean_ranks_wait_and_meet_war",
       .level = kLevel,
       .devices = 2,
       .sentence = "The reader's host waits for its device, then the hosts meet.",
       .play = play_ranks_war<true>},
      {.name = "race_ranks_wait_without_meeting_war",
       .level = kLevel,
       .devices = 2,
       .sentence = "The reader's host waits for its device, and tells nobody.",
       .play = play_ranks_war<false>,
       .findings = race()},
  };
}

}  // namespace

std::vector<Litmus> stream_rows() {
  std::vector<Litmus> rows = order_rows();
  for (Litmus& row : host_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace rankle::sim::litmus
