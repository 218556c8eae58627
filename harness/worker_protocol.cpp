// Framing and parsing of the worker protocol. Everything received is taken as hostile: a worker
// runs kernels that may have written anywhere.
#include "harness/worker_protocol.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

namespace rankle {
namespace {

using nlohmann::json;

// A magic word and the payload's length, both little-endian.
struct Header {
  std::uint32_t magic;
  std::uint32_t bytes;
};
constexpr std::uint32_t kMagic = 0x314b4e52;  // "RNK1"

}  // namespace

std::string frame_of(std::string_view payload) {
  if (payload.size() > kFrameBytesMax) {
    throw ProtocolError(fmt::format("a message of {} bytes is longer than {} bytes", payload.size(),
                                    kFrameBytesMax));
  }
  const Header header{kMagic, static_cast<std::uint32_t>(payload.size())};
  std::string frame(sizeof header, '\0');
  std::memcpy(frame.data(), &header, sizeof header);
  frame += payload;
  return frame;
}

void FrameDecoder::feed(std::string_view bytes) { buffer_ += bytes; }

std::optional<std::string> FrameDecoder::next() {
  Header header{};
  if (buffer_.size() < sizeof header) {
    return std::nullopt;
  }
  std::memcpy(&header, buffer_.data(), sizeof header);
  if (header.magic != kMagic) {
    throw ProtocolError(fmt::format("{} bytes that are no frame", buffer_.size()));
  }
  if (header.bytes > kFrameBytesMax) {
    throw ProtocolError(fmt::format("a frame that claims {} bytes; at most {} are allowed",
                                    header.bytes, kFrameBytesMax));
  }
  if (buffer_.size() < sizeof header + header.bytes) {
    return std::nullopt;
  }
  std::string payload = buffer_.substr(sizeof header, header.bytes);
  buffer_.erase(0, sizeof header + header.bytes);
  return payload;
}

bool send_message(int fd, const json& message) {
  // Text from a target may be no UTF-8: replaced, not thrown at.
  const std::string frame = frame_of(message.dump(-1, ' ', false, json::error_handler_t::replace));
  std::string_view rest = frame;
  while (!rest.empty()) {
    const ssize_t sent = send(fd, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) {
      continue;
    }
    if (sent <= 0) {
      return false;
    }
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::optional<json> receive_message(int fd, FrameDecoder& decoder) {
  std::array<char, 65536> bytes;
  while (true) {
    if (std::optional<std::string> payload = decoder.next()) {
      return message_of(*payload);
    }
    const ssize_t got = recv(fd, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return std::nullopt;
    }
    decoder.feed({bytes.data(), static_cast<std::size_t>(got)});
  }
}

json message_of(std::string_view payload) {
  json message = json::parse(payload, nullptr, /*allow_exceptions=*/false);
  if (!message.is_object() || !message.contains("op") || !message["op"].is_string()) {
    throw ProtocolError(
        fmt::format("a message of {} bytes that is not JSON with an \"op\"", payload.size()));
  }
  return message;
}

json to_message(const RunRequest& request) {
  return {{"op", "run"}, {"number", request.number}, {"options", request.options}};
}

RunRequest run_request_of(const json& message) {
  RunRequest request;
  try {
    message.at("number").get_to(request.number);
    message.at("options").get_to(request.options);
  } catch (const json::exception& error) {
    throw ProtocolError(fmt::format("a run request that cannot be read: {}", error.what()));
  }
  if (!std::isfinite(request.options.deadline_s) || request.options.deadline_s <= 0) {
    throw ProtocolError("a run request whose deadline_s is not a positive number");
  }
  return request;
}

}  // namespace rankle
