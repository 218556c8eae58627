// See target_scan.h. The child writes one line of JSON for each file.
#include "harness/runner/target_scan.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "generators/contract_json.h"

namespace rankle {
namespace {

[[noreturn]] void write_scans(
    int pipe_end, const std::vector<std::filesystem::path>& files,
    const std::function<ScannedTarget(const std::filesystem::path&)>& read) {
  std::FILE* out = fdopen(pipe_end, "w");
  for (const std::filesystem::path& file : files) {
    const ScannedTarget scanned = read(file);
    nlohmann::json line = {{"error", scanned.error}};
    if (scanned.contract) line["contract"] = contract_to_json(*scanned.contract);
    fmt::print(out, "{}\n", line.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
    std::fflush(out);
  }
  _exit(0);
}

ScannedTarget scanned_of(const std::string& line) {
  ScannedTarget scanned;
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (json.is_discarded() || !json.is_object()) {
    scanned.error = "its contract cannot be read";
    return scanned;
  }
  scanned.error = json.value("error", "");
  if (!json.contains("contract")) return scanned;
  std::optional<JsonError> error;
  scanned.contract = contract_from_json(json["contract"], error);
  if (error) scanned.error = error->message;
  return scanned;
}

std::string read_all(int pipe_end) {
  std::string text;
  char buffer[65536];
  while (true) {
    const ssize_t n = ::read(pipe_end, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, std::size_t(n));
  }
}

}  // namespace

std::vector<ScannedTarget> scan_targets(
    const std::vector<std::filesystem::path>& files,
    const std::function<ScannedTarget(const std::filesystem::path&)>& read) {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    close(ends[0]);
    write_scans(ends[1], files, read);
  }
  close(ends[1]);
  const std::string text = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }

  std::vector<ScannedTarget> all;
  for (std::size_t begin = 0; all.size() < files.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) {
      all.push_back(
          {std::nullopt, fmt::format("{}: loading it ended the process that asked for its "
                                     "contract",
                                     files[all.size()].string())});
      break;
    }
    all.push_back(scanned_of(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  while (all.size() < files.size()) {
    all.push_back({std::nullopt, fmt::format("{}: not looked at, because of the file before it",
                                             files[all.size()].string())});
  }
  return all;
}

}  // namespace rankle
