// The shared memory between a supervisor and one worker: the case that is about to run, the phase
// the worker is in, and what it could still write while it died. The case is written here before it
// runs, so that neither side's kill -9 loses it (after Centipede's write-before-run).
//
// A slot lies in a memfd, which lives as long as either process, or in a file, which outlives both.
// Everything that is read from it may have been scribbled over by a stray write of a kernel under
// test: readers check lengths and characters.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "generators/limits.h"

namespace rankle {

enum class Phase : std::uint32_t { idle, loading, running, checking };

std::string_view name_of(Phase phase);

enum class CrashCause : std::uint32_t {
  none,
  fault,      // SIGSEGV, SIGBUS, SIGILL, SIGFPE or SIGABRT
  cpu_limit,  // the case's limit on CPU time
  deadline,   // the supervisor asked with SIGTERM
  exit        // exit() was called while a case ran
};

// Written by signal handlers, hence of fixed size and without pointers.
struct CrashRecord {
  std::atomic<std::uint32_t> complete;    // 1 when the fields up to `thread` are valid
  std::atomic<std::uint32_t> symbolised;  // 1 when function, file and line are valid too
  CrashCause cause;
  std::int32_t signal;
  std::uint64_t fault_address;
  std::uint64_t pc;
  std::int32_t rank;
  std::int32_t block;
  std::int32_t thread;
  std::int32_t line;
  char function[256];
  char file[256];
};

// A checked copy of a CrashRecord.
struct CrashReport {
  CrashCause cause = CrashCause::none;  // none: the worker wrote nothing
  int signal = 0;
  std::uint64_t fault_address = 0;
  std::uint64_t pc = 0;
  int rank = -1;
  int block = -1;
  int thread = -1;
  std::string function;  // empty if unknown
  std::string file;
  int line = 0;
};

class CaseSlot {
 public:
  // Longest JSON text of a case that fits, in bytes.
  static constexpr std::size_t kCaseBytesMax = kCaseTextBytesMax;

  // A new slot in a memfd, or in `file`, which is created or overwritten. Throws std::system_error.
  static CaseSlot create(const std::filesystem::path& file = {});
  // Maps the slot behind `fd`, which is left open. Throws std::runtime_error if it is none.
  static CaseSlot attach(int fd);
  // Opens a slot file, for instance after both processes are gone.
  static CaseSlot open(const std::filesystem::path& file);

  CaseSlot(CaseSlot&& other) noexcept;
  CaseSlot& operator=(CaseSlot&& other) noexcept;
  ~CaseSlot();

  int fd() const { return fd_; }

  // Writes the next case and clears phase, progress and crash record. Throws std::length_error if
  // the text is longer than kCaseBytesMax.
  void put_case(std::uint64_t number, std::string_view text);
  std::uint64_t case_number() const;
  std::string case_text() const;

  void set_phase(Phase phase) noexcept;
  Phase phase() const noexcept;
  // Any number that grows while the case gets on.
  void set_progress(std::uint64_t progress) noexcept;
  std::uint64_t progress() const noexcept;

  // For signal handlers of the worker; read it through crash_report().
  CrashRecord& crash_record() noexcept;
  CrashReport crash_report() const;
  void clear_crash() noexcept;

 private:
  struct Layout;
  CaseSlot(Layout* layout, int fd) : layout_(layout), fd_(fd) {}
  static CaseSlot map(int fd, bool initialise);

  Layout* layout_ = nullptr;
  int fd_ = -1;  // owned
};

// The slot of this process, for code that runs cases and need not know whether it is supervised:
// without one the calls do nothing. The slot must outlive its use.
void set_active_slot(CaseSlot* slot) noexcept;
CaseSlot* active_slot() noexcept;
void enter_phase(Phase phase) noexcept;
void note_progress(std::uint64_t progress) noexcept;

}  // namespace rankle
