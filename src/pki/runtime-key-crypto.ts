/**
 * The operations on keys by node:crypto where the runtime has it, otherwise by Web Crypto. Node loads Web Crypto
 * separately and runs each of its operations on another thread. A start makes five keys, and would wait for every step
 * of each.
 */
import type { KeyCrypto } from './key-crypto.ts';
import { nodeKeyCrypto } from './key-crypto-node.ts';
import { webKeyCrypto } from './key-crypto-web.ts';

/** Node has `getBuiltinModule` from 20.16 and 22.3 on. Code that runs in browsers, too, cannot import the module. */
interface Runtime {
  readonly process?: { getBuiltinModule?(id: 'node:crypto'): Parameters<typeof nodeKeyCrypto>[0] | undefined };
}

const nodeCrypto = (globalThis as unknown as Runtime).process?.getBuiltinModule?.('node:crypto');

export const keyCrypto: KeyCrypto = nodeCrypto === undefined ? webKeyCrypto : nodeKeyCrypto(nodeCrypto);
