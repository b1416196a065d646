// Runs a CommonJS bundle with the code that V8 compiled before.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { Script } from 'node:vm';

const PARAMETERS = 'exports,require,module,__filename,__dirname';
/** As a script, where `this` is the global object, the file is the function. As a module it calls the function. */
const BEFORE = `(run=>this===globalThis?run:run(${PARAMETERS}))(function(${PARAMETERS}){`;
const AFTER = '\n})';

/** Returns the text of a CommonJS module in the form that `runScript` expects. It is still a CommonJS module. */
export function scriptOf(text) {
  return BEFORE + text + AFTER;
}

/** Returns the text of a script whose value is an object with a function for each of the modules, by their names. */
export function packOf(modules) {
  const functions = modules.map(
    ([name, text]) => `${JSON.stringify(name)}:function(${PARAMETERS}){${text}${AFTER.slice(0, -1)}`,
  );
  return `({${functions.join(',')}})`;
}

/** `cache` is the file with the code; undefined for none. Code of another version of V8 is ignored. */
export function loadBundle(path, cache) {
  const module = { exports: {} };
  const script = runScript(path, { cache, require: createRequire(path), module });
  return { script, exports: module.exports };
}

/**
 * Runs a file of `scriptOf` as a CommonJS module and returns its script, from which a cache can be made after the code
 * has run.
 */
export function runScript(path, { cache, require, module }) {
  const script = compileScript(path, cache);
  script.runInThisContext()(module.exports, require, module, path, dirname(path));
  return script;
}

/**
 * V8 keeps the string with the text of the file, so that string is not made of others. The bytes of both files are in
 * one buffer that nothing refers to afterwards, so the next collection of young objects frees it. Stack traces name the
 * file as keelson/FOLDER/FILE: a code cache contains the name that was given when it was made, on another machine.
 */
export function compileScript(path, cache) {
  const files = [path, ...(cache === undefined ? [] : [cache])].map((name) => openSync(name));
  try {
    const [size, cacheSize = 0] = files.map((file) => fstatSync(file).size);
    const bytes = Buffer.allocUnsafeSlow(Math.max(size, cacheSize));
    // The bundle is ASCII. A one-byte string takes half the memory and needs no decoding.
    const source = read(path, files[0], bytes.subarray(0, size)).latin1Slice();
    const cachedData = cache === undefined ? undefined : read(cache, files[1], bytes.subarray(0, cacheSize));
    // A copy: V8 would write the path, of which basename() returns a slice, into the cache.
    const filename = Buffer.from(`keelson/${basename(dirname(path))}/${basename(path)}`).toString();
    return new Script(source, { filename, cachedData });
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** Fills the buffer with the first bytes of an open file, and returns it. */
function read(path, file, bytes) {
  for (let length = 0; length < bytes.length; ) {
    const count = readSync(file, bytes, length, bytes.length - length);
    if (count === 0) throw new Error(`${path} became shorter while it was read`);
    length += count;
  }
  return bytes;
}
