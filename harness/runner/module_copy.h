// One private copy of a shared object. The dynamic loader identifies a file by its inode, so
// loading one path twice gives one image; a copy in an anonymous memory file gives a further image
// with statics and __device__ globals of its own. What those hold after loading is kept, so that
// every case can start from it.
//
// A copy stays loaded for the life of the process, and its descriptor stays open: glibc also knows
// images by name, and a reused "/proc/self/fd/7" would be taken for the earlier one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace rankle {

class ModuleCopy {
 public:
  // nullptr on failure; `error` is then one sentence that names `file` and, for an unresolved
  // symbol, the symbol.
  static std::unique_ptr<ModuleCopy> load(const std::filesystem::path& file, std::string& error);

  ModuleCopy(const ModuleCopy&) = delete;
  ModuleCopy& operator=(const ModuleCopy&) = delete;

  // Address of an exported symbol, nullptr if there is none.
  void* symbol(const char* name) const;

  // Puts all writable data back to what it was right after loading. Heap objects that the module
  // made since are forgotten, not destroyed.
  void restore();

  std::uintptr_t base() const { return base_; }
  std::size_t size() const { return size_; }  // bytes of address space from base()

 private:
  struct Region {
    std::byte* address = nullptr;
    std::vector<std::byte> initial;
  };

  ModuleCopy() = default;
  bool locate(std::string& error);

  void* handle_ = nullptr;
  std::uintptr_t base_ = 0;
  std::size_t size_ = 0;
  std::vector<Region> writable_;
};

}  // namespace rankle
