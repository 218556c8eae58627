// Kernels for the tests of the device functions: waves, votes, atomics, clocks, traps.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

namespace rankle::sim::testing {

// out[thread * 4 + i]: __shfl(v, argument), _up, _down and _xor by it, in groups of `width`;
// v = 1000 + thread. With _sync forms and a full mask if `masked`.
void launch_shuffles(int threads, int argument, int width, bool masked, std::uint32_t* out);
// The same for one value of each type that HIP shuffles, from the lane above in groups of 4: counts
// the types that arrive wrongly.
void launch_shuffle_types(int threads, std::uint32_t* wrong);
// out[thread * 4 + i]: __ballot(lane % 3 == 0), __any(lane == 1), __all(lane < 32), __activemask().
void launch_votes(int threads, std::uint64_t* out);
// out[thread * 3 + i]: ballots of the even lanes, of the odd lanes, of all afterwards.
void launch_ballots_in_branches(int threads, std::uint64_t* out);
// Each lane goes lane % 5 times round a loop with a ballot; out[thread * 6 + round], and after it.
void launch_ballots_in_loop(int threads, std::uint64_t* out);
// out[thread * 4 + i]: match_any and match_all of lane % 4, reduce_add of the lane, reduce_min of
// it as a negative number.
void launch_matches(int threads, std::uint64_t* out);
// Sum of 1..threads of each wave by __shfl_xor, in every lane.
void launch_wave_sums(int threads, std::uint32_t* out);
// AMD's own: readfirstlane, mbcnt, ds_bpermute, at out[thread * 3].
void launch_amd_lane_functions(int threads, std::uint32_t* out);
// Lanes below 16 shuffle from lane `source` of their wave.
void launch_shuffle_from(int threads, int source, std::uint32_t* out);
// Lanes from `leaving` on return; the others pass __syncwarp() and shuffle from lane 0.
void launch_leave_before_sync(int threads, int leaving, std::uint32_t* out);
// Odd lanes call __syncwarp with a mask of all lanes, even ones __syncthreads().
void launch_split_wave(int threads, std::uint32_t* out);
// Odd and even lanes call __syncwarp with a mask of all lanes at two lines.
void launch_syncwarp_at_two_lines(int threads, std::uint32_t* out);
// Every lane calls __syncwarp with this mask.
void launch_syncwarp(int threads, std::uint64_t mask);
// Lane 0 of each wave waits for *flag; then all shuffle its value.
void launch_wait_and_shuffle(int threads, const std::uint32_t* flag, std::uint32_t* out,
                             hipStream_t stream);

// out[thread * 3 + i]: __syncthreads_count, _or and _and of `thread < below`, twice over, so that a
// count left from the first round shows.
void launch_barrier_votes(int threads, int below, std::int32_t* out);
// Even threads call __syncthreads_or, odd ones __syncthreads.
void launch_split_vote(int threads, std::uint32_t* out);

// Waits `cycles` by clock64(); out[0] = what it waited. Reads no memory meanwhile.
void launch_wait_for_clock(long long cycles, std::int64_t* out);
// Polls *flag until it is 1 or `cycles` are over: out[0] = 1 if it saw the flag, else 2.
void launch_poll_with_limit(const std::uint32_t* flag, long long cycles, std::uint32_t* out,
                            hipStream_t stream);
// out: clock64 before and after __nanosleep(5000), s_sleep(2), and wall_clock64 before and after
// a sleep of 10,000 ns.
void launch_sleeps(std::int64_t* out);
// Sleeps for ever.
void launch_sleep_for_ever();
// Sets *flag after sleeping.
void launch_signal_after(std::uint32_t* flag, unsigned nanoseconds, hipStream_t stream);

enum class Ending { trap, assertion, abortion };
void launch_give_up(int threads, int which, Ending ending, std::uint32_t* out);
void launch_print(int threads);
// (*to)[i] = (*from)[i] by __ldg and by 16-byte non-temporal loads and stores.
void launch_hinted_copy(const std::uint32_t* from, std::uint32_t* to);

}  // namespace rankle::sim::testing
