// The native addon of the installed package `lmdb`, for the JavaScript of lmdb that is in the bundle.

import { version } from 'bundled:lmdb-version';
import { closeSync, existsSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Variables by which users choose another addon. See node-gyp-build-optional-packages. */
const CHOICES = ['LMDB_PREBUILD', 'PREBUILDS_ONLY', 'LIBC', 'ARM_VERSION', 'npm_config_arch', 'npm_config_platform'];

export const require = createRequire(import.meta.url);

/**
 * The file of the prebuilt addon. Undefined if the installed package has another version than the one in the bundle, or
 * if lmdb might choose another addon.
 */
export const addonPath = prebuiltAddon();

/** The buffer into which values are read. A record of the store fits. lmdb replaces it by a larger one if it has to. */
const BUFFER_BYTES = 2 ** 21;

/**
 * Loads the addon. Its own buffer for values has 16 MB. Few of them are ever written to, but V8 counts them all, which
 * makes a full collection due before the server listens.
 */
export function loadAddon() {
  const addon = require(addonPath);
  addon.globalBuffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  addon.setGlobalBuffer(addon.globalBuffer);
  return addon;
}

function prebuiltAddon() {
  const { versions, platform, arch, env } = process;
  if (versions.electron !== undefined || versions.bun !== undefined || versions.deno !== undefined) return undefined;
  if (CHOICES.some((name) => env[name] !== undefined)) return undefined;
  if (platform === 'linux' && !isGlibc()) return undefined;
  const folder = packageFolder(dirname(fileURLToPath(import.meta.url)), 'lmdb');
  if (folder === undefined || versionOf(folder) !== version) return undefined;
  if (['build', 'prebuilds'].some((name) => existsSync(join(folder, name)))) return undefined;
  const addons = packageFolder(folder, `@lmdb/lmdb-${platform}-${arch}`);
  if (addons === undefined) return undefined;
  const ending = platform === 'linux' ? '.glibc.node' : '.node';
  return [`node.abi${versions.modules}${ending}`, `node.napi${ending}`]
    .map((name) => join(addons, name))
    .find((path) => existsSync(path));
}

/** Whether the program of this process names the loader of glibc, in the first bytes of its file. */
function isGlibc() {
  const file = openSync('/proc/self/exe');
  try {
    const bytes = Buffer.alloc(2048);
    return bytes.latin1Slice(0, readSync(file, bytes)).includes('/ld-linux');
  } finally {
    closeSync(file);
  }
}

function versionOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
}

/**
 * Returns the folder of a package that a file in the folder `from` would import. Undefined if it is in no `node_modules`
 * above it. `require.resolve` would find the same, but runs parts of Node that a server does not need: 8 ms of CPU.
 */
function packageFolder(from, name) {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return realpathSync.native(found);
    if (folder === dirname(folder)) return undefined;
  }
}
