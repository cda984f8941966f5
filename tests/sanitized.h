// Whether this build uses sanitizers, which have threads and memory of their own.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

// How many of `count` random inputs a test tries: with sanitizers, which make it slow, a tenth.
constexpr auto tried(auto count) { return kSanitized ? count / 10 : count; }
