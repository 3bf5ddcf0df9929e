#!/usr/bin/env bash
# The compiled modules, built with AddressSanitizer and UBSan in a copy of the tree → their tests, and some fuzzing.
# Usage: fuzz/sanitized.sh PYTHON [SECONDS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$1 seconds=${2:-30}
copy=build/sanitized
rm -rf "$copy" && mkdir -p "$copy"
cp -r src tests fuzz bench docs setup.py pyproject.toml MANIFEST.in README.md LICENSE "$copy"
cd "$copy"
find src -name '*.so' -delete
CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined" \
    LDFLAGS="-fsanitize=address,undefined" "$python" setup.py --quiet build_ext --inplace
# PYTHONMALLOC: every object a block of its own, so that a byte too far is seen
export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONPATH=src:. URLSET_SCANNER=compiled
LD_PRELOAD=$("${CC:-gcc}" -print-file-name=libasan.so)
# left out: the build itself, pages in HTML, and limits of CPU and memory that do not hold under a sanitizer
"$python" -m pytest -q -p no:cacheprovider tests/reading --ignore tests/reading/test_compiled_build.py \
    --ignore tests/reading/test_html.py --ignore tests/reading/test_hostile.py
"$python" -m fuzz.run --seconds "$seconds" --seed 7
# left out: a build in another process that is killed, and files as large as they may be
"$python" -m pytest -q -p no:cacheprovider tests/building/test_compiled_rows.py tests/workflows/test_build_lane.py \
    tests/workflows/test_build_lane_hazards.py -k "not killed_at_any_moment and not to_its_limit"
"$python" -m fuzz.rows --seconds "$seconds" --seed 7
