// A finding as a text that a person can act on: what is wrong in one sentence, who was where with
// the source lines around it, what the data looked like, the case in plain words, how to run it
// again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/verdict.h"
#include "repro/repro_file.h"

namespace rankle {

struct ExplainOptions {
  std::vector<std::filesystem::path>
      source_roots;  // where repository-relative files are looked for
  std::string file;  // the repro file's name, for the replay line; empty: no such line
  int lines_around = 2;
};

std::string explain(const Repro& repro, const ExplainOptions& options);

// One sentence that names the source line: the finding's message, led by the line if the message
// does not name it itself.
std::string sentence_of(const Finding& finding);

// What a kind of finding means, one sentence for somebody who meets it for the first time.
std::string meaning_of(FindingKind kind);

// "thread 64 of block 1 on rank 2"; "" if nothing is known.
std::string name_of(const Actor& actor);

// "rankle replay FILE" and "rankle fuzz --target ... --seed S --only-case N", quoted for a shell.
std::string replay_command(const std::string& file);
std::string fuzz_command(const Repro& repro);

// `text` without control characters, which a file from a stranger could use to write to a terminal.
std::string printable(std::string text);

}  // namespace rankle
