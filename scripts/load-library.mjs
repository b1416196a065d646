// Loads files of the bundle that contains this file. If the build ran on this version of V8, the code that V8 compiled
// then is used. Otherwise a file is an ordinary CommonJS module, for which Node has a compile cache of its own if the
// program or the user turns it on.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LibraryFiles } from './library-files.mjs';

const files = new LibraryFiles(dirname(fileURLToPath(import.meta.url)));

/** Returns the exports of a file by its name without an ending. Runs it and what it imports once. */
export function load(name) {
  return files.load(name);
}
