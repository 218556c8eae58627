// Frames and messages: whole, in pieces, wrong and hostile.
#include "harness/worker_protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

namespace rankle {
namespace {

std::string header_claiming(std::uint32_t bytes) {
  std::string frame = frame_of("");
  std::memcpy(frame.data() + 4, &bytes, sizeof bytes);
  return frame;
}

std::string protocol_error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const ProtocolError& error) {
    return error.what();
  }
  return "no error";
}

RC_GTEST_PROP(FrameDecoder, GivesBackEveryPayloadHoweverTheStreamIsCut, ()) {
  const auto payloads = *rc::gen::arbitrary<std::vector<std::string>>();
  std::string stream;
  for (const std::string& payload : payloads) {
    stream += frame_of(payload);
  }
  FrameDecoder decoder;
  std::vector<std::string> got;
  while (!stream.empty()) {
    const auto cut = *rc::gen::inRange<std::size_t>(1, stream.size() + 1);
    decoder.feed(std::string_view(stream).substr(0, cut));
    stream.erase(0, cut);
    while (auto payload = decoder.next()) {
      got.push_back(*payload);
    }
  }
  RC_ASSERT(got == payloads);
}

TEST(FrameDecoder, WaitsForTheRestOfAFrame) {
  const std::string frame = frame_of("payload");
  FrameDecoder decoder;
  decoder.feed(std::string_view(frame).substr(0, frame.size() - 1));
  EXPECT_EQ(decoder.next(), std::nullopt);
  decoder.feed(std::string_view(frame).substr(frame.size() - 1));
  EXPECT_EQ(decoder.next(), "payload");
}

TEST(FrameDecoder, RefusesWhatIsNoFrame) {
  FrameDecoder decoder;
  decoder.feed("hello, world");
  EXPECT_EQ(protocol_error_of([&] { decoder.next(); }), "12 bytes that are no frame");
}

TEST(FrameDecoder, RefusesLengthsBeyondTheLimitBeforeTheBytesCome) {
  FrameDecoder decoder;
  decoder.feed(header_claiming(kFrameBytesMax + 1));
  EXPECT_EQ(protocol_error_of([&] { decoder.next(); }),
            "a frame that claims 16777217 bytes; at most 16777216 are allowed");
  FrameDecoder at_the_limit;
  at_the_limit.feed(header_claiming(kFrameBytesMax));
  EXPECT_EQ(at_the_limit.next(), std::nullopt);
}

TEST(FrameOf, RefusesPayloadsBeyondTheLimit) {
  EXPECT_EQ(frame_of(std::string(kFrameBytesMax, 'x')).size(), kFrameBytesMax + 8);
  EXPECT_EQ(protocol_error_of([] { frame_of(std::string(kFrameBytesMax + 1, 'x')); }),
            "a message of 16777217 bytes is longer than 16777216 bytes");
}

TEST(Messages, CrossASocketInOrder) {
  int fds[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  EXPECT_TRUE(send_message(fds[0], {{"op", "hello"}}));
  EXPECT_TRUE(send_message(fds[0], {{"op", "quit"}, {"text", "\xff is replaced"}}));
  close(fds[0]);
  FrameDecoder decoder;
  EXPECT_EQ(receive_message(fds[1], decoder)->at("op"), "hello");
  EXPECT_EQ(receive_message(fds[1], decoder)->at("text"), "\xef\xbf\xbd is replaced");
  EXPECT_EQ(receive_message(fds[1], decoder), std::nullopt);
  EXPECT_FALSE(send_message(fds[1], {{"op", "hello"}})) << "no SIGPIPE, but false";
  close(fds[1]);
}

TEST(Messages, MustBeObjectsWithAnOp) {
  for (const char* text : {"", "{", "7", "[]", "{}", R"({"op":7})"}) {
    EXPECT_THAT(protocol_error_of([&] { message_of(text); }), testing::HasSubstr("is not JSON"))
        << text;
  }
  EXPECT_EQ(message_of(R"({"op":"quit"})").at("op"), "quit");
}

TEST(RunRequest, RoundTrips) {
  RunRequest request;
  request.number = 0xffffffffffffffff;
  request.options.deadline_s = 0.25;
  request.options.keep_going = true;
  request.options.relaxed_handoff = Severity::warning;
  request.options.wave_synchronous = Severity::off;
  request.options.volatile_model = VolatileModel::plain;
  request.options.record_switches = true;
  request.options.random_from = 12;
  request.options.verify_determinism = true;
  const RunRequest got = run_request_of(to_message(request));
  EXPECT_EQ(got.number, request.number);
  EXPECT_EQ(got.options, request.options);
}

TEST(RunRequest, RefusesMissingFieldsAndSenselessDeadlines) {
  nlohmann::json message = to_message(RunRequest{});
  message["options"]["deadline_s"] = 0;
  EXPECT_EQ(protocol_error_of([&] { run_request_of(message); }),
            "a run request whose deadline_s is not a positive number");
  message.erase("number");
  EXPECT_THAT(protocol_error_of([&] { run_request_of(message); }),
              testing::HasSubstr("a run request that cannot be read"));
}

}  // namespace
}  // namespace rankle
