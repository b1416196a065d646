/**
 * The operations on keys by node:crypto where the runtime has it, otherwise by Web Crypto. Node loads Web Crypto
 * separately and runs each of its operations on another thread. A start makes five keys, and would wait for every step
 * of each.
 */
import { builtinCrypto } from '../base/builtin-crypto.ts';
import type { KeyCrypto } from './key-crypto.ts';
import { nodeKeyCrypto } from './key-crypto-node.ts';
import { webKeyCrypto } from './key-crypto-web.ts';

const nodeCrypto = builtinCrypto<Parameters<typeof nodeKeyCrypto>[0]>();

export const keyCrypto: KeyCrypto = nodeCrypto === undefined ? webKeyCrypto : nodeKeyCrypto(nodeCrypto);
