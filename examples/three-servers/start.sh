# Copies the keys of the first server, if this is another one, and starts the server with the given flags.
set -eu
if [ -d /first/pki ] && [ ! -d /data/pki ]; then
  cp -r /first/pki /data/pki
fi
exec keelson serve "$@"
