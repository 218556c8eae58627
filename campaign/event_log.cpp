// See event_log.h.
#include "campaign/event_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace rankle {

EventLog::EventLog(CampaignLayout layout, double seconds_before, Limits limits)
    : layout_(std::move(layout)), seconds_before_(seconds_before), limits_(limits) {
  open();
}

EventLog::~EventLog() {
  if (descriptor_ >= 0) close(descriptor_);
}

void EventLog::add(std::string_view name, const EventFields& fields) {
  EventFields line = {{"event", name}, {"t", seconds()}};
  if (fields.is_object()) line.update(fields);
  // Findings may quote bytes of a target that are no UTF-8.
  const std::string text = line.dump(-1, ' ', false, EventFields::error_handler_t::replace) + "\n";
  const std::lock_guard lock(mutex_);
  if (bytes_ > 0 && bytes_ + text.size() > limits_.file_bytes_max) rotate();
  if (descriptor_ < 0 && !open()) return;
  const ssize_t written = write(descriptor_, text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) {
    bytes_ += text.size();
    return;
  }
  if (written >= 0) errno = ENOSPC;
  fail("write");
  // Half a line would spoil the next one too.
  if (written > 0 && ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0) bytes_ += written;
}

double EventLog::seconds() const {
  return seconds_before_ +
         std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

std::string EventLog::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

bool EventLog::open() {
  descriptor_ = ::open(layout_.events().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  struct stat status = {};
  if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) {
    fail("open");
    return false;
  }
  bytes_ = static_cast<std::uint64_t>(status.st_size);
  return true;
}

// events.jsonl becomes events.1.jsonl, that becomes events.2.jsonl, and so on; the oldest goes.
void EventLog::rotate() {
  close(descriptor_);
  descriptor_ = -1;
  std::error_code ignored;
  std::filesystem::remove(layout_.old_events(limits_.old_files_max), ignored);
  for (int number = limits_.old_files_max - 1; number >= 1; --number) {
    std::filesystem::rename(layout_.old_events(number), layout_.old_events(number + 1), ignored);
  }
  std::filesystem::rename(layout_.events(), layout_.old_events(1), ignored);
  bytes_ = 0;
}

void EventLog::fail(const char* what) {
  if (error_.empty()) {
    error_ = fmt::format("cannot {} {}: {}", what, layout_.events().string(), std::strerror(errno));
  }
}

}  // namespace rankle
