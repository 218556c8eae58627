// From program counters to source lines, with elfutils' libdw. Inlined calls are resolved: the
// chain of a program counter starts with the innermost function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/report.h"

namespace rankle::sim {

class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  void add_module(std::uintptr_t load_base, std::size_t bytes, const std::string& file);

  // Empty if nothing is known of the address. `pc` is a return address: the call before it is
  // meant.
  const std::vector<SourceLine>& chain_of(std::uintptr_t pc);

  // Hash of the innermost source line, from the line table alone: cheap enough for every hook site.
  std::uint64_t line_hash(std::uintptr_t pc);

 private:
  struct DebugFile;
  struct Module {
    std::uintptr_t base = 0;
    std::size_t bytes = 0;
    DebugFile* file = nullptr;
  };
  const Module* module_of(std::uintptr_t pc);
  DebugFile* open(const std::string& file);
  std::vector<SourceLine> look_up(std::uintptr_t pc);

  std::vector<Module> modules_;
  std::unordered_map<std::string, std::unique_ptr<DebugFile>> files_;
  std::unordered_map<std::uintptr_t, std::vector<SourceLine>> chains_;
};

Symbols& symbols();

// The innermost line that is not plumbing: not in the simulator, nor in the headers through which
// every kernel reaches memory. The innermost line at all if there is no other.
SourceLine innermost_telling(const std::vector<SourceLine>& chain);

// That line of a program counter as "file:line". Needs the main stack.
std::string place_of(std::uintptr_t pc);

}  // namespace rankle::sim
