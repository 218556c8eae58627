// Parked threads by the words they wait for.
#include "sim/watch.h"

#include <algorithm>

#include "sim/memory.h"

namespace rankle::sim {
namespace {

std::uintptr_t word_of(std::uintptr_t address) { return address >> 3; }

}  // namespace

void Watch::add(std::uintptr_t address, Thread* thread) {
  std::vector<Thread*>& waiting = by_word_[word_of(address)];
  if (std::find(waiting.begin(), waiting.end(), thread) != waiting.end()) return;
  waiting.push_back(thread);
  ++Memory::page_of(address).watchers;
}

void Watch::remove(Thread* thread, const std::uintptr_t* words, int count) {
  for (int i = 0; i < count; ++i) {
    const auto entry = by_word_.find(word_of(words[i]));
    if (entry == by_word_.end()) continue;
    std::vector<Thread*>& waiting = entry->second;
    const auto at = std::find(waiting.begin(), waiting.end(), thread);
    if (at == waiting.end()) continue;
    waiting.erase(at);
    --Memory::page_of(words[i]).watchers;
    if (waiting.empty()) by_word_.erase(entry);
  }
}

void Watch::collect(std::uintptr_t address, std::size_t bytes,
                    std::vector<Thread*>& threads) const {
  if (by_word_.empty()) return;
  const std::uintptr_t end = address + bytes;
  while (address < end) {
    const std::uintptr_t page_end = (address | (kPageBytes - 1)) + 1;
    const std::uintptr_t stop = std::min(end, page_end);
    if (Memory::page_of(address).watchers != 0) {
      for (std::uintptr_t w = word_of(address); w <= word_of(stop - 1); ++w) {
        const auto entry = by_word_.find(w);
        if (entry == by_word_.end()) continue;
        threads.insert(threads.end(), entry->second.begin(), entry->second.end());
      }
    }
    address = stop;
  }
}

void Watch::clear() { by_word_.clear(); }

}  // namespace rankle::sim
