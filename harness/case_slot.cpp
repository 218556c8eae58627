// The layout of a case slot and its mapping. Plain atomics and fixed arrays only: both sides are
// the same build or refuse each other by the magic word, and a signal handler writes here.
#include "harness/case_slot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace rankle {

struct CaseSlot::Layout {
  std::uint64_t magic;
  std::uint64_t bytes;
  std::atomic<std::uint32_t> phase;
  std::atomic<std::uint32_t> case_bytes;
  std::atomic<std::uint64_t> case_number;
  std::atomic<std::uint64_t> progress;
  CrashRecord crash;
  char text[kCaseBytesMax];
};

namespace {

constexpr std::uint64_t kMagic = 0x31544f4c534b4e52;  // "RNKSLOT1"

std::atomic<CaseSlot*> g_active{nullptr};

// Copies a string that may lack its end or hold anything at all.
template <std::size_t N>
std::string printable(const char (&text)[N]) {
  std::string copy(text, strnlen(text, N));
  std::replace_if(
      copy.begin(), copy.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return copy;
}

}  // namespace

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::idle:
      return "idle";
    case Phase::loading:
      return "loading";
    case Phase::running:
      return "running";
    case Phase::checking:
      return "checking";
  }
  return "unknown";
}

CaseSlot CaseSlot::map(int fd, bool initialise) {
  void* memory = mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    const int error = errno;
    close(fd);
    throw std::system_error(error, std::generic_category(), "cannot map the case slot");
  }
  CaseSlot slot(static_cast<Layout*>(memory), fd);
  if (initialise) {
    slot.layout_->magic = kMagic;
    slot.layout_->bytes = sizeof(Layout);
  } else if (slot.layout_->magic != kMagic || slot.layout_->bytes != sizeof(Layout)) {
    throw std::runtime_error("the shared memory is no case slot of this version of Rankle");
  }
  return slot;
}

CaseSlot CaseSlot::create(const std::filesystem::path& file) {
  const int fd = file.empty() ? memfd_create("rankle-case-slot", MFD_CLOEXEC)
                              : ::open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) {
    throw std::system_error(errno, std::generic_category(),
                            fmt::format("cannot create the case slot {}", file.string()));
  }
  // Allocated now: on a full disk a mapping without blocks would kill us with SIGBUS later.
  const int error = file.empty() ? (ftruncate(fd, sizeof(Layout)) == 0 ? 0 : errno)
                                 : posix_fallocate(fd, 0, sizeof(Layout));
  if (error != 0) {
    close(fd);
    throw std::system_error(error, std::generic_category(), "cannot size the case slot");
  }
  return map(fd, true);
}

CaseSlot CaseSlot::attach(int fd) {
  struct stat status = {};
  if (fstat(fd, &status) != 0 || status.st_size < static_cast<off_t>(sizeof(Layout))) {
    throw std::runtime_error(fmt::format("file descriptor {} is no case slot", fd));
  }
  const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) {
    throw std::system_error(errno, std::generic_category(), "cannot attach the case slot");
  }
  return map(copy, false);
}

CaseSlot CaseSlot::open(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    throw std::system_error(errno, std::generic_category(),
                            fmt::format("cannot open the case slot {}", file.string()));
  }
  try {
    CaseSlot slot = attach(fd);
    close(fd);
    return slot;
  } catch (...) {
    close(fd);
    throw;
  }
}

CaseSlot::CaseSlot(CaseSlot&& other) noexcept
    : layout_(std::exchange(other.layout_, nullptr)), fd_(std::exchange(other.fd_, -1)) {}

CaseSlot& CaseSlot::operator=(CaseSlot&& other) noexcept {
  std::swap(layout_, other.layout_);
  std::swap(fd_, other.fd_);
  return *this;
}

CaseSlot::~CaseSlot() {
  if (layout_ != nullptr) {
    munmap(layout_, sizeof(Layout));
    close(fd_);
  }
}

void CaseSlot::put_case(std::uint64_t number, std::string_view text) {
  if (text.size() > kCaseBytesMax) {
    throw std::length_error(fmt::format("case: its JSON text has {} bytes; at most {} are allowed",
                                        text.size(), kCaseBytesMax));
  }
  layout_->case_bytes = 0;  // a reader in between sees no case rather than half of one
  clear_crash();
  layout_->phase = static_cast<std::uint32_t>(Phase::idle);
  layout_->progress = 0;
  layout_->case_number = number;
  std::memcpy(layout_->text, text.data(), text.size());
  layout_->case_bytes = static_cast<std::uint32_t>(text.size());
}

std::uint64_t CaseSlot::case_number() const { return layout_->case_number; }

std::string CaseSlot::case_text() const {
  const std::size_t bytes = std::min<std::size_t>(layout_->case_bytes, kCaseBytesMax);
  return std::string(layout_->text, bytes);
}

void CaseSlot::set_phase(Phase phase) noexcept {
  layout_->phase = static_cast<std::uint32_t>(phase);
}

Phase CaseSlot::phase() const noexcept { return static_cast<Phase>(layout_->phase.load()); }

void CaseSlot::set_progress(std::uint64_t progress) noexcept { layout_->progress = progress; }

std::uint64_t CaseSlot::progress() const noexcept { return layout_->progress; }

CrashRecord& CaseSlot::crash_record() noexcept { return layout_->crash; }

void CaseSlot::clear_crash() noexcept {
  CrashRecord& record = layout_->crash;
  record.complete = 0;
  record.symbolised = 0;
  record.cause = CrashCause::none;
}

CrashReport CaseSlot::crash_report() const {
  const CrashRecord& record = layout_->crash;
  CrashReport report;
  if (record.complete != 1 || record.cause > CrashCause::exit) {
    return report;
  }
  report.cause = record.cause;
  report.signal = record.signal;
  report.fault_address = record.fault_address;
  report.pc = record.pc;
  report.rank = record.rank;
  report.block = record.block;
  report.thread = record.thread;
  if (record.symbolised == 1) {
    report.function = printable(record.function);
    report.file = printable(record.file);
    report.line = record.line;
  }
  return report;
}

void set_active_slot(CaseSlot* slot) noexcept { g_active = slot; }

CaseSlot* active_slot() noexcept { return g_active; }

void enter_phase(Phase phase) noexcept {
  if (CaseSlot* slot = g_active) {
    slot->set_phase(phase);
  }
}

void note_progress(std::uint64_t progress) noexcept {
  if (CaseSlot* slot = g_active) {
    slot->set_progress(progress);
  }
}

}  // namespace rankle
