// SPDX-License-Identifier: Apache-2.0
// stream: reads every input byte once and writes every output byte once, on all cores, round the
//         caches where the output would not fit into them.
// empty:  returns at once: the cost of a call.
#include <omp.h>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "flat.h"

namespace {
using namespace bench_floor;

using Vector = uint64_t __attribute__((vector_size(32)));
constexpr int64_t kVectorBytes = sizeof(Vector);
constexpr int64_t kPageBytes = 8192;
constexpr int64_t kSerialBytes = 1 << 20;  // below it, starting threads costs more than they save

int64_t last_cache_bytes() {
  static const int64_t bytes = [] {
    long kibibytes = 32 << 10;  // where the kernel does not say
    if (FILE* file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r")) {
      if (fscanf(file, "%ldK", &kibibytes) != 1) kibibytes = 32 << 10;
      fclose(file);
    }
    return static_cast<int64_t>(kibibytes) << 10;
  }();
  return bytes;
}

int thread_count(const FlatCall& call) {
  return call.bytes_moved < kSerialBytes ? 1 : omp_get_max_threads();
}
bool past_the_caches(const FlatCall& call) { return call.bytes_written > last_cache_bytes(); }

template <bool Streaming>
void store(char* target, Vector value) {
#if defined(__AVX__)
  if constexpr (Streaming) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target), reinterpret_cast<__m256i>(value));
    return;
  }
#endif
  memcpy(target, &value, sizeof value);
}

// Bytes [begin, end) of Reads inputs and Writes outputs, whole vectors; what is read is returned.
template <bool Streaming, int Reads, int Writes>
Vector stream_span(const char* const* inputs, char* const* outputs, int64_t begin, int64_t end) {
  Vector seen = {};
  for (int64_t at = begin; at < end; at += kVectorBytes) {
    Vector sum = {};
    for (int i = 0; i < Reads; ++i) {
      Vector loaded;
      memcpy(&loaded, inputs[i] + at, sizeof loaded);
      sum ^= loaded;
    }
    for (int i = 0; i < Writes; ++i) store<Streaming>(outputs[i] + at, sum);
    if (Writes == 0) seen ^= sum;
  }
  return seen;
}

// The loop for as many live inputs and outputs as there are, its counts known to the compiler.
template <bool Streaming, int Reads = kInputs, int Writes = kOutputs>
Vector stream_live(int reads, int writes, const char* const* inputs, char* const* outputs,
                   int64_t begin, int64_t end) {
  if constexpr (Reads > 0)
    if (reads < Reads)
      return stream_live<Streaming, Reads - 1, Writes>(reads, writes, inputs, outputs, begin, end);
  if constexpr (Writes > 0)
    if (writes < Writes)
      return stream_live<Streaming, Reads, Writes - 1>(reads, writes, inputs, outputs, begin, end);
  return stream_span<Streaming, Reads, Writes>(inputs, outputs, begin, end);
}

// From `begin` to the next place where a tensor ends, until `end`.
template <bool Streaming>
void stream_share(const FlatCall& call, int64_t begin, int64_t end) {
  volatile uint64_t sink = 0;
  while (begin < end) {
    const char* inputs[kInputs];
    char* outputs[kOutputs];
    int reads = 0;
    int writes = 0;
    int64_t until = end;
    for (int i = 0; i < kTensors; ++i) {
      const int64_t bytes = call.tensor[i].bytes / kVectorBytes * kVectorBytes;
      if (bytes <= begin) continue;
      if (bytes < until) until = bytes;
      if (i < kInputs)
        inputs[reads++] = call.tensor[i].data;
      else
        outputs[writes++] = call.tensor[i].data;
    }
    if (reads + writes == 0) break;
    const Vector seen = stream_live<Streaming>(reads, writes, inputs, outputs, begin, until);
    sink = sink ^ seen[0];
    begin = until;
  }
#if defined(__AVX__)
  if (Streaming) _mm_sfence();
#endif
}

// The last bytes of tensors that are no whole number of vectors.
void stream_tails(const FlatCall& call) {
  volatile char seen = 0;
  for (int i = 0; i < kTensors; ++i) {
    const Flat& flat = call.tensor[i];
    for (int64_t at = flat.bytes / kVectorBytes * kVectorBytes; at < flat.bytes; ++at) {
      if (i < kInputs)
        seen = seen ^ flat.data[at];
      else
        flat.data[at] = seen;
    }
  }
}

template <bool Streaming>
void stream_all(const FlatCall& call, int threads) {
  if (threads == 1) return stream_share<Streaming>(call, 0, call.longest_bytes);
  const int64_t pages = (call.longest_bytes + kPageBytes - 1) / kPageBytes;
#pragma omp parallel num_threads(threads)
  {
    const int64_t count = omp_get_num_threads();
    const int64_t thread = omp_get_thread_num();
    const int64_t end = pages * (thread + 1) / count * kPageBytes;
    stream_share<Streaming>(call, pages * thread / count * kPageBytes,
                            end < call.longest_bytes ? end : call.longest_bytes);
  }
}
}  // namespace

FLOOR_EXPORT(stream) {
  FlatCall call;
  if (int error = read_call(args, count, kVectorBytes, &call)) return error;
  past_the_caches(call) ? stream_all<true>(call, thread_count(call))
                        : stream_all<false>(call, thread_count(call));
  stream_tails(call);
  return 0;
}

FLOOR_EXPORT(stream_plan) {
  FlatCall call;
  if (int error = read_call(args, count, kVectorBytes, &call)) return error;
  char text[96];
  snprintf(text, sizeof text, "stream %d threads vec%d bytes%s", thread_count(call),
           static_cast<int>(kVectorBytes), past_the_caches(call) ? " stream" : "");
  return return_text(text, result);
}

FLOOR_EXPORT(empty) {
  if (count == kTensors) return 0;
  return raise_error("TypeError", "floor: expected %d tensors, got %d arguments", kTensors, count);
}

FLOOR_EXPORT(empty_plan) { return return_text("empty", result); }
