// What the signals of a rank say, for the report of a run that hangs. Apart from the rest because
// their layout is a kernel's header, which takes the device compiler.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace rankle::gpu {

// "block 0 has passed 2 barriers; start: 3 2; end: 2 2": per block that has passed or been told of
// any, its counter and what each rank has written. `bytes` is a copy of a whole Signals.
std::string describe_signals(std::span<const std::byte> bytes, int world);

}  // namespace rankle::gpu
