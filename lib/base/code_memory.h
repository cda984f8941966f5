// Memory for code generated at run time by a library.
#pragma once

namespace bert {

// Checks that the system grants 16 MiB of writable and executable memory; throws std::bad_alloc or Error if
// not. Call it before oneDNN allocates memory or generates code: oneDNN does not check and crashes.
void require_code_memory();

}  // namespace bert
