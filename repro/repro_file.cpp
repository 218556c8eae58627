// See repro_file.h.
#include "repro/repro_file.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "generators/case_json.h"
#include "generators/json_reader.h"
#include "generators/limits.h"
#include "repro/atomic_file.h"

namespace rankle {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kTextMax = 16'384;
constexpr std::size_t kDetailsMax = 4'096;
constexpr std::size_t kSitesMax = 4'096;
constexpr std::size_t kFindingsMax = 1'024;
constexpr int kLineMax = 10'000'000;
constexpr int kActorMax = 1 << 30;

template <class T, class Write>
ordered_json list_of(const std::vector<T>& items, Write write) {
  ordered_json list = ordered_json::array();
  for (const T& item : items) list.push_back(write(item));
  return list;
}

// A target can make a message of any length; the file must stay one that the reader takes. A byte
// that is no UTF-8 grows to three when it is replaced.
std::string clipped(const std::string& text) { return text.substr(0, kTextMax / 3); }

ordered_json write_finding(const Finding& finding) {
  std::vector<std::string> details = finding.details;
  if (details.size() > kDetailsMax) details.resize(kDetailsMax);
  ordered_json out = {
      {"kind", name_of(finding.kind)},
      {"subkind", finding.subkind},
      {"message", clipped(finding.message)},
      {"details", list_of(details, clipped)},
      {"sites", list_of(finding.sites,
                        [](const Site& s) {
                          return ordered_json{
                              {"function", s.function}, {"file", s.file}, {"line", s.line}};
                        })},
      {"actors", list_of(finding.actors, [](const Actor& a) {
         ordered_json actor{{"rank", a.rank}, {"block", a.block}, {"thread", a.thread}};
         if (a.step >= 0) actor["step"] = a.step;
         return actor;
       })}};
  if (!finding.roles.empty()) out["roles"] = list_of(finding.roles, clipped);
  return out;
}

FindingKind read_kind(JsonCursor cursor) {
  const std::string name = cursor.text(kNameLengthMax);
  const auto kind = finding_kind_from(name);
  if (!kind && !cursor.failed()) {
    std::string allowed;
    for (int i = 0; i <= static_cast<int>(FindingKind::timeout); ++i) {
      allowed += fmt::format("{}{}", i == 0 ? "" : ", ", name_of(static_cast<FindingKind>(i)));
    }
    cursor.refuse("is no kind of finding; allowed: " + allowed);
  }
  return kind.value_or(FindingKind::wrong_result);
}

std::vector<std::string> read_texts(JsonCursor cursor, std::size_t count_max) {
  std::vector<std::string> texts(cursor.array(count_max));
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = cursor.item(i).text(kTextMax);
  return texts;
}

Site read_site(JsonCursor cursor) {
  cursor.keys({"function", "file", "line"});
  Site site;
  site.function = cursor.at("function").text(kTextMax);
  site.file = cursor.at("file").text(kTextMax);
  site.line = cursor.at("line").small_integer(0, kLineMax);
  return site;
}

Actor read_actor(JsonCursor cursor) {
  cursor.keys({"rank", "block", "thread"}, {"step"});
  Actor actor;
  actor.rank = cursor.at("rank").small_integer(-1, kActorMax);
  actor.block = cursor.at("block").small_integer(-1, kActorMax);
  actor.thread = cursor.at("thread").small_integer(-1, kActorMax);
  if (cursor.has("step")) {
    actor.step = cursor.at("step").small_integer(0, static_cast<int>(kProgramStepsMax) - 1);
  }
  return actor;
}

Finding read_finding(JsonCursor cursor) {
  cursor.keys({"kind", "subkind", "message", "details", "sites", "actors"}, {"roles"});
  Finding finding;
  finding.kind = read_kind(cursor.at("kind"));
  finding.subkind = cursor.at("subkind").text(kNameLengthMax);
  finding.message = cursor.at("message").text(kTextMax);
  finding.details = read_texts(cursor.at("details"), kDetailsMax);
  JsonCursor sites = cursor.at("sites");
  for (std::size_t i = 0; i < sites.array(kSitesMax); ++i) {
    finding.sites.push_back(read_site(sites.item(i)));
  }
  if (cursor.has("roles")) {
    JsonCursor roles = cursor.at("roles");
    for (std::size_t i = 0; i < roles.array(kSitesMax); ++i) {
      finding.roles.push_back(roles.item(i).text(kTextMax));
    }
  }
  JsonCursor actors = cursor.at("actors");
  for (std::size_t i = 0; i < actors.array(kSitesMax); ++i) {
    finding.actors.push_back(read_actor(actors.item(i)));
  }
  return finding;
}

// The worker asks the target's contract; this keeps absurd counts out of everything before it.
Case read_capped_case(const JsonCursor& cursor) {
  Case c = read_case(cursor);
  if (!cursor.failed() && c.bytes() > kTotalBytesMax / 3) {
    cursor.at("shape").refuse(
        fmt::format("is more elements of {} than are allowed; at most {} "
                    "bytes per rank are",
                    name_of(c.dtype), kTotalBytesMax / 3));
  }
  return c;
}

std::uint64_t read_hash(JsonCursor cursor) {
  const std::string text = cursor.text(kNameLengthMax);
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  if (text.size() == 18 && text.starts_with("0x")) {
    const auto [stop, error] = std::from_chars(text.data() + 2, end, value, 16);
    if (error == std::errc() && stop == end) return value;
  }
  cursor.refuse("is no hash; allowed: 0x and 16 hexadecimal digits");
  return 0;
}

RunOptions read_options(JsonCursor cursor) {
  cursor.keys({"keep_going", "deadline_s"}, {"relaxed_handoff", "wave_synchronous", "volatile",
                                             "record_switches", "verify_determinism"});
  RunOptions options;
  options.keep_going = cursor.at("keep_going").boolean();
  options.deadline_s = cursor.at("deadline_s").number();
  if (!cursor.failed() && (options.deadline_s <= 0 || options.deadline_s > 86'400)) {
    cursor.at("deadline_s").refuse("is not allowed; more than 0 and at most 86400 is");
  }
  const auto severity = [&cursor](const char* key, Severity& value) {
    if (cursor.has(key)) {
      value = cursor.at(key).name<Severity>(severity_from, all_severities());
    }
  };
  severity("relaxed_handoff", options.relaxed_handoff);
  severity("wave_synchronous", options.wave_synchronous);
  if (cursor.has("volatile")) {
    options.volatile_model =
        cursor.at("volatile").name<VolatileModel>(volatile_model_from, all_volatile_models());
  }
  const auto flag = [&cursor](const char* key, bool& value) {
    if (cursor.has(key)) value = cursor.at(key).boolean();
  };
  flag("record_switches", options.record_switches);
  flag("verify_determinism", options.verify_determinism);
  return options;
}

Selection read_selection(JsonCursor cursor) {
  cursor.keys({"target", "world", "dtype"}, {"programs", "weak_memory"});
  Selection selection;
  selection.target = cursor.at("target").text(kNameLengthMax);
  JsonCursor worlds = cursor.at("world");
  for (std::size_t i = 0; i < worlds.array(kRanksMax); ++i) {
    selection.worlds.push_back(worlds.item(i).small_integer(1, kRanksMax));
  }
  JsonCursor dtypes = cursor.at("dtype");
  for (std::size_t i = 0; i < dtypes.array(kRanksMax); ++i) {
    selection.dtypes.emplace_back(name_of(dtypes.item(i).name<DType>(dtype_from, all_dtypes())));
  }
  if (cursor.has("weak_memory")) selection.weak_memory = cursor.at("weak_memory").boolean();
  if (cursor.has("programs")) {
    selection.programs = cursor.at("programs").name<Programs>(programs_from, all_programs());
  }
  return selection;
}

MinimisedNote read_minimised(JsonCursor cursor) {
  cursor.keys({"attempts", "accepted", "seconds", "end"});
  MinimisedNote note;
  note.attempts = cursor.at("attempts").unsigned_integer();
  note.accepted = cursor.at("accepted").unsigned_integer();
  note.seconds = cursor.at("seconds").number();
  note.end = cursor.at("end").text(kNameLengthMax);
  return note;
}

Certainty read_certainty(JsonCursor cursor) {
  cursor.keys({"step", "runs", "failed_before"});
  Certainty certain;
  certain.step = cursor.at("step").unsigned_integer();
  certain.runs = cursor.at("runs").small_integer(1, kActorMax);
  certain.failed_before = cursor.at("failed_before").small_integer(0, kActorMax);
  return certain;
}

FlakyNote read_flaky(JsonCursor cursor) {
  cursor.keys({"failed", "runs"});
  return {cursor.at("failed").small_integer(0, kActorMax),
          cursor.at("runs").small_integer(1, kActorMax)};
}

// `kind`, `target` and `signature` are there for people and for tools that never look further, so
// they must agree with what they repeat.
void check_repeats(const JsonCursor& root, const Repro& repro) {
  if (root.failed()) return;
  const std::string target = root.at("target").text(kNameLengthMax);
  const std::string kind = root.at("kind").text(kNameLengthMax);
  if (!root.failed() && target != repro.failing.target) {
    root.at("target").refuse(
        fmt::format("is not the case's target; allowed: {}", repro.failing.target));
  }
  if (!root.failed() && kind != name_of(repro.finding.kind)) {
    root.at("kind").refuse(
        fmt::format("is not the finding's kind; allowed: {}", name_of(repro.finding.kind)));
  }
  const std::string signature = signature_of(repro.finding, repro.failing.target);
  if (!root.failed() && repro.signature != signature) {
    root.at("signature")
        .refuse(fmt::format("is not the finding's signature; allowed: {}", signature));
  }
}

Repro read_root(JsonCursor root) {
  if (root.has("schema")) root.at("schema").schema({kReproSchema});
  root.keys(
      {"schema", "rankle", "commit", "platform", "target", "kind", "signature", "finding",
       "further", "case", "options", "trace_hash", "variants", "seed", "case_index", "selection"},
      {"minimised", "original_case", "certain", "flaky"});
  Repro repro;
  repro.rankle = root.at("rankle").text(kNameLengthMax);
  repro.commit = root.at("commit").text(kNameLengthMax);
  repro.platform = root.at("platform").text(kNameLengthMax);
  repro.signature = root.at("signature").text(kTextMax * 4);
  repro.finding = read_finding(root.at("finding"));
  JsonCursor further = root.at("further");
  for (std::size_t i = 0; i < further.array(kFindingsMax); ++i) {
    repro.further.push_back(read_finding(further.item(i)));
  }
  repro.failing = read_capped_case(root.at("case"));
  repro.options = read_options(root.at("options"));
  repro.trace_hash = read_hash(root.at("trace_hash"));
  repro.variants = read_texts(root.at("variants"), kRanksMax);
  repro.seed = root.at("seed").unsigned_integer();
  repro.case_index = root.at("case_index").unsigned_integer();
  repro.selection = read_selection(root.at("selection"));
  if (root.has("minimised")) repro.minimised = read_minimised(root.at("minimised"));
  if (root.has("original_case")) {
    repro.original_case = read_capped_case(root.at("original_case"));
  }
  if (root.has("certain")) repro.certain = read_certainty(root.at("certain"));
  if (root.has("flaky")) repro.flaky = read_flaky(root.at("flaky"));
  check_repeats(root, repro);
  return repro;
}

// FNV-1a: stable between builds and machines, which std::hash is not.
std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

}  // namespace

std::string to_text(const Repro& repro) {
  ordered_json json = {{"schema", kReproSchema},
                       {"rankle", repro.rankle},
                       {"commit", repro.commit},
                       {"platform", repro.platform},
                       {"target", repro.failing.target},
                       {"kind", name_of(repro.finding.kind)},
                       {"signature", repro.signature},
                       {"finding", write_finding(repro.finding)},
                       {"further", list_of(repro.further, write_finding)},
                       {"case", case_to_json(repro.failing)},
                       {"options", ordered_json(nlohmann::json(repro.options))},
                       {"trace_hash", fmt::format("0x{:016x}", repro.trace_hash)},
                       {"variants", repro.variants},
                       {"seed", repro.seed},
                       {"case_index", repro.case_index},
                       {"selection",
                        {{"target", repro.selection.target},
                         {"world", repro.selection.worlds},
                         {"dtype", repro.selection.dtypes}}}};
  if (repro.selection.programs != Programs::mixed) {
    json["selection"]["programs"] = name_of(repro.selection.programs);
  }
  if (repro.selection.weak_memory) json["selection"]["weak_memory"] = true;
  if (repro.minimised) {
    json["minimised"] = {{"attempts", repro.minimised->attempts},
                         {"accepted", repro.minimised->accepted},
                         {"seconds", repro.minimised->seconds},
                         {"end", repro.minimised->end}};
  }
  if (repro.original_case) json["original_case"] = case_to_json(*repro.original_case);
  if (repro.certain) {
    json["certain"] = {{"step", repro.certain->step},
                       {"runs", repro.certain->runs},
                       {"failed_before", repro.certain->failed_before}};
  }
  if (repro.flaky) {
    json["flaky"] = {{"failed", repro.flaky->failed}, {"runs", repro.flaky->runs}};
  }
  // A target's message may hold bytes that are no UTF-8; they must not lose the finding.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Repro repro_from_text(std::string_view text, std::string_view name) {
  std::optional<JsonError> error;
  const nlohmann::json document = parse_json(text, "repro", kReproBytesMax, error);
  Repro repro = read_root(JsonCursor(document, "repro", error));
  if (error) throw ReproError(fmt::format("{}: {}", name, error->message));
  return repro;
}

Repro read_repro(const std::filesystem::path& path) {
  std::string error;
  const auto text = read_small_file(path, kReproBytesMax, error);
  if (!text) throw ReproError(error);
  return repro_from_text(*text, path.string());
}

std::string repro_stem(const Repro& repro) {
  std::string stem = fmt::format("{}-{}", name_of(repro.finding.kind), repro.failing.target);
  for (char& c : stem) {
    const auto byte = static_cast<unsigned char>(c);
    if (!std::isalnum(byte) && c != '_' && c != '-') c = '-';
  }
  // Hostile names cannot make a name that the file system refuses.
  constexpr std::size_t kStemMax = 180;
  return fmt::format("{}-{:08x}", stem.substr(0, kStemMax), hash_of(repro.signature));
}

}  // namespace rankle
