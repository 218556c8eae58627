// The detector's actors: hosts, operations and blocks come and go, and hand over what they know.
#include <bit>
#include <stdexcept>

#include "sim/race/detector.h"

namespace rankle::sim::race {
namespace {

constexpr std::uint32_t kHostChain = 0;
constexpr std::uint32_t kNeverCompleted = ~std::uint32_t{0};

}  // namespace

RaceDetector::RaceDetector() : shadow_(Shadow::instance()) { begin_run({}); }

void RaceDetector::begin_run(RaceSink sink, const RaceOptions& options) {
  sink_ = std::move(sink);
  options_ = options;
  shadow_.begin_run();
  first_block_ = shadow_.first_block();
  blocks_.restart(first_block_);
  sites_.make_room();
  failed_.clear();
  versions_ = 0;
  chains_.assign(1, Chain{});
  ops_.clear();
  free_blocks_.clear();
  for (const std::unique_ptr<Block>& block : all_blocks_) {
    free_blocks_.push_back(block.get());
    if (!block->is_running) continue;  // the others have left nothing that counts
    for (Thread& thread : block->threads) thread = {};
    block->known = {};
    block->dirty.clear();
    block->is_running = false;
  }
  reported_.clear();
  found_.clear();
}

std::uint32_t RaceDetector::new_chain() {
  chains_.push_back({0, {empty_knowledge(), empty_knowledge()}});
  return static_cast<std::uint32_t>(chains_.size()) - 1;
}

Thread* RaceDetector::host_started(int rank) {
  Op& op = ops_.emplace_back();
  op.start = {kHostChain, rank, -1, 0};
  op.index = static_cast<std::uint32_t>(ops_.size()) - 1;
  op.sequence = kNeverCompleted;
  op.begin = {empty_knowledge(), empty_knowledge()};
  return op_actor(&op);
}

Op* RaceDetector::op_begin(const OpStart& start, std::span<const Token* const> after) {
  Chain& chain = chains_[start.chain];
  Op& op = ops_.emplace_back();
  op.start = start;
  op.index = static_cast<std::uint32_t>(ops_.size()) - 1;
  op.sequence = ++chain.sequence;
  op.begin = chain.tail;
  for (const Token* token : after) {
    join(op.begin.exact, token->exact);
    join(op.begin.seen, token->seen);
  }
  drop_subsumed(op.begin.exact, blocks_, 0);
  drop_subsumed(op.begin.seen, blocks_, 0);
  op.end = op.begin;
  return &op;
}

Thread* RaceDetector::op_actor(Op* op) {
  if (op->actor == nullptr) op->actor = block_started(op, 0, 1, 1);
  return thread(op->actor, 0);
}

Block* RaceDetector::take_block() {
  if (free_blocks_.empty()) {
    all_blocks_.push_back(std::make_unique<Block>());
    return all_blocks_.back().get();
  }
  Block* const block = free_blocks_.back();
  free_blocks_.pop_back();
  return block;
}

Block* RaceDetector::block_started(Op* op, std::uint32_t index, std::uint32_t threads,
                                   std::uint32_t wave) {
  if (blocks_.next() > kBlockIdMax) {
    throw std::runtime_error("the race detector has no more ids for blocks in this run");
  }
  Block& block = *take_block();
  block.op = op;
  block.is_running = true;
  block.device = op->start.device;
  block.phase = 0;
  block.wave_shift = static_cast<std::uint8_t>(std::countr_zero(wave));
  block.id = blocks_.add({op->start.chain, op->sequence, op->index, index,
                          static_cast<std::int16_t>(op->start.device), block.wave_shift});
  shadow_.end_run(blocks_.next());
  block.known = op->begin;
  block.size = threads;
  block.wave_published.clear();
  if (block.threads.size() < threads) block.threads.resize(threads);
  for (std::uint32_t t = 0; t < threads; ++t) {
    Thread& thread = block.threads[t];
    thread.block = &block;
    thread.who = who_of(block.id, t);
    thread.count_phase = thread.count = 0;
    thread.sync.reset();
  }
  return &block;
}

void RaceDetector::block_ended(Block* block) {
  merge_threads(*block);
  join(block->op->end.exact, *block->known.exact);
  join(block->op->end.seen, *block->known.seen);
  block->known = {};
  block->is_running = false;
  free_blocks_.push_back(block);
}

Token RaceDetector::op_ended(Op* op) {
  if (op->actor != nullptr) block_ended(op->actor);
  op->actor = nullptr;
  for (KnowledgeRef* known : {&op->end.exact, &op->end.seen}) {
    add_completed(*known, op->start.chain, op->sequence);
    drop_subsumed(*known, blocks_, 0);
  }
  Chain& chain = chains_[op->start.chain];
  chain.tail = op->end;
  op->begin = op->end = {};
  return {{chain.tail.exact, 0, 0}, {chain.tail.seen, 0, 0}};
}

Token RaceDetector::release(Thread* thread) {
  const Token token{exact_snapshot(*thread), seen_snapshot(*thread)};
  advance(*thread);
  return token;
}

void RaceDetector::acquire(Thread* thread, const Token& token) {
  learn_exact(*thread, token.exact);
  learn_seen(*thread, token.seen);
}

}  // namespace rankle::sim::race
