// The CommonJS files of a bundle, each run once, with the code that V8 compiled before.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runScript } from './load-bundle.mjs';

/** The file with the code of a bundle's file. V8 accepts it in the version and on the processor that made it. */
export function cacheFile(path) {
  return path.replace(/\.cjs$/, `-${process.versions.v8}-${process.arch}.cache`);
}

export class LibraryFiles {
  /** The compiled files by their paths. Empty without code caches. */
  scripts = new Map();
  #modules = new Map();
  #folder;
  #requireOther;
  #useCaches;

  /** `useCaches` false: compiles everything, for the build. */
  constructor(folder, { useCaches = true } = {}) {
    this.#folder = folder;
    this.#requireOther = createRequire(join(folder, 'load-library.js'));
    this.#useCaches = useCaches;
  }

  /** Returns the exports of a file of the bundle (`./name.cjs`), or of a package or a module of Node. */
  require = (id) => {
    if (!id.startsWith('./')) return this.#requireOther(id);
    const known = this.#modules.get(id);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    this.#modules.set(id, module);
    const path = join(this.#folder, id);
    const cache = cacheFile(path);
    if (this.#useCaches && !existsSync(cache)) {
      module.exports = this.#requireOther(path);
      return module.exports;
    }
    const used = this.#useCaches ? cache : undefined;
    this.scripts.set(path, runScript(path, { cache: used, require: this.require, module }));
    return module.exports;
  };
}
