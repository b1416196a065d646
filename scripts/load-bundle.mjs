// Runs a CommonJS bundle with the code that V8 compiled before.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/** `cachedData` of another version of V8 is ignored. A cache can be made from `script` after the code has run. */
export function loadBundle(path, cachedData) {
  // The bundle is ASCII. A one-byte string takes half the memory and needs no decoding.
  const source = readFileSync(path, 'latin1');
  const script = new Script(`(function(exports,require,module,__filename,__dirname){${source}\n})`, {
    filename: path,
    cachedData,
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(path), module, path, dirname(path));
  return { script, exports: module.exports };
}
