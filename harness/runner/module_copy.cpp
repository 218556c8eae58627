// Copying, loading and restoring one shared object.
#include "harness/runner/module_copy.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "harness/runner/static_destructors.h"

namespace rankle {
namespace {

// Every copy keeps a descriptor; eight ranks of a hundred targets outgrow the usual soft limit.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Cuts the image behind its last loadable byte. Debug information, most of the file, is only read
// from the original; without this each copy would hold it in memory.
bool keep_loadable_part(std::vector<char>& image) {
  Elf64_Ehdr header;
  if (image.size() < sizeof header) return false;
  std::memcpy(&header, image.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    return false;
  }
  const std::uint64_t table_end =
      header.e_phoff + std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  if (header.e_phoff > image.size() || table_end > image.size()) return false;
  std::uint64_t end = std::max<std::uint64_t>(table_end, sizeof header);
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, image.data() + header.e_phoff + std::size_t(i) * sizeof segment,
                sizeof segment);
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_filesz > image.size() || segment.p_offset > image.size() - segment.p_filesz) {
      return false;
    }
    end = std::max(end, segment.p_offset + segment.p_filesz);
  }
  image.resize(end);
  header.e_shoff = 0;
  header.e_shnum = 0;
  header.e_shstrndx = 0;
  std::memcpy(image.data(), &header, sizeof header);
  return true;
}

bool write_all(int descriptor, const std::vector<char>& image) {
  for (std::size_t done = 0; done < image.size();) {
    const ssize_t n = write(descriptor, image.data() + done, image.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += std::size_t(n);
  }
  return true;
}

// Replaces the nameless path in a loader message by the file that the user knows.
std::string named_error(std::string message, const std::string& nameless,
                        const std::filesystem::path& file) {
  if (message.starts_with(nameless)) message.erase(0, nameless.size());
  while (!message.empty() && (message.front() == ':' || message.front() == ' ')) {
    message.erase(0, 1);
  }
  return fmt::format("{}: {}", file.string(), message);
}

struct Segments {
  std::uintptr_t base = 0;
  std::string name;  // as in the loader's list
  bool found = false;
  std::uintptr_t end = 0;
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> writable;
};

std::uintptr_t page_floor(std::uintptr_t address) {
  return address & ~(std::uintptr_t(sysconf(_SC_PAGESIZE)) - 1);
}

// Removes [low, high) from every range.
void subtract(std::vector<std::pair<std::uintptr_t, std::uintptr_t>>& ranges, std::uintptr_t low,
              std::uintptr_t high) {
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> rest;
  for (const auto& [begin, end] : ranges) {
    if (begin < std::min(end, low)) rest.emplace_back(begin, std::min(end, low));
    if (std::max(begin, high) < end) rest.emplace_back(std::max(begin, high), end);
  }
  ranges = std::move(rest);
}

int read_segments(dl_phdr_info* info, std::size_t, void* data) {
  auto& segments = *static_cast<Segments*>(data);
  if (info->dlpi_addr != segments.base || segments.name != info->dlpi_name) return 0;
  segments.found = true;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const Elf64_Phdr& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    segments.end = std::max(segments.end, begin + header.p_memsz);
    if ((header.p_flags & PF_W) != 0) segments.writable.emplace_back(begin, begin + header.p_memsz);
  }
  // Relocated data is read-only by now; the loader protects whole pages, rounding inwards at the
  // end.
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const Elf64_Phdr& header = info->dlpi_phdr[i];
    if (header.p_type != PT_GNU_RELRO) continue;
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    subtract(segments.writable, page_floor(begin), page_floor(begin + header.p_memsz));
  }
  return 1;
}

}  // namespace

std::unique_ptr<ModuleCopy> ModuleCopy::load(const std::filesystem::path& file,
                                             std::string& error) {
  static const bool raised = (raise_descriptor_limit(), true);
  (void)raised;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    error = fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno));
    return nullptr;
  }
  std::error_code unknown_size;
  const std::uintmax_t bytes = std::filesystem::file_size(file, unknown_size);
  std::vector<char> image(unknown_size ? 0 : bytes);
  const bool complete = !unknown_size && stream.read(image.data(), std::ssize(image));
  if (!complete || !keep_loadable_part(image)) {
    error = fmt::format("{}: is not a complete 64-bit ELF shared object", file.string());
    return nullptr;
  }
  const int descriptor = memfd_create(file.filename().c_str(), MFD_CLOEXEC);
  if (descriptor < 0 || !write_all(descriptor, image)) {
    error = fmt::format("{}: no memory file for a private copy: {}", file.string(),
                        std::strerror(errno));
    if (descriptor >= 0) close(descriptor);
    return nullptr;
  }
  const std::string path = fmt::format("/proc/self/fd/{}", descriptor);
  std::unique_ptr<ModuleCopy> copy(new ModuleCopy());
  {
    const static_destructors::DropAll drop;
    copy->handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (copy->handle_ == nullptr) {
    const char* message = dlerror();
    error = named_error(message != nullptr ? message : "cannot be loaded", path, file);
    close(descriptor);  // nothing was loaded under this name
    return nullptr;
  }
  std::string reason;
  if (!copy->locate(reason)) {
    error = fmt::format("{}: {}", file.string(), reason);
    return nullptr;
  }
  return copy;
}

bool ModuleCopy::locate(std::string& error) {
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0 || map == nullptr) {
    error = "its place in memory is unknown to the dynamic loader";
    return false;
  }
  Segments segments;
  segments.base = map->l_addr;
  segments.name = map->l_name;
  dl_iterate_phdr(read_segments, &segments);
  if (!segments.found) {
    error = "its segments are unknown to the dynamic loader";
    return false;
  }
  base_ = segments.base;
  size_ = segments.end - segments.base;
  static_destructors::drop_from(base_, size_);
  for (const auto& [begin, end] : segments.writable) {
    auto* address = reinterpret_cast<std::byte*>(begin);
    writable_.push_back({address, std::vector<std::byte>(address, address + (end - begin))});
  }
  return true;
}

void* ModuleCopy::symbol(const char* name) const { return dlsym(handle_, name); }

void ModuleCopy::restore() {
  for (const Region& region : writable_) {
    // Comparing first keeps untouched pages clean.
    if (std::memcmp(region.address, region.initial.data(), region.initial.size()) != 0) {
      std::memcpy(region.address, region.initial.data(), region.initial.size());
    }
  }
}

}  // namespace rankle
