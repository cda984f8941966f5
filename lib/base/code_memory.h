// Memory for code that a library generates at run time.
#pragma once

namespace bert {

// Throws std::bad_alloc or Error unless the system grants 16 MiB of writable and executable memory. To be
// called before oneDNN allocates memory, for generated code or else: it does not check, and crashes.
void require_code_memory();

}  // namespace bert
