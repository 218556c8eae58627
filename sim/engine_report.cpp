// Turning what a detector saw into a Report: program counters become source lines, repeats are
// dropped, and the run stops unless it was asked to go on.
#include <algorithm>

#include "sim/engine.h"
#include "sim/symbols.h"

namespace rankle::sim {
namespace {

bool same_place(const Report& a, const Report& b) {
  if (a.kind != b.kind || a.sites.size() != b.sites.size()) return false;
  if (a.sites.empty()) return a.message == b.message;
  for (std::size_t i = 0; i < a.sites.size(); ++i) {
    if (a.sites[i].file != b.sites[i].file || a.sites[i].line != b.sites[i].line) return false;
  }
  return true;
}

}  // namespace

void Engine::report(ReportKind kind, std::string message, const std::vector<SiteRef>& sites,
                    std::vector<std::string> details) {
  Telling telling;
  telling.kind = kind;
  telling.message = std::move(message);
  telling.details = std::move(details);
  report(std::move(telling), sites);
}

void Engine::report(Telling telling, const std::vector<SiteRef>& sites) {
  if (stopped_ || telling.severity == Severity::off) return;
  on_main_stack([&] {
    Report r;
    r.kind = telling.kind;
    r.is_warning = telling.severity == Severity::warning;
    r.message = std::move(telling.message);
    r.details = std::move(telling.details);
    r.roles = std::move(telling.roles);
    for (const SiteRef& site : sites) {
      const std::vector<SourceLine> chain = symbols().chain_of(site.pc);
      r.sites.push_back(innermost_telling(chain));
      r.threads.push_back(site.who);
      if (!r.inlined.empty()) continue;
      for (const SourceLine& line : chain) {
        r.inlined.push_back(line.function + " " + line.file + ":" + std::to_string(line.line));
      }
    }
    const auto same = [&r](const Report& other) { return same_place(r, other); };
    if (std::none_of(result_.reports.begin(), result_.reports.end(), same)) {
      result_.reports.push_back(std::move(r));
    }
  });
  if (config_.keep_going || telling.severity == Severity::warning) return;
  stopped_ = true;
  if (g_hot.thread != nullptr) yield();  // never comes back: the loop has ended
}

}  // namespace rankle::sim
