/** The values of server flags that shell completion offers. */
import { PLUGIN_ORDER } from '../admission/plugin-chain.ts';

export type CompletionValues =
  | { readonly kind: 'none' | 'file' | 'folder' }
  | {
      readonly kind: 'words';
      readonly words: readonly string[];
      /** Whether the value of the flag is a list of these words, separated by commas. */
      readonly isList: boolean;
    };

export const NO_VALUES: CompletionValues = { kind: 'none' };

export function oneOf(words: readonly string[]): CompletionValues {
  return { kind: 'words', words, isList: false };
}

function someOf(words: readonly string[]): CompletionValues {
  return { kind: 'words', words, isList: true };
}

const WORDS: Readonly<Record<string, CompletionValues>> = {
  'audit-log-format': oneOf(['json']),
  'authorization-mode': someOf(['RBAC', 'AlwaysAllow', 'AlwaysDeny', 'Node']),
  'bind-address': oneOf(['127.0.0.1', '0.0.0.0']),
  'disable-admission-plugins': someOf(PLUGIN_ORDER.filter(({ on }) => on).map(({ name }) => name)),
  'enable-admission-plugins': someOf(PLUGIN_ORDER.filter(({ on }) => !on).map(({ name }) => name)),
  'endpoint-reconciler-type': oneOf(['lease', 'master-count', 'none']),
  'log-format': oneOf(['auto', 'text', 'json']),
  'logging-format': oneOf(['text', 'json']),
  'runtime-config': someOf(['api/all=true', 'api/beta=true', 'api/alpha=true']),
  storage: oneOf(['lmdb', 'etcd', 'memory']),
  'storage-media-type': oneOf(['application/vnd.kubernetes.protobuf', 'application/json']),
  'tls-min-version': oneOf(['VersionTLS12', 'VersionTLS13']),
  'version-tree-state': oneOf(['clean', 'dirty']),
};

/** Returns the values of a server flag by its name. */
export function serverFlagValues(name: string): CompletionValues {
  const words = WORDS[name];
  if (words !== undefined) return words;
  if (/-dir$/.test(name)) return { kind: 'folder' };
  return /-(file|path)$/.test(name) ? { kind: 'file' } : NO_VALUES;
}
