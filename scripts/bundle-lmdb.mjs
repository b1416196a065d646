// A plugin of esbuild that bundles the JavaScript of the package `lmdb`; see load-lmdb.mjs. Two parts are left out: the
// search for the addon, and msgpackr, which has an addon of its own and encodes values. The driver uses the encoding
// `binary` for every table.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const scripts = dirname(fileURLToPath(import.meta.url));
const lmdb = createRequire(import.meta.url).resolve('lmdb');
const { version } = JSON.parse(readFileSync(join(dirname(dirname(lmdb)), 'package.json'), 'utf8'));

const CONTENTS = {
  'bundled:lmdb-version': `export const version = ${JSON.stringify(version)};`,
  'node-gyp-build-optional-packages': "import { loadAddon } from './lmdb-addon.mjs';\nexport default loadAddon;",
  msgpackr: "exports.Encoder = class { constructor() { throw new Error('the bundle does not contain msgpackr'); } };",
};

export const bundleLmdb = {
  name: 'bundle-lmdb',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^lmdb$/ }, () => ({ path: join(scripts, 'load-lmdb.mjs') }));
    onResolve({ filter: /^bundled:lmdb$/ }, () => ({ path: lmdb }));
    onResolve({ filter: /^(bundled:lmdb-version|node-gyp-build-optional-packages|msgpackr)$/ }, ({ path }) => ({
      path,
      namespace: 'lmdb',
    }));
    onLoad({ filter: /./, namespace: 'lmdb' }, ({ path }) => ({ contents: CONTENTS[path], resolveDir: scripts }));
  },
};
