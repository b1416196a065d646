/** The module `node:crypto` where the runtime has it, for code that also runs in browsers and cannot import the module. */

/** Node has `getBuiltinModule` from 20.16 and 22.3 on. */
interface Runtime {
  readonly process?: { getBuiltinModule?(id: 'node:crypto'): unknown };
}

/** Returns the module; undefined if the runtime has none. `Part` declares the functions that the caller uses. */
export function builtinCrypto<Part>(): Part | undefined {
  return (globalThis as unknown as Runtime).process?.getBuiltinModule?.('node:crypto') as Part | undefined;
}
