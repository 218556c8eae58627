// See coverage.h.
#include "campaign/coverage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "generators/names.h"

namespace rankle {
namespace {

constexpr int kCoverageSchema = 1;

// Bits of a cell's number for each field: 62 in all.
constexpr std::array<unsigned, kCellFields> kBits = {16, 16, 5, 5, 5, 5, 5, 5};

constexpr std::size_t at(CellField field) { return static_cast<std::size_t>(field); }

template <class T>
std::vector<T> allowed(const std::vector<T>& by_contract, const std::vector<T>& by_draw) {
  if (by_draw.empty()) return by_contract;
  std::vector<T> both;
  std::copy_if(by_contract.begin(), by_contract.end(), std::back_inserter(both), [&](const T& one) {
    return std::find(by_draw.begin(), by_draw.end(), one) != by_draw.end();
  });
  return both;
}

std::vector<std::string> patterns(const Contract& contract, const Draw& draw) {
  std::vector<std::string> names = {"one call", "rounds"};
  if (draw.programs == Programs::none) return names;
  names.insert(names.end(), {"graph", "streams", "branches", "buffers"});
  if (contract.communicator) names.emplace_back("communicators");
  return names;
}

std::optional<Cell> cell_from(const nlohmann::json& entry) {
  if (!entry.is_object() || !entry.contains("hits") || !entry["hits"].is_number_unsigned()) {
    return std::nullopt;
  }
  Cell cell;
  for (std::size_t field = 0; field < kCellFields; ++field) {
    const auto it = entry.find(std::string(name_of(CellField(field))));
    if (it == entry.end()) return std::nullopt;
    if (it->is_string()) cell[field] = it->get<std::string>();
    if (it->is_number_integer()) cell[field] = std::to_string(it->get<std::int64_t>());
    if (cell[field].empty()) return std::nullopt;
  }
  return cell;
}

// The values that never came, or came only without a value of another field.
class Gaps {
 public:
  Gaps(std::string target, std::size_t lines_max, std::vector<std::string>& lines)
      : target_(std::move(target)), lines_max_(lines_max), lines_(lines) {}

  void add(const Cell& cell) {
    for (std::size_t a = 1; a < kCellFields; ++a) {
      seen_.insert({a, cell[a], 0, ""});
      for (std::size_t b = a + 1; b < kCellFields; ++b) seen_.insert({a, cell[a], b, cell[b]});
    }
  }

  // Values that never came.
  template <class Axes>
  void say_values(const Axes& axes) {
    for (std::size_t a = 1; a < kCellFields; ++a) {
      std::vector<std::string> never;
      for (const std::string& value : axes[a]) {
        if (!seen_.contains({a, value, 0, ""})) never.push_back(value);
      }
      if (!never.empty()) {
        say(fmt::format("never {} {}", name_of(CellField(a)), fmt::join(never, ", ")));
      }
    }
  }

  // Pairs of values that came, but never together.
  template <class Axes>
  void say_pairs(const Axes& axes) {
    for (std::size_t a = 1; a < kCellFields; ++a) {
      for (const std::string& value : axes[a]) {
        if (!seen_.contains({a, value, 0, ""})) continue;
        for (std::size_t b = a + 1; b < kCellFields; ++b) say_pairs_of(a, value, b, axes[b]);
      }
    }
  }

 private:
  using Pair = std::tuple<std::size_t, std::string, std::size_t, std::string>;

  void say_pairs_of(std::size_t a, const std::string& value, std::size_t b,
                    const std::vector<std::string>& others) {
    std::vector<std::string> never;
    for (const std::string& other : others) {
      const bool came = seen_.contains({b, other, 0, ""});
      if (came && !seen_.contains({a, value, b, other})) never.push_back(other);
    }
    if (never.empty()) return;
    say(fmt::format("{} {} never with {} {}", name_of(CellField(a)), value, name_of(CellField(b)),
                    fmt::join(never, ", ")));
  }

  void say(const std::string& text) {
    if (lines_.size() < lines_max_) lines_.push_back(fmt::format("{}: {}", target_, text));
  }

  std::string target_;
  std::size_t lines_max_;
  std::vector<std::string>& lines_;
  std::set<Pair> seen_;  // with second field 0: a single value
};

}  // namespace

Coverage::Coverage(const std::vector<Contract>& contracts, const Draw& draw) {
  for (const Contract& contract : contracts) {
    Axes& axes = axes_[contract.target];
    axes[at(CellField::target)] = {contract.target};
    for (const DType dtype : allowed(contract.dtypes, draw.dtypes)) {
      axes[at(CellField::dtype)].emplace_back(name_of(dtype));
    }
    for (const int world : allowed(contract.worlds, draw.worlds)) {
      axes[at(CellField::world)].push_back(std::to_string(world));
    }
    axes[at(CellField::tail)] = {"complete tiles", "partial tile", "tail of one pack",
                                 "unequal parts"};
    axes[at(CellField::alignment)] = {"aligned", "one offset", "offsets differ"};
    axes[at(CellField::pattern)] = patterns(contract, draw);
    for (const Policy policy : all_policies()) {
      const bool drawn =
          draw.policies.empty() ||
          std::find(draw.policies.begin(), draw.policies.end(), policy) != draw.policies.end();
      if (drawn) axes[at(CellField::policy)].emplace_back(name_of(policy));
    }
  }
}

std::size_t Coverage::add(const std::vector<Cell>& cells, std::uint64_t hits) {
  const std::lock_guard lock(mutex_);
  std::size_t fresh = 0;
  for (const Cell& cell : cells) {
    // Of a target that was not selected (an old coverage.json): not counted.
    if (!axes_.contains(cell[at(CellField::target)])) continue;
    learn_variant(cell[at(CellField::target)], cell[at(CellField::variant)]);
    std::uint64_t& count = hits_[key_of(cell)];
    if (count == 0) {
      ++fresh;
      ++hit_of_[cell[at(CellField::target)]];
    }
    count += hits;
  }
  return fresh;
}

void Coverage::learn_variant(const std::string& target, const std::string& variant) {
  std::vector<std::string>& known = axes_[target][at(CellField::variant)];
  if (std::find(known.begin(), known.end(), variant) == known.end()) known.push_back(variant);
}

std::uint64_t Coverage::key_of(const Cell& cell) {
  std::uint64_t key = 0;
  for (std::size_t field = 0; field < kCellFields; ++field) {
    const auto [it, is_new] = numbers_[field].try_emplace(cell[field], values_[field].size());
    if (is_new) values_[field].push_back(cell[field]);
    if (it->second >> kBits[field] != 0) throw std::length_error("coverage: too many values");
    key = key << kBits[field] | it->second;
  }
  return key;
}

Cell Coverage::cell_of(std::uint64_t key) const {
  Cell cell;
  for (std::size_t field = kCellFields; field-- > 0;) {
    cell[field] = values_[field][key & ((std::uint64_t{1} << kBits[field]) - 1)];
    key >>= kBits[field];
  }
  return cell;
}

std::vector<std::pair<Cell, std::uint64_t>> Coverage::cells() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<Cell, std::uint64_t>> all;
  all.reserve(hits_.size());
  for (const auto& [key, hits] : hits_) all.emplace_back(cell_of(key), hits);
  std::sort(all.begin(), all.end());
  return all;
}

std::size_t Coverage::hit() const {
  const std::lock_guard lock(mutex_);
  return hits_.size();
}

std::size_t Coverage::space() const {
  const std::lock_guard lock(mutex_);
  std::size_t total = 0;
  for (const auto& [target, axes] : axes_) total += space_of(axes);
  return total;
}

std::size_t Coverage::space_of(const Axes& axes) {
  std::size_t cells = 1;
  for (std::size_t field = 1; field < kCellFields; ++field) {
    const std::size_t values = axes[field].size();
    cells *= field == at(CellField::variant) ? std::max<std::size_t>(values, 1) : values;
  }
  return cells;
}

std::size_t Coverage::hit_of(const std::string& target) const {
  const std::lock_guard lock(mutex_);
  const auto it = hit_of_.find(target);
  return it == hit_of_.end() ? 0 : it->second;
}

std::size_t Coverage::space_of(const std::string& target) const {
  const std::lock_guard lock(mutex_);
  const auto it = axes_.find(target);
  return it == axes_.end() ? 0 : space_of(it->second);
}

double Coverage::share() const {
  const std::size_t all = space();
  return all == 0 ? 0 : static_cast<double>(hit()) / static_cast<double>(all);
}

std::vector<std::string> Coverage::never_hit(std::size_t lines_max) const {
  const std::size_t all = space();
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  std::map<std::string, Gaps> gaps;
  for (const auto& [key, hits] : hits_) {
    const Cell cell = cell_of(key);
    gaps.try_emplace(cell.front(), cell.front(), lines_max, lines).first->second.add(cell);
  }
  for (const auto& [target, axes] : axes_) {
    if (!gaps.contains(target) && lines.size() < lines_max) {
      lines.push_back(target + ": never run to its end");
    }
  }
  for (auto& [target, gap] : gaps) gap.say_values(axes_.at(target));
  for (auto& [target, gap] : gaps) gap.say_pairs(axes_.at(target));
  lines.push_back(fmt::format("{} of {} cells never hit", all - std::min(all, hits_.size()), all));
  return lines;
}

std::string to_text(const Coverage& coverage) {
  nlohmann::ordered_json cells = nlohmann::ordered_json::array();
  for (const auto& [cell, hits] : coverage.cells()) {
    nlohmann::ordered_json entry;
    for (std::size_t field = 0; field < kCellFields; ++field) {
      entry[std::string(name_of(CellField(field)))] = cell[field];
    }
    entry["world"] = std::stoi(cell[at(CellField::world)]);
    entry["hits"] = hits;
    cells.push_back(std::move(entry));
  }
  const nlohmann::ordered_json all = {
      {"schema", kCoverageSchema}, {"space", coverage.space()}, {"cells", std::move(cells)}};
  return all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void add_from_text(Coverage& coverage, std::string_view text) {
  const nlohmann::json all = nlohmann::json::parse(text);
  if (!all.is_object() || !all.contains("cells") || !all["cells"].is_array()) return;
  for (const nlohmann::json& entry : all["cells"]) {
    if (const std::optional<Cell> cell = cell_from(entry)) {
      coverage.add({*cell}, entry["hits"].get<std::uint64_t>());
    }
  }
}

}  // namespace rankle
