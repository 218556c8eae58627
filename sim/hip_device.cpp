// Devices and peer access. Every pair of simulated devices can be connected; an access without
// enabling it is a finding.
#include "sim/capture.h"
#include "sim/hip_call.h"

using rankle::sim::Engine;
using rankle::sim::finish_call;
using rankle::sim::is_device;

namespace rankle::sim {

bool wait_for_device(int device, const char* call) {
  Engine& engine = Engine::instance();
  const bool done =
      engine.wait_host(call, [&engine, device] { return engine.device_idle(device); });
  engine.host_saw_device(device);
  return done;
}

}  // namespace rankle::sim

extern "C" {

hipError_t hipGetDeviceCount(int* count) {
  RANKLE_ENTER_CALL(host);
  if (count == nullptr) return finish_call(hipErrorInvalidValue);
  *count = Engine::instance().config().devices;
  return hipSuccess;
}

hipError_t hipSetDevice(int device) {
  RANKLE_ENTER_CALL(host);
  if (!is_device(device)) return finish_call(hipErrorInvalidDevice);
  host->device = device;
  return hipSuccess;
}

hipError_t hipGetDevice(int* device) {
  RANKLE_ENTER_CALL(host);
  if (device == nullptr) return finish_call(hipErrorInvalidValue);
  *device = host->device;
  return hipSuccess;
}

hipError_t hipDeviceSynchronize() {
  RANKLE_ENTER_CALL(host);
  const hipError_t refused = rankle::sim::may_wait_for_device(host->device);
  if (refused != hipSuccess) return finish_call(refused);
  const bool done = rankle::sim::wait_for_device(host->device, "hipDeviceSynchronize");
  return finish_call(done ? hipSuccess : hipErrorLaunchFailure);
}

hipError_t hipDeviceCanAccessPeer(int* can_access, int device, int peer) {
  RANKLE_ENTER_CALL(host);
  if (can_access == nullptr) return finish_call(hipErrorInvalidValue);
  if (!is_device(device) || !is_device(peer)) return finish_call(hipErrorInvalidDevice);
  *can_access = device != peer ? 1 : 0;
  return hipSuccess;
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  RANKLE_ENTER_CALL(host);
  if (flags != 0) return finish_call(hipErrorInvalidValue);
  if (!is_device(peer) || peer == host->device) return finish_call(hipErrorInvalidDevice);
  Engine& engine = Engine::instance();
  if ((engine.peer_mask(host->device) >> peer & 1) != 0) {
    return finish_call(hipErrorPeerAccessAlreadyEnabled);
  }
  engine.set_peer(host->device, peer, true);
  return hipSuccess;
}

hipError_t hipDeviceDisablePeerAccess(int peer) {
  RANKLE_ENTER_CALL(host);
  if (!is_device(peer) || peer == host->device) return finish_call(hipErrorInvalidDevice);
  Engine& engine = Engine::instance();
  if ((engine.peer_mask(host->device) >> peer & 1) == 0) {
    return finish_call(hipErrorPeerAccessNotEnabled);
  }
  engine.set_peer(host->device, peer, false);
  return hipSuccess;
}
}
