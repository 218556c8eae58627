// What a supervisor and a worker say to each other: JSON objects in length-prefixed frames over one
// stream socket, which the worker inherits beside its case slot. The worker's stdout and stderr are
// not part of it, so a target that prints disturbs nothing.
//
//   supervisor -> worker                     worker -> supervisor
//   {"op":"hello"}                           {"op":"hello","protocol":5,"name":..,
//                                             "devices":[..],
//                                             "contracts":[..],"detectors":["redzone",..]}
//   {"op":"run","number":N,"options":{..}}   {"op":"verdict","number":N,"verdict":{..}}
//    (the case: in the slot)                   and "last":true if it can run no more
//   {"op":"quit"}                            (exits with status 0)
//                                            {"op":"error","message":..}
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/executor.h"

namespace rankle {

inline constexpr int kProtocolVersion = 5;

// Descriptors in the worker, announced by this environment variable as "3,4".
inline constexpr int kChannelFd = 3;
inline constexpr int kSlotFd = 4;
inline constexpr const char* kWorkerVariable = "RANKLE_WORKER_FDS";

// Longest payload of a frame. A verdict with thousands of detail lines stays far below.
inline constexpr std::size_t kFrameBytesMax = std::size_t{16} << 20;

// The other side sent something that is no frame, or a message that makes no sense. One sentence.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A payload with its header. Throws ProtocolError if it is longer than kFrameBytesMax.
std::string frame_of(std::string_view payload);

// Cuts a byte stream into payloads. Memory grows with the bytes that came, never with the length
// that a header claims.
class FrameDecoder {
 public:
  void feed(std::string_view bytes);
  // The next whole payload, or nullopt until more bytes come. Throws ProtocolError on a wrong magic
  // word or a length beyond kFrameBytesMax.
  std::optional<std::string> next();

 private:
  std::string buffer_;
};

// Sends one message; blocks while the socket is full. False if the other side is gone.
bool send_message(int fd, const nlohmann::json& message);

// Waits for one message. nullopt at the end of the stream. Throws ProtocolError.
std::optional<nlohmann::json> receive_message(int fd, FrameDecoder& decoder);

// Parses a payload. Throws ProtocolError if it is not a JSON object with a string "op".
nlohmann::json message_of(std::string_view payload);

struct RunRequest {
  std::uint64_t number = 0;
  RunOptions options;
};

nlohmann::json to_message(const RunRequest& request);
RunRequest run_request_of(const nlohmann::json& message);  // throws ProtocolError

}  // namespace rankle
