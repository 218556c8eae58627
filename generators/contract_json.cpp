// Writer and reader of a Contract's JSON form; the two list the same keys in the same order.
#include "generators/contract_json.h"

#include <fmt/format.h>

#include "generators/limits.h"
#include "generators/names.h"

namespace rankle {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kListMax = 1024;
constexpr std::size_t kSummaryMax = 4096;
constexpr int kBlocksMax = 1 << 20;
constexpr int kThreadsMax = 1 << 16;

template <class Enum>
ordered_json names_to_json(const std::vector<Enum>& values) {
  ordered_json names = ordered_json::array();
  for (const Enum value : values) names.push_back(name_of(value));
  return names;
}

template <class Enum>
std::vector<Enum> read_names(JsonCursor cursor, std::optional<Enum> (*from)(std::string_view),
                             std::span<const Enum> allowed) {
  std::vector<Enum> values(cursor.array(allowed.size()));
  if (values.empty()) cursor.refuse("is not allowed; at least one entry is needed");
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = cursor.item(i).template name<Enum>(from, allowed);
  }
  return values;
}

void read_sizes(const JsonCursor& cursor, Contract& contract) {
  contract.count_multiple_bytes = cursor.at("count_multiple_bytes").integer(1, kTotalBytesMax);
  contract.alignment_bytes = cursor.at("alignment_bytes").integer(1, kTotalBytesMax);
  contract.bytes_max = cursor.at("bytes_max").integer(0, kTotalBytesMax);
  contract.threads_min = cursor.at("threads_min").small_integer(1, kThreadsMax);
  contract.threads_max = cursor.at("threads_max").small_integer(contract.threads_min, kThreadsMax);
  contract.threads_multiple = cursor.at("threads_multiple").small_integer(1, kThreadsMax);
  contract.blocks_max = cursor.at("blocks_max").small_integer(1, kBlocksMax);
  contract.resident_threads_max = cursor.at("resident_threads_max").integer(1, kThreadsAtOnceMax);
  const int first_multiple = (contract.threads_min + contract.threads_multiple - 1) /
                             contract.threads_multiple * contract.threads_multiple;
  if (first_multiple > contract.threads_max) {
    cursor.at("threads_multiple")
        .refuse(fmt::format("is not allowed; it needs a multiple from {} to {}",
                            contract.threads_min, contract.threads_max));
  }
}

}  // namespace

ordered_json contract_to_json(const Contract& contract) {
  ordered_json out = ordered_json::object();
  out["schema"] = kContractSchema;
  out["target"] = contract.target;
  out["family"] = contract.family;
  out["mutant_class"] = contract.mutant_class;
  out["summary"] = contract.summary;
  out["dtypes"] = names_to_json(contract.dtypes);
  out["accums"] = names_to_json(contract.accums);
  out["worlds"] = contract.worlds;
  out["count_multiple_bytes"] = contract.count_multiple_bytes;
  out["alignment_bytes"] = contract.alignment_bytes;
  out["bytes_max"] = contract.bytes_max;
  out["threads_min"] = contract.threads_min;
  out["threads_max"] = contract.threads_max;
  out["threads_multiple"] = contract.threads_multiple;
  out["blocks_max"] = contract.blocks_max;
  out["resident_threads_max"] = contract.resident_threads_max;
  out["in_place"] = contract.in_place;
  out["communicator"] = contract.communicator;
  out["thresholds_bytes"] = contract.thresholds_bytes;
  out["same_bits_as"] = contract.same_bits_as;
  return out;
}

Contract read_contract(JsonCursor cursor) {
  if (cursor.has("schema")) cursor.at("schema").schema({kContractSchema});
  cursor.keys({"schema",
               "target",
               "family",
               "mutant_class",
               "summary",
               "dtypes",
               "accums",
               "worlds",
               "count_multiple_bytes",
               "alignment_bytes",
               "bytes_max",
               "threads_min",
               "threads_max",
               "threads_multiple",
               "blocks_max",
               "resident_threads_max",
               "in_place",
               "communicator",
               "thresholds_bytes",
               "same_bits_as"});
  Contract contract;
  contract.target = cursor.at("target").text(kNameLengthMax);
  contract.family = cursor.at("family").text(kNameLengthMax);
  contract.mutant_class = cursor.at("mutant_class").text(kNameLengthMax);
  contract.summary = cursor.at("summary").text(kSummaryMax);
  contract.dtypes = read_names<DType>(cursor.at("dtypes"), dtype_from, all_dtypes());
  contract.accums = read_names<Accum>(cursor.at("accums"), accum_from, all_accums());
  JsonCursor worlds = cursor.at("worlds");
  contract.worlds.resize(worlds.array(kRanksMax));
  if (contract.worlds.empty()) worlds.refuse("is not allowed; at least one entry is needed");
  for (std::size_t i = 0; i < contract.worlds.size(); ++i) {
    contract.worlds[i] = worlds.item(i).small_integer(1, kRanksMax);
  }
  read_sizes(cursor, contract);
  contract.in_place = cursor.at("in_place").boolean();
  contract.communicator = cursor.at("communicator").boolean();
  JsonCursor thresholds = cursor.at("thresholds_bytes");
  contract.thresholds_bytes.resize(thresholds.array(kListMax));
  for (std::size_t i = 0; i < contract.thresholds_bytes.size(); ++i) {
    contract.thresholds_bytes[i] = thresholds.item(i).integer(0, kTotalBytesMax);
  }
  contract.same_bits_as = cursor.at("same_bits_as").text(kNameLengthMax);
  return contract;
}

std::optional<Contract> contract_from_json(const json& document, std::optional<JsonError>& error) {
  Contract contract = read_contract(JsonCursor(document, "contract", error));
  if (error) return std::nullopt;
  return contract;
}

}  // namespace rankle
