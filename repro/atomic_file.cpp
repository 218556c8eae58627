// See atomic_file.h.
#include "repro/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace rankle {
namespace {

namespace fs = std::filesystem;

constexpr int kNumberMax = 10000;

[[noreturn]] void fail(const fs::path& path, const char* what) {
  throw std::system_error(errno, std::generic_category(),
                          fmt::format("cannot {} {}", what, path.string()));
}

// A file that is removed again unless it was given its final name.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target)
      : name_(fmt::format("{}.tmp-XXXXXX", target.string())) {
    descriptor_ = mkstemp(name_.data());
    if (descriptor_ < 0) fail(target, "create");
    fchmod(descriptor_, 0644);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!kept_) unlink(name_.c_str());
  }

  void write_all(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(name_, "write");
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (fsync(descriptor_) != 0) fail(name_, "sync");
  }

  void rename_to(const fs::path& target) {
    if (rename(name_.c_str(), target.c_str()) != 0) fail(target, "replace");
    kept_ = true;
  }

  // False if `target` exists. The temporary name goes with this object.
  bool link_to(const fs::path& target) const {
    if (link(name_.c_str(), target.c_str()) == 0) return true;
    if (errno != EEXIST) fail(target, "create");
    return false;
  }

 private:
  std::string name_;
  int descriptor_ = -1;
  bool kept_ = false;
};

// Makes the new name itself survive a power cut. Best effort: some file systems refuse it.
void sync_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

void replace_file(const fs::path& path, std::string_view text) {
  TemporaryFile file(path);
  file.write_all(text);
  file.rename_to(path);
  sync_folder(folder_of(path));
}

fs::path create_numbered_file(const fs::path& folder, std::string_view stem,
                              std::string_view text) {
  const fs::path first = folder / fmt::format("{}.json", stem);
  TemporaryFile file(first);
  file.write_all(text);
  for (int number = 1; number <= kNumberMax; ++number) {
    const fs::path path = number == 1 ? first : folder / fmt::format("{}-{}.json", stem, number);
    if (!file.link_to(path)) continue;
    sync_folder(folder);
    return path;
  }
  errno = EEXIST;
  fail(first, "create");
}

std::optional<std::string> read_small_file(const fs::path& path, std::size_t bytes_max,
                                           std::string& error) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    error = fmt::format("cannot read {}: {}", path.string(), std::strerror(errno));
    return std::nullopt;
  }
  struct stat status = {};
  std::string text;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    error = fmt::format("cannot read {}: not a regular file", path.string());
  } else {
    // One byte more than allowed tells a file that is too large, even one that is growing.
    const auto room = [&](std::size_t wanted) { text.resize(std::min(wanted, bytes_max) + 1); };
    room(static_cast<std::size_t>(status.st_size));
    std::size_t filled = 0;
    while (filled <= bytes_max) {
      if (filled == text.size()) room(2 * filled);
      const ssize_t got = read(descriptor, text.data() + filled, text.size() - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) error = fmt::format("cannot read {}: {}", path.string(), std::strerror(errno));
      if (got <= 0) break;
      filled += static_cast<std::size_t>(got);
    }
    text.resize(filled);
    if (filled > bytes_max) {
      error =
          fmt::format("{} is larger than the {} bytes that are allowed", path.string(), bytes_max);
    }
  }
  close(descriptor);
  if (!error.empty()) return std::nullopt;
  return text;
}

}  // namespace rankle
