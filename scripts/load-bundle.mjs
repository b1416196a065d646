// Runs a CommonJS bundle with the code that V8 compiled before.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/** `cachedData` of another version of V8 is ignored. A cache can be made from `script` after the code has run. */
export function loadBundle(path, cachedData) {
  const module = { exports: {} };
  const script = runScript(path, { cachedData, require: createRequire(path), module });
  return { script, exports: module.exports };
}

/** Runs a file as a CommonJS module and returns its script. */
export function runScript(path, { cachedData, require, module }) {
  // The bundle is ASCII. A one-byte string takes half the memory and needs no decoding.
  const source = readFileSync(path, 'latin1');
  const script = new Script(`(function(exports,require,module,__filename,__dirname){${source}\n})`, {
    filename: path,
    cachedData,
  });
  script.runInThisContext()(module.exports, require, module, path, dirname(path));
  return script;
}
