// The CommonJS files of a bundle, each run once, with the code that V8 compiled before. The files that the server always
// loads are also in one file, its pack. If the build ran on another version of V8, the files are ordinary modules.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileScript, runScript } from './load-bundle.mjs';

/** The group of entry points that has a pack. */
export const PACKED = 'server';

/** The file with the code of a bundle's file. V8 accepts it in the version and on the processor that made it. */
export function cacheFile(path) {
  return path.replace(/\.(cjs|pack)$/, `-${process.versions.v8}-${process.arch}.cache`);
}

export class LibraryFiles {
  /** The compiled files by their paths. Empty if the build ran on another version of V8. */
  scripts = new Map();
  #modules = new Map();
  /** The functions of the pack by the names of their files; undefined before the pack is loaded. */
  #packed;
  #folder;
  #pack;
  #requireOther;
  #useCaches;

  /** `useCaches` false: compiles everything, for the build. */
  constructor(folder, { useCaches = true } = {}) {
    this.#folder = folder;
    this.#pack = join(folder, `${PACKED}.pack`);
    this.#requireOther = createRequire(join(folder, 'load-library.js'));
    this.#useCaches = useCaches;
  }

  /** Returns the exports of a group of entry points. */
  load(group) {
    const path = `./${group}.cjs`;
    // Either all files are modules of Node or none is: a file that both load would run twice.
    if (this.#useCaches && !existsSync(cacheFile(this.#pack))) return this.#requireOther(path);
    if (group === PACKED && this.#packed === undefined) {
      const script = compileScript(this.#pack, this.#cacheOf(this.#pack));
      this.scripts.set(this.#pack, script);
      this.#packed = script.runInThisContext();
    }
    return this.#require(path);
  }

  /** Returns the exports of a file of the bundle (`./name.cjs`), or of a package or a module of Node. */
  #require = (id) => {
    if (!id.startsWith('./')) return this.#requireOther(id);
    const known = this.#modules.get(id);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    this.#modules.set(id, module);
    const path = `${this.#folder}/${id.slice(2)}`;
    const packed = this.#packed?.[id];
    if (packed !== undefined) packed(module.exports, this.#require, module, path, this.#folder);
    else {
      const cache = this.#cacheOf(path);
      this.scripts.set(path, runScript(path, { cache, require: this.#require, module }));
    }
    return module.exports;
  };

  #cacheOf(path) {
    const cache = cacheFile(path);
    return this.#useCaches && existsSync(cache) ? cache : undefined;
  }
}
