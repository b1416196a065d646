#!/bin/sh
# Checks with strace that a sync completes before each acknowledgement and before anything becomes visible.
# Needs strace. May be run from any folder.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
node_modules/.bin/esbuild test/crash/strace-child.ts --bundle --platform=node --format=esm --target=node20 \
  --packages=external --log-level=warning --outfile=.cache/run/test/crash/strace-child.mjs
strace -f -o "$work/trace" -e trace=fdatasync,fsync,msync,pwrite64,pwritev,write,writev,sync_file_range,openat \
  node .cache/run/test/crash/strace-child.mjs "$work/data" "$work/marks"
if [ -n "${KEEP_TRACE:-}" ]; then cp "$work/trace" "$KEEP_TRACE"; fi
node test/crash/strace-verdict.mjs "$work/trace" "$work/data/data.mdb" "$work/marks"
