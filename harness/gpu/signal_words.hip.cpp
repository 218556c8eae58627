// See signal_words.h.
#include "harness/gpu/signal_words.h"

#include <cstring>
#include <memory>

#include "kernels/signal.h"

namespace rankle::gpu {
namespace {

constexpr int kBlocksShown = 4;

std::string words(const std::uint32_t* row, int world) {
  std::string text;
  for (int rank = 0; rank < world; ++rank) text += " " + std::to_string(row[rank]);
  return text;
}

}  // namespace

std::string describe_signals(std::span<const std::byte> bytes, int world) {
  if (bytes.size() < sizeof(kernels::Signals)) return "too few bytes for signals";
  const auto signals = std::make_unique<kernels::Signals>();
  std::memcpy(signals.get(), bytes.data(), sizeof(kernels::Signals));
  std::string text;
  int shown = 0;
  for (int block = 0; block < kernels::kBlocksMax && shown < kBlocksShown; ++block) {
    bool is_used = signals->count[block] != 0;
    for (int rank = 0; rank < world; ++rank) {
      is_used = is_used || signals->start[block][rank] != 0 || signals->end[block][rank] != 0;
    }
    if (!is_used) continue;
    ++shown;
    text += (text.empty() ? "block " : "; block ") + std::to_string(block) + " has passed " +
            std::to_string(signals->count[block]) + " barriers, start words" +
            words(signals->start[block], world) + ", end words" + words(signals->end[block], world);
  }
  return text.empty() ? "no block has passed a barrier or was told of one" : text;
}

}  // namespace rankle::gpu
