// Scanning, checking and instantiating target plugins.
#include "harness/runner/target_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "harness/runner/device_hooks.h"
#include "harness/runner/target_scan.h"

namespace rankle {
namespace {

// The file name that a target of this name has: "allreduce/x@y" is in "allreduce.x@y.so".
std::string file_name_of(std::string_view target) {
  std::string name(target);
  std::replace(name.begin(), name.end(), '/', '.');
  return name + ".so";
}

}  // namespace

TargetLoader::TargetLoader(const std::vector<std::filesystem::path>& directories) {
  for (const std::filesystem::path& directory : directories) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
      if (entry.path().extension() == ".so") files.push_back(entry.path());
    }
    if (error) {
      failures_.push_back({directory, fmt::format("{}: cannot be listed: {}", directory.string(),
                                                  error.message())});
      continue;
    }
    std::sort(files.begin(), files.end());
    if (device_hooks::loads_on_demand()) {
      scan(files);
    } else {
      for (const std::filesystem::path& file : files) load(file);
    }
  }
}

void TargetLoader::load(const std::filesystem::path& file) {
  std::string error;
  Instance instance = load_instance(file, error);
  if (instance.target == nullptr) {
    failures_.push_back({file, error});
    return;
  }
  const Contract contract = *instance.target->contract;
  add(file, contract, std::move(instance));
}

void TargetLoader::scan(const std::vector<std::filesystem::path>& files) {
  const auto scanned = scan_targets(files, [](const std::filesystem::path& file) {
    ScannedTarget found;
    const Instance instance = load_instance(file, found.error);
    if (instance.target != nullptr) found.contract = *instance.target->contract;
    return found;
  });
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (const std::optional<Contract>& contract = scanned[i].contract) {
      add(files[i], *contract, {});
    } else {
      failures_.push_back({files[i], scanned[i].error});
    }
  }
}

void TargetLoader::add(const std::filesystem::path& file, const Contract& contract,
                       Instance instance) {
  if (const auto known = plugins_.find(contract.target); known != plugins_.end()) {
    failures_.push_back({file, fmt::format("{}: target {} is already defined by {}", file.string(),
                                           contract.target, known->second.file.string())});
    return;
  }
  Plugin plugin{file, contract, {}};
  plugin.ranks.push_back(std::move(instance));
  plugins_.emplace(contract.target, std::move(plugin));
}

TargetLoader::Instance TargetLoader::load_instance(const std::filesystem::path& file,
                                                   std::string& error) {
  Instance instance;
  instance.module = ModuleCopy::load(file, error);
  if (instance.module == nullptr) return {};
  const auto fail = [&](std::string why) {
    error = fmt::format("{}: {}", file.string(), why);
    return Instance{};
  };
  const auto abi =
      reinterpret_cast<std::uint32_t (*)()>(instance.module->symbol("rankle_target_abi"));
  if (abi == nullptr) {
    return fail("does not export rankle_target_abi; end the target with RANKLE_REGISTER_TARGET");
  }
  if (abi() != kTargetAbi) {
    return fail(
        fmt::format("was built for target interface {}; this build takes {}", abi(), kTargetAbi));
  }
  instance.entry = reinterpret_cast<const Target* (*)()>(instance.module->symbol("rankle_target"));
  if (instance.entry == nullptr) {
    return fail("does not export rankle_target; end the target with RANKLE_REGISTER_TARGET");
  }
  const Target* target = instance.entry();
  if (target == nullptr || target->contract == nullptr || target->scratch_bytes == nullptr ||
      target->launch == nullptr) {
    return fail("rankle_target() leaves contract, scratch_bytes or launch empty");
  }
  device_hooks::register_module(instance.module->base(), instance.module->size(), file.string());
  instance.target = target;
  return instance;
}

std::vector<Contract> TargetLoader::contracts() const {
  std::vector<Contract> all;
  all.reserve(plugins_.size());
  for (const auto& [name, plugin] : plugins_) all.push_back(plugin.contract);
  return all;
}

const Contract* TargetLoader::contract(std::string_view target) const {
  const auto plugin = plugins_.find(target);
  return plugin == plugins_.end() ? nullptr : &plugin->second.contract;
}

std::string TargetLoader::why_missing(std::string_view target) const {
  const std::string file_name = file_name_of(target);
  for (const LoadFailure& failure : failures_) {
    if (failure.file.filename() == file_name) return failure.message;
  }
  std::string known;
  for (const auto& [name, plugin] : plugins_) {
    if (plugin.contract.is_mutant()) continue;
    known += (known.empty() ? "" : ", ") + name;
  }
  return fmt::format("case.target: \"{}\" is not a target of this worker; it has {}", target,
                     known.empty() ? "none" : known);
}

const Target* TargetLoader::fresh(std::string_view target, int rank, std::string& error) {
  const auto found = plugins_.find(target);
  if (found == plugins_.end()) {
    error = why_missing(target);
    return nullptr;
  }
  Plugin& plugin = found->second;
  const auto index = std::size_t(rank);
  if (plugin.ranks.size() <= index) plugin.ranks.resize(index + 1);
  Instance& instance = plugin.ranks[index];
  if (instance.target == nullptr) {
    instance = load_instance(plugin.file, error);
    if (instance.target == nullptr) return nullptr;
  }
  // Also right after loading, since asking for the target ran code of the module; and asked for
  // again after it, since a module may build its target on first use.
  instance.module->restore();
  instance.target = instance.entry();
  return instance.target;
}

}  // namespace rankle
