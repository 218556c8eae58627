// A target for the loader's tests that launches nothing: it reports how often it was called and
// where its static lies, so that a test sees which copy it talks to and whether statics were put
// back.
#include "harness/target.h"

#ifndef PLUGIN_NAME
#define PLUGIN_NAME "testing/healthy"
#endif
#ifndef PLUGIN_ABI
#define PLUGIN_ABI rankle::kTargetAbi
#endif

#ifdef PLUGIN_MISSING_SYMBOL
extern "C" int rankle_test_nobody_defines_this();
#endif

namespace {

int calls_initialised = 100;  // .data
int calls_zeroed = 0;         // .bss

[[maybe_unused]] const rankle::Contract& contract() {
  static const rankle::Contract made = [] {
    rankle::Contract c;
    c.target = PLUGIN_NAME;
    c.family = "testing";
    c.summary = "A target that only counts its calls, for the tests of the loader.";
    c.dtypes = {rankle::DType::fp32};
    c.accums = {rankle::Accum::fp32};
    c.worlds = {2, 3, 4};
    return c;
  }();
  return made;
}

[[maybe_unused]] std::int64_t scratch_bytes(int world, std::int64_t) { return world; }

[[maybe_unused]] hipError_t launch(const rankle::Call&, rankle::Launched& launched) {
  launched.blocks = ++calls_initialised;
  launched.threads = ++calls_zeroed;
  launched.variant = std::to_string(reinterpret_cast<std::uintptr_t>(&calls_zeroed));
#ifdef PLUGIN_MISSING_SYMBOL
  launched.blocks = rankle_test_nobody_defines_this();
#endif
  return hipSuccess;
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

#ifndef PLUGIN_NO_ENTRY
EXPORTED const rankle::Target* rankle_target() {
  static const rankle::Target target{&contract(), scratch_bytes, launch};
  return &target;
}
#endif
EXPORTED std::uint32_t rankle_target_abi() { return PLUGIN_ABI; }
