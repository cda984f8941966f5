// Base64 (RFC 4648, section 4), with padding.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bert {

void append_base64(std::string& out, std::span<const std::byte> bytes);

// Replaces `bytes` by the decoded text. False if it is not base64.
bool decode_base64(std::string_view text, std::vector<std::byte>& bytes);

}  // namespace bert
