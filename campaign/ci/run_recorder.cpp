// See run_recorder.h.
#include "campaign/ci/run_recorder.h"

#include <fmt/format.h>

#include "generators/case_json.h"
#include "repro/explain.h"

namespace rankle {
namespace {

RunTest waiting_test(const char* suite, const std::string& name, const char* why) {
  RunTest test;
  test.suite = suite;
  test.name = name;
  test.state = RunTest::State::skipped;
  test.message = why;
  return test;
}

void add_run(const Verdict& verdict, RunTest& test) {
  ++test.cases;
  test.seconds += verdict.stats.seconds;
  if (test.state != RunTest::State::skipped) return;
  test.state = RunTest::State::passed;
  test.message.clear();
}

}  // namespace

RunRecorder::RunRecorder(FuzzListener& next, RunRecord& record,
                         const std::vector<CorpusCase>& corpus,
                         const std::vector<Contract>& contracts)
    : next_(next), record_(record) {
  for (const CorpusCase& one : corpus) {
    waiting_[case_to_text(one.c)] = corpus_.size();
    corpus_.push_back(
        waiting_test("rankle.corpus", one.name, "the time was up before it could run"));
  }
  for (const Contract& contract : contracts) {
    targets_[contract.target] =
        waiting_test("rankle.fuzz", contract.target, "no case of it was drawn in the time");
  }
}

void RunRecorder::case_done(const Case& c, const Verdict& verdict, const FuzzProgress& progress) {
  next_.case_done(c, verdict, progress);
  const auto waiting = waiting_.empty() ? waiting_.end() : waiting_.find(case_to_text(c));
  if (waiting == waiting_.end()) {
    const auto target = targets_.find(c.target);
    if (target != targets_.end()) add_run(verdict, target->second);
    return;
  }
  RunTest& test = corpus_[waiting->second];
  waiting_.erase(waiting);
  add_run(verdict, test);
  if (verdict.findings.empty()) return;
  test.state = RunTest::State::failed;
  test.kind = name_of(verdict.findings.front().kind);
  test.message = sentence_of(verdict.findings.front());
}

void RunRecorder::minimising(const Repro& so_far, const FuzzProgress& progress) {
  next_.minimising(so_far, progress);
}

void RunRecorder::found(const Found& found) {
  next_.found(found);
  record_.findings.push_back({found.repro, found.file.string()});
  // One of the corpus has failed its own test already.
  const auto target = targets_.find(found.repro.failing.target);
  if (found.from_corpus || target == targets_.end()) return;
  RunTest& test = target->second;
  if (test.state != RunTest::State::failed) {
    test.kind = name_of(found.repro.finding.kind);
    test.message = sentence_of(found.repro.finding);
  }
  test.state = RunTest::State::failed;
  test.text += (test.text.empty() ? "" : "\n") + text_of(record_.findings.back());
}

void RunRecorder::warned(const Case& c, const Finding& warning) {
  next_.warned(c, warning);
  record_.warnings.push_back({c.target, warning});
}

void RunRecorder::tick(const FuzzProgress& progress) { next_.tick(progress); }

void RunRecorder::finish() {
  for (const RunTest& test : corpus_) record_.tests.push_back(test);
  for (const auto& [name, test] : targets_) record_.tests.push_back(test);
}

}  // namespace rankle
