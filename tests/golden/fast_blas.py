"""The setting that makes Debian's PyTorch fast. Its OpenBLAS does not recognize processors newer than itself
and then uses slow kernels, so it must be told if the processor has AVX-512. $OPENBLAS_CORETYPE overrides
this."""
import os
import re
from pathlib import Path

AVX512 = {"avx512f", "avx512bw", "avx512dq", "avx512vl"}


def setting():
    """Environment variables for a process that imports torch."""
    if "OPENBLAS_CORETYPE" in os.environ:
        return {}
    flags = re.search(r"^flags\s*:(.*)|\Z", Path("/proc/cpuinfo").read_text(), re.M)[0].split()
    return {"OPENBLAS_CORETYPE": "SKYLAKEX"} if AVX512 <= set(flags) else {}
