// Which parked threads wait for which 8-byte word. A page record counts its watchers, so that a
// write to a page without any costs one load.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rankle::sim {

struct Thread;

class Watch {
 public:
  void add(std::uintptr_t address, Thread* thread);
  // Removes a thread from all of its words.
  void remove(Thread* thread, const std::uintptr_t* words, int count);
  // Appends the threads that wait for a word that the range touches, in the order of parking.
  void collect(std::uintptr_t address, std::size_t bytes, std::vector<Thread*>& threads) const;
  void clear();

 private:
  std::unordered_map<std::uintptr_t, std::vector<Thread*>> by_word_;
};

}  // namespace rankle::sim
