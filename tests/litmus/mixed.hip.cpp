// Which bytes, and how: atomic and plain accesses to one word, neighbouring bytes, accesses of
// different widths, flags that travel inside the data, and plain flags that are none.
#include "tests/litmus/scene.h"

namespace rankle::sim::litmus {
namespace {

using Pack = std::uint32_t __attribute__((ext_vector_type(4)));

__global__ void write_bytes(std::uint8_t* bytes) { bytes[blockIdx.x] = 1; }

__global__ void word_and_byte(Word* data) {
  if (blockIdx.x == 0) {
    *data = kSent;  // RACE A
  } else {
    reinterpret_cast<std::uint8_t*>(data)[3] = 1;  // RACE B
  }
}

__global__ void pack_and_word(Word* data) {
  if (blockIdx.x == 0) {
    *reinterpret_cast<Pack*>(data) = Pack{1, 2, 3, 4};  // RACE A
  } else {
    data[2] = kSent;  // RACE B
  }
}

__global__ void pack_and_word_behind_it(Word* data) {
  if (blockIdx.x == 0) {
    *reinterpret_cast<Pack*>(data) = Pack{1, 2, 3, 4};
  } else {
    data[4] = kSent;
  }
}

__global__ void read_together(const Word* data, Word* out) { out[blockIdx.x] = *data; }

__global__ void write_same_value(Word* data) {
  *data = kSent;  // RACE A
}

__global__ void store_same_value(Word* data) { store<Order::relaxed, Scope::device>(data, kSent); }

__global__ void lose_updates(Word* data) {
  *data += 1;  // RACE A
}

__global__ void count(Word* counter) { atomicAdd(counter, 1U); }

__global__ void count_and_look(Word* counter, Word* out) {
  if (blockIdx.x == 0) {
    atomicAdd(counter, 1U);  // RACE A
  } else {
    *out = *counter;  // RACE B
  }
}

__global__ void count_and_reset(Word* counter) {
  if (blockIdx.x == 0) {
    atomicAdd(counter, 1U);  // RACE A
  } else {
    *counter = 0;  // RACE B
  }
}

__global__ void look(const Word* counter, Word* out) { *out = *counter; }

// The value and its flag in one word of 8 bytes, written and read at once.
__global__ void push_packed(std::uint64_t* line) {
  store<Order::relaxed, Scope::system>(line, std::uint64_t{1} << 32 | kSent);
}

__global__ void pull_packed(const std::uint64_t* line, Word* out) {
  std::uint64_t found = 0;
  while (found >> 32 == 0) found = load<Order::relaxed, Scope::system>(line);
  *out = static_cast<Word>(found);
}

// The value and its flag in two words: nothing holds them together.
__global__ void push_halves(Word* line) {
  line[0] = kSent;  // RACE A
  store<Order::relaxed, Scope::system>(line + 1, 1U);
}

__global__ void pull_halves(const Word* line, Word* out) {
  while (load<Order::relaxed, Scope::system>(line + 1) == 0) {
  }
  *out = line[0];  // RACE A
}

// Three values and a flag as one plain pack of 16 bytes.
__global__ void push_pack(Word* line) {
  *reinterpret_cast<Pack*>(line) = Pack{kSent, kSent, kSent, 1};  // RACE A
}

__global__ void pull_pack(const Word* line, Word* out) {
  while (load<Order::acquire, Scope::system>(line + 3) != 1) {  // RACE A
  }
  *out = line[0];  // RACE B
}

// Every word says for itself that it has arrived, by no longer being what it was.
__global__ void push_words(Word* line) {
  for (int i = 0; i < 4; ++i) store<Order::relaxed, Scope::system>(line + i, kSent);
}

__global__ void pull_words(const Word* line, Word* out) {
  for (int i = 0; i < 4; ++i) {
    Word found = 0;
    while (found == 0) found = load<Order::relaxed, Scope::system>(line + i);
    out[i] = found;
  }
}

// The flag is written like any other word.
__global__ void push_plain_flag(Word* data, Word* flag) {
  *data = kSent;  // RACE A
  *flag = 1;      // RACE B
}

__global__ void pull_plain_flag(const Word* data, const Word* flag, Word* out) {
  while (load<Order::acquire, Scope::system>(flag) == 0) {  // RACE A
  }
  *out = *data;  // RACE B
}

// The flag is released, and then written plainly by the same thread.
__global__ void push_and_overwrite_flag(Word* data, Word* flag) {
  *data = kSent;  // RACE A
  store<Order::release, Scope::system>(flag, 1U);
  *flag = 2;  // RACE B
}

__global__ void pull_overwritten_flag(const Word* data, const Word* flag, Word* out) {
  while (load<Order::acquire, Scope::system>(flag) != 2) {  // RACE A
  }
  *out = *data;  // RACE B
}

// The reader looks once, and reads only if the flag is up.
__global__ void look_once(Word* data, Word* flag, Word* out) {
  if (blockIdx.x == 0) {
    *data = kSent;  // RACE A
    store<Order::release, Scope::device>(flag, 1U);
  } else if (load<Order::acquire, Scope::device>(flag) != 0) {
    *out = *data;
  }
}

// ... and reads in any case.
__global__ void look_and_read(Word* data, Word* flag, Word* out) {
  if (blockIdx.x == 0) {
    *data = kSent;  // RACE A
    store<Order::release, Scope::device>(flag, 1U);
  } else {
    const bool is_up = load<Order::acquire, Scope::device>(flag) != 0;
    out[0] = *data;  // RACE B
    out[1] = is_up ? 1 : 0;
  }
}

template <auto kKernel, Word kResult>
void play_on_data(Scene& scene) {
  hipLaunchKernelGGL(kKernel, blocks(2), threads(1), 0, nullptr, scene.data());
  expect(scene, scene.data(), kResult);
}

void play_bytes(Scene& scene) {
  hipLaunchKernelGGL(write_bytes, blocks(8), threads(1), 0, nullptr,
                     reinterpret_cast<std::uint8_t*>(scene.data()));
  expect(scene, scene.data() + 1, 0x01010101);
}

template <auto kKernel, Word kResult>
void play_with_out(Scene& scene) {
  hipLaunchKernelGGL(kKernel, blocks(2), threads(1), 0, nullptr, scene.data(), scene.out());
  expect(scene, scene.out() + 1, kResult);
}

template <auto kKernel>
void play_with_flag(Scene& scene) {
  hipLaunchKernelGGL(kKernel, blocks(2), threads(1), 0, nullptr, scene.data(), scene.flags(),
                     scene.out());
  finish(scene);
}

void play_count_then_look(Scene& scene) {
  hipLaunchKernelGGL(count, blocks(3), threads(2), 0, nullptr, scene.flags());
  hipLaunchKernelGGL(look, blocks(1), threads(1), 0, nullptr, scene.flags(), scene.out());
  expect(scene, scene.out(), 6);
}

// The line is the reader's and holds zeros; the writer pushes into it.
template <auto kPush, auto kPull, typename Line = Word>
void play_line(Scene& scene) {
  Board& board = scene.board;
  auto* const line = reinterpret_cast<Line*>(board.data[1]);
  if (scene.rank == 1) static_cast<void>(hipMemset(line, 0, 16));
  host_barrier();
  if (scene.rank == 0) {
    hipLaunchKernelGGL(kPush, blocks(1), threads(1), 0, nullptr, line);
    return finish(scene);
  }
  hipLaunchKernelGGL(kPull, blocks(1), threads(1), 0, nullptr, line, board.out[1]);
  expect(scene, board.out[1], kSent);
}

template <auto kPush, auto kPull>
void play_flag(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    hipLaunchKernelGGL(kPush, blocks(1), threads(1), 0, nullptr, board.data[0], board.flags[1]);
  } else {
    hipLaunchKernelGGL(kPull, blocks(1), threads(1), 0, nullptr, board.data[0], board.flags[1],
                       board.out[1]);
  }
  finish(scene);
}

constexpr ReportKind kHandoff = ReportKind::relaxed_handoff;
constexpr ReportKind kData = ReportKind::data_race;

std::vector<Litmus> width_rows() {
  constexpr Level kLevel = Level::device;
  return {
      {.name = "clean_interblock_neighbouring_bytes_waw",
       .level = kLevel,
       .sentence = "Eight blocks write a byte each of one word.",
       .play = play_bytes},
      {.name = "race_interblock_byte_of_a_word_waw",
       .level = kLevel,
       .sentence = "A word and its last byte.",
       .play = play_on_data<word_and_byte, 0>,
       .findings = {{kData, "word_and_byte A", "word_and_byte B"}}},
      {.name = "race_interblock_word_of_a_pack_waw",
       .level = kLevel,
       .sentence = "A pack of 16 bytes and its third word.",
       .play = play_on_data<pack_and_word, 0>,
       .findings = {{kData, "pack_and_word A", "pack_and_word B"}}},
      {.name = "clean_interblock_word_behind_a_pack_waw",
       .level = kLevel,
       .sentence = "A pack of 16 bytes and the word behind it.",
       .play = play_on_data<pack_and_word_behind_it, 1>},
      {.name = "clean_interblock_reads",
       .level = kLevel,
       .sentence = "Reads do not race with each other.",
       .play = play_with_out<read_together, kBefore>},
      {.name = "race_interblock_same_value_waw",
       .level = kLevel,
       .sentence = "Two blocks write the same value: a race all the same.",
       .play = play_on_data<write_same_value, kSent>,
       .findings = {{kData, "write_same_value A", "write_same_value A"}}},
      {.name = "clean_interblock_same_value_atomic_waw",
       .level = kLevel,
       .sentence = "Two blocks store the same value atomically.",
       .play = play_on_data<store_same_value, kSent>},
      {.name = "race_interblock_lost_update",
       .level = kLevel,
       .sentence = "`*p += 1` by two blocks.",
       .play = play_on_data<lose_updates, 0>,
       .findings = {{kData, "lose_updates A", "lose_updates A"}}},
      {.name = "race_interblock_plain_read_of_a_counter_raw",
       .level = kLevel,
       .sentence = "One block counts atomically, another reads the counter plainly.",
       .play = play_with_out<count_and_look, 0>,
       .findings = {{kData, "count_and_look A", "count_and_look B"}}},
      {.name = "race_interblock_plain_reset_of_a_counter_waw",
       .level = kLevel,
       .sentence = "One block counts atomically, another resets the counter plainly.",
       .play = play_on_data<count_and_reset, 0>,
       .findings = {{kData, "count_and_reset A", "count_and_reset B"}}},
      {.name = "clean_interblock_counter_read_by_the_next_kernel_raw",
       .level = kLevel,
       .sentence = "The counter is read plainly behind the kernel boundary.",
       .play = play_count_then_look},
      {.name = "clean_interblock_reads_if_the_flag_is_up_raw",
       .level = kLevel,
       .sentence = "The reader looks at the flag once, and reads the data only if it is up.",
       .play = play_with_flag<look_once>},
      {.name = "race_interblock_reads_without_looking_at_the_answer_raw",
       .level = kLevel,
       .sentence = "The reader looks at the flag and reads whether it is up or not.",
       .play = play_with_flag<look_and_read>,
       .findings = {{kData, "look_and_read A", "look_and_read B"}},
       .needs_order = "the reader has to look before the flag is up; if it is up, it acquires"},
  };
}

std::vector<Litmus> line_rows() {
  constexpr Level kLevel = Level::system;
  return {
      {.name = "clean_interdevice_flag_in_an_8_byte_word_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "Value and flag in one atomic word of 8 bytes: relaxed is enough.",
       .play = play_line<push_packed, pull_packed, std::uint64_t>},
      {.name = "race_interdevice_flag_beside_the_value_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "Value and flag in two words: a plain write, a relaxed flag.",
       .play = play_line<push_halves, pull_halves>,
       .findings = {{kHandoff, "push_halves A", "pull_halves A"}}},
      {.name = "race_interdevice_flag_in_a_plain_pack_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "Three values and a flag as one plain pack of 16 bytes, polled by its last "
                   "word.",
       .play = play_line<push_pack, pull_pack>,
       .findings = {{kData, "push_pack A", "pull_pack A"}, {kData, "push_pack A", "pull_pack B"}}},
      {.name = "clean_interdevice_every_word_is_a_flag_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "Every word is atomic and polled until it changes; nothing else is handed over.",
       .play = play_line<push_words, pull_words>},
      {.name = "race_interdevice_plain_flag_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The flag is stored plainly: it races itself, and publishes nothing.",
       .play = play_flag<push_plain_flag, pull_plain_flag>,
       .findings = {{kData, "push_plain_flag A", "pull_plain_flag B"},
                    {kData, "push_plain_flag B", "pull_plain_flag A"}}},
      {.name = "race_interdevice_flag_overwritten_plainly_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The flag is released and then written plainly: whoever sees the second value "
                   "acquires nothing.",
       .play = play_flag<push_and_overwrite_flag, pull_overwritten_flag>,
       .findings = {{kData, "push_and_overwrite_flag A", "pull_overwritten_flag B"},
                    {kData, "push_and_overwrite_flag B", "pull_overwritten_flag A"}}},
  };
}

}  // namespace

std::vector<Litmus> mixed_rows() {
  std::vector<Litmus> rows = width_rows();
  for (Litmus& row : line_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace rankle::sim::litmus
