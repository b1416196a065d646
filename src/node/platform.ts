/** Facts and files of the machine that a composed server needs. Every error names the path that it is about. */
import { existsSync, readFileSync, watch } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../base/clock.ts';
import { ConfigError, toError } from '../base/errors.ts';
import { compareUtf8 } from '../base/utf8.ts';
import { PkiFiles } from '../pki/pki-files.ts';
import type { Pki } from '../pki/pki-folder.ts';
import { ensureLeaf, type KeyedPem } from '../pki/pki-leaf.ts';
import { ensureSecretFolder } from '../pki/secret-file.ts';
import type { ProcessUsage } from '../server/metrics/process-metrics.ts';
import type { PreparedOpenApi } from '../server/openapi/prepared.ts';
import type { BuildInfo } from '../server/version-info.ts';

/** Go's names of processor architectures, where Node's differ. */
const PROCESSORS: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };
const SYSTEMS: Readonly<Record<string, string>> = { win32: 'windows' };

export function nodeBuildInfo(version: string): BuildInfo {
  const system = SYSTEMS[process.platform] ?? process.platform;
  const processor = PROCESSORS[process.arch] ?? process.arch;
  return { version, runtime: `node ${process.version}`, platform: `${system}/${processor}` };
}

/** The start of this process. Computed once, so that it stays the same when the system clock is set. */
const STARTED_AT = Date.now() - process.uptime() * 1000;

/** Returns the present resource usage of this process. */
export function nodeProcessUsage(): ProcessUsage {
  const { user, system } = process.cpuUsage();
  return {
    cpuSeconds: (user + system) / 1e6,
    residentBytes: process.memoryUsage.rss(),
    startedAt: STARTED_AT,
  };
}

/**
 * Reads the version in package.json, which is two folders above this file in src, in dist and in the bundled command.
 */
export function readPackageVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return manifest.version;
}

/** Reads the OpenAPI documents that the build put next to the bundled command; undefined if the code is not bundled. */
export function readPreparedOpenApi(): PreparedOpenApi | undefined {
  const [index, v2] = ['openapi-index.json', 'openapi-v2.json'].map((name) => {
    const url = new URL(name, import.meta.url);
    return existsSync(url) ? readFileSync(url, 'utf8') : undefined;
  });
  return index === undefined || v2 === undefined ? undefined : { index, v2 };
}

/**
 * Reads the descriptions of a package of built-in types, which are in the same place relative to this file in src, in
 * dist and in the bundled command; undefined if there are none.
 */
export function readKindDescriptions(packageId: string): string | undefined {
  const url = new URL(`../kinds/descriptions/${packageId}.txt`, import.meta.url);
  return existsSync(url) ? readFileSync(url, 'utf8') : undefined;
}

/** Reads a file; undefined if it does not exist. Throws ConfigError naming the path for any other failure. */
export async function readTextFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (caught) {
    const cause = toError(caught);
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError(`cannot read ${path}: ${cause.message}`, { cause });
  }
}

/** Returns the names of the files in a folder, sorted. Throws ConfigError if the folder cannot be read. */
export async function listFiles(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map(({ name }) => name)
      .sort(compareUtf8);
  } catch (caught) {
    const cause = toError(caught);
    throw new ConfigError(`cannot read the folder ${folder}: ${cause.message}`, { cause });
  }
}

/** Calls `onChange` after changes in a folder. Reports nothing if the folder cannot be watched, or not any more. */
export function watchFolder(folder: string, onChange: () => void): { stop(): void } {
  try {
    const watcher = watch(folder, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return { stop: () => watcher.close() };
  } catch {
    return { stop: () => undefined };
  }
}

/**
 * Returns the host name, if it is a valid DNS name, and with `allAddresses` all IP addresses except loopback and
 * link-local ones.
 */
export function machineNames(options: { readonly allAddresses: boolean }): readonly string[] {
  const name = hostname().toLowerCase();
  const names = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name) && !/(^|\.)\d+$/.test(name) ? [name] : [];
  if (!options.allAddresses) return names;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  // A link-local address needs a zone, which a certificate cannot contain.
  return [
    ...names,
    ...addresses.filter((one) => !one.internal && !one.address.startsWith('fe80:')).map((one) => one.address),
  ];
}

/** Returns the names and addresses by which clients reach a listener on `host`. */
export function servingHosts(host: string): readonly string[] {
  const unspecified = host === '0.0.0.0' || host === '::';
  return [...machineNames({ allAddresses: unspecified }), ...(unspecified ? [] : [host])];
}

/** See `Platform.ensureServingPair`. */
export async function ensureServingPair(
  folder: string,
  pki: Pki,
  hosts: readonly string[],
  clock: Clock = systemClock,
): Promise<KeyedPem> {
  await ensureSecretFolder(folder);
  const files = await PkiFiles.open(folder, clock, ['apiserver.crt', 'apiserver.key']);
  const pair = await ensureLeaf(files, 'apiserver', pki.ca, { kind: 'server', hosts });
  await files.finish();
  return { ...pair, certificatePath: join(folder, 'apiserver.crt'), keyPath: join(folder, 'apiserver.key') };
}
