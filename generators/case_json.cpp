// Writer and reader of a Case's JSON form; the two list the same keys in the same order.
#include "generators/case_json.h"

#include <limits>

#include "generators/limits.h"
#include "generators/names.h"
#include "generators/step_json.h"

namespace rankle {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr int kIntMax = std::numeric_limits<int>::max();

ordered_json schedule_to_json(const Schedule& schedule) {
  ordered_json out = ordered_json::object();
  out["policy"] = name_of(schedule.policy);
  out["seed"] = schedule.seed;
  if (schedule.depth != 0) out["depth"] = schedule.depth;
  if (schedule.horizon != 0) out["horizon"] = schedule.horizon;
  out["granularity"] = name_of(schedule.granularity);
  out["barrier_model"] = name_of(schedule.barrier_model);
  if (schedule.weak_memory != 0) out["weak_memory"] = schedule.weak_memory;
  if (!schedule.switches.empty()) {
    ordered_json switches = ordered_json::array();
    for (const Switch& change : schedule.switches) {
      ordered_json& entry = switches.emplace_back(ordered_json::object());
      entry["step"] = change.step;
      entry["entity"] = change.entity;
    }
    out["switches"] = std::move(switches);
  }
  return out;
}

ordered_json perturbation_to_json(const Perturbation& perturbation) {
  ordered_json out = ordered_json::object();
  const auto put = [&](const char* key, auto value) {
    if (value != 0) out[key] = value;
  };
  put("seed", perturbation.seed);
  put("host_delay_max", perturbation.host_delay_max);
  put("device_delay_max", perturbation.device_delay_max);
  put("traffic_blocks", perturbation.traffic_blocks);
  put("occupier_blocks", perturbation.occupier_blocks);
  if (perturbation.warm_graphs) out["warm_graphs"] = true;
  return out;
}

// Lists of elements and offsets; the contract bounds the values further.
std::vector<std::int64_t> read_integers(JsonCursor cursor, std::size_t size_max) {
  std::vector<std::int64_t> values(cursor.array(size_max));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = cursor.item(i).integer(0, kInt64Max);
  }
  return values;
}

Geometry read_geometry(JsonCursor cursor) {
  cursor.keys({"blocks", "threads", "wave"}, {"resident_blocks"});
  Geometry geometry;
  geometry.blocks = cursor.at("blocks").small_integer(0, kIntMax);
  geometry.threads = cursor.at("threads").small_integer(1, kIntMax);
  geometry.wave = cursor.at("wave").small_integer(1, kIntMax);
  if (cursor.has("resident_blocks")) {
    geometry.resident_blocks = cursor.at("resident_blocks").small_integer(0, kIntMax);
  }
  return geometry;
}

Schedule read_schedule(JsonCursor cursor) {
  cursor.keys({"policy", "seed", "granularity", "barrier_model"},
              {"depth", "horizon", "weak_memory", "switches"});
  Schedule schedule;
  schedule.policy = cursor.at("policy").name<Policy>(policy_from, all_policies());
  schedule.seed = cursor.at("seed").unsigned_integer();
  if (cursor.has("depth")) schedule.depth = cursor.at("depth").small_integer(0, kDepthMax);
  if (cursor.has("horizon")) schedule.horizon = cursor.at("horizon").unsigned_integer();
  if (cursor.has("weak_memory")) {
    schedule.weak_memory = cursor.at("weak_memory").unsigned_integer();
  }
  schedule.granularity =
      cursor.at("granularity").name<Granularity>(granularity_from, all_granularities());
  schedule.barrier_model =
      cursor.at("barrier_model").name<BarrierModel>(barrier_model_from, all_barrier_models());
  if (!cursor.has("switches")) return schedule;
  JsonCursor switches = cursor.at("switches");
  schedule.switches.resize(switches.array(kSwitchesMax));
  for (std::size_t i = 0; i < schedule.switches.size() && !cursor.failed(); ++i) {
    JsonCursor entry = switches.item(i);
    entry.keys({"step", "entity"});
    schedule.switches[i].step = entry.at("step").unsigned_integer();
    schedule.switches[i].entity = entry.at("entity").unsigned_integer();
  }
  return schedule;
}

Perturbation read_perturbation(JsonCursor cursor) {
  cursor.keys({}, {"seed", "host_delay_max", "device_delay_max", "traffic_blocks",
                   "occupier_blocks", "warm_graphs"});
  Perturbation perturbation;
  if (cursor.has("seed")) perturbation.seed = cursor.at("seed").unsigned_integer();
  const auto delay = [&](const char* key, std::int64_t& value) {
    if (cursor.has(key)) value = cursor.at(key).integer(0, kDelayNanosecondsMax);
  };
  delay("host_delay_max", perturbation.host_delay_max);
  delay("device_delay_max", perturbation.device_delay_max);
  const auto blocks = [&](const char* key, int& value) {
    if (cursor.has(key)) value = cursor.at(key).small_integer(0, kBesideBlocksMax);
  };
  blocks("traffic_blocks", perturbation.traffic_blocks);
  blocks("occupier_blocks", perturbation.occupier_blocks);
  if (cursor.has("warm_graphs")) perturbation.warm_graphs = cursor.at("warm_graphs").boolean();
  return perturbation;
}

}  // namespace

ordered_json case_to_json(const Case& c) {
  ordered_json out = ordered_json::object();
  out["schema"] = kCaseSchema;
  out["target"] = c.target;
  out["world"] = c.world;
  out["dtype"] = name_of(c.dtype);
  out["accum"] = name_of(c.accum);
  out["shape"] = c.shape;
  ordered_json& geometry = out["geometry"] = ordered_json::object();
  geometry["blocks"] = c.geometry.blocks;
  geometry["threads"] = c.geometry.threads;
  geometry["wave"] = c.geometry.wave;
  if (c.geometry.resident_blocks != 0) geometry["resident_blocks"] = c.geometry.resident_blocks;
  out["input_offset"] = c.input_offset;
  out["output_offset"] = c.output_offset;
  out["in_place"] = c.in_place;
  out["inputs"] = name_of(c.inputs);
  if (!c.same_bits_as.empty()) out["same_bits_as"] = c.same_bits_as;
  if (!c.call_shapes.empty()) out["call_shapes"] = detail::call_shapes_to_json(c.call_shapes);
  out["program"] = detail::program_to_json(c.program);
  out["schedule"] = schedule_to_json(c.schedule);
  if (c.perturbation != Perturbation{}) {
    out["perturbation"] = perturbation_to_json(c.perturbation);
  }
  out["seed"] = c.seed;
  return out;
}

std::string case_to_text(const Case& c) {
  return case_to_json(c).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Case read_case(JsonCursor cursor) {
  // The schema first: a newer one may have keys that are unknown here, and that is the thing to
  // say.
  if (cursor.has("schema")) cursor.at("schema").schema({kCaseSchema});
  cursor.keys({"schema", "target", "world", "dtype", "accum", "shape", "geometry", "input_offset",
               "output_offset", "in_place", "inputs", "program", "schedule", "seed"},
              {"same_bits_as", "call_shapes", "perturbation"});
  Case c;
  c.target = cursor.at("target").text(kNameLengthMax);
  c.world = cursor.at("world").small_integer(1, kRanksMax);
  c.dtype = cursor.at("dtype").name<DType>(dtype_from, all_dtypes());
  c.accum = cursor.at("accum").name<Accum>(accum_from, all_accums());
  c.shape = read_integers(cursor.at("shape"), kShapeDimensionsMax);
  c.geometry = read_geometry(cursor.at("geometry"));
  c.input_offset = read_integers(cursor.at("input_offset"), kRanksMax);
  c.output_offset = read_integers(cursor.at("output_offset"), kRanksMax);
  c.in_place = cursor.at("in_place").boolean();
  c.inputs = cursor.at("inputs").name<Inputs>(inputs_from, all_inputs());
  if (cursor.has("same_bits_as")) c.same_bits_as = cursor.at("same_bits_as").text(kNameLengthMax);
  if (cursor.has("call_shapes")) {
    c.call_shapes = detail::read_call_shapes(cursor.at("call_shapes"));
  }
  c.program = detail::read_program(cursor.at("program"));
  c.schedule = read_schedule(cursor.at("schedule"));
  if (cursor.has("perturbation")) c.perturbation = read_perturbation(cursor.at("perturbation"));
  c.seed = cursor.at("seed").unsigned_integer();
  return c;
}

std::optional<Case> case_from_json(const json& document, std::optional<JsonError>& error) {
  Case c = read_case(JsonCursor(document, "case", error));
  if (error) return std::nullopt;
  return c;
}

std::optional<Case> case_from_text(std::string_view text, std::optional<JsonError>& error) {
  const json document = parse_json(text, "case", kCaseTextBytesMax, error);
  return case_from_json(document, error);
}

}  // namespace rankle
