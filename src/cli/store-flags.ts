/** The flags that name a store: a data folder or an etcd cluster. */
import type { Command } from 'commander';
import { ConfigError } from '../base/errors.ts';
import type { EtcdEnd } from '../controlplane/node/move/etcd-end.ts';
import { nodePlatform } from '../controlplane/node/node-platform.ts';
import { absolutePrefix, readEtcdTls } from '../controlplane/open-etcd.ts';
import { defaultOptions } from '../controlplane/options.ts';

/** The prefix of the flags of one store, if a command names two stores. */
export type StoreRole = '' | 'from-' | 'to-';

/** The values of the flags, by their names in camel case. */
export type StoreFlags = Readonly<Record<string, unknown>>;

export type NamedStore = { readonly kind: 'folder'; readonly dataDir: string } | ({ readonly kind: 'etcd' } & EtcdEnd);

const ETCD_FLAGS: readonly (readonly [name: string, value: string, description: string])[] = [
  ['etcd-servers', 'urls', 'the URLs of the members of the etcd cluster, separated by commas'],
  ['etcd-cafile', 'file', 'the CA certificates that verify the members (default those of the system)'],
  ['etcd-certfile', 'file', 'the client certificate for etcd'],
  ['etcd-keyfile', 'file', 'the key of the client certificate'],
  ['etcd-prefix', 'prefix', 'the first part of the keys in etcd (default "/registry")'],
];

/** Adds the flags of a store. `what` is a noun for their descriptions: `the target`. */
export function addStoreFlags(command: Command, role: StoreRole, what: string): Command {
  const standard = role === '' ? ` (default ${JSON.stringify(defaultOptions.dataDir)}, unless etcd is named)` : '';
  command.option(`--${role}data-dir <folder>`, `${what}: the data folder of a server${standard}`);
  for (const [name, value, description] of ETCD_FLAGS)
    command.option(`--${role}${name} <${value}>`, role === '' ? description : `${what}: ${description}`);
  return command;
}

/**
 * Reads the flags of a store. Throws ConfigError unless they name exactly one store, and if a TLS file cannot be read.
 */
export async function namedStore(flags: StoreFlags, role: StoreRole): Promise<NamedStore> {
  const text = (name: string): string => String(flags[camelCase(role + name)] ?? '');
  const given = ETCD_FLAGS.filter(([name]) => text(name) !== '').map(([name]) => `--${role}${name}`);
  const [servers, dataDir] = [text('etcd-servers'), text('data-dir')];
  if (servers === '') {
    if (given.length > 0) throw new ConfigError(`${given[0]} needs --${role}etcd-servers`);
    if (dataDir === '' && role !== '')
      throw new ConfigError(`name a store with --${role}data-dir or --${role}etcd-servers`);
    return { kind: 'folder', dataDir: dataDir === '' ? defaultOptions.dataDir : dataDir };
  }
  if (dataDir !== '')
    throw new ConfigError(`--${role}data-dir and --${role}etcd-servers name two stores: give one of them`);
  const paths = { caFile: text('etcd-cafile'), certFile: text('etcd-certfile'), keyFile: text('etcd-keyfile') };
  return {
    kind: 'etcd',
    servers: servers.split(',').map((url) => url.trim()),
    tls: await readEtcdTls(nodePlatform, paths, `--${role}etcd`),
    prefix: absolutePrefix(text('etcd-prefix') || defaultOptions.etcd.prefix),
    clock: nodePlatform.clock,
  };
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
