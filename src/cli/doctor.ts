/**
 * The checks of `keelson doctor`: whether a server with the given flags could start. Invariants: the checks change
 * nothing; each check ends in one line; a check that cannot run counts as failed.
 */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ConfigError, toError } from '../base/errors.ts';
import type { ServerOptions } from '../controlplane/options.ts';
import { folderError } from '../storage/lmdb/folder-error.ts';
import { lockFolder } from '../storage/lmdb/folder-lock.ts';

export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly line: string;
}

const MIN_NODE = 20;
const DAY = 86_400_000;
/** A clock before this time is wrong, because the program is newer. */
const PROGRAM_DATE = Date.UTC(2026, 0, 1);

export async function examine(options: ServerOptions, now: number): Promise<readonly Finding[]> {
  const folder = resolve(options.dataDir);
  return [
    await finding('Node', checkNode),
    await finding('clock', () => checkClock(folder, now)),
    await finding('folder', () => checkFolder(folder)),
    await finding('storage', () => checkStorage(options)),
    await finding('port', () => checkPort(options)),
    ...(await certificateFindings(join(folder, 'pki'), now)),
  ];
}

/** Runs a check, which returns the line about its success or throws an error whose message is the line. */
async function finding(what: string, check: () => string | Promise<string>): Promise<Finding> {
  try {
    return { what, ok: true, line: await check() };
  } catch (caught) {
    return { what, ok: false, line: toError(caught).message };
  }
}

function checkNode(): string {
  const [major = ''] = process.versions.node.split('.');
  if (Number(major) < MIN_NODE)
    throw new ConfigError(`version ${process.versions.node} is too old: install ${MIN_NODE} or newer`);
  return `version ${process.versions.node}`;
}

function checkClock(folder: string, now: number): string {
  const time = new Date(now).toISOString();
  if (now < PROGRAM_DATE)
    throw new ConfigError(`the clock says ${time}, which is before this program was built: set the clock`);
  const changed = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
  if (changed !== undefined && changed > now + DAY)
    throw new ConfigError(
      `the clock says ${time}, but ${folder} was modified at ${new Date(changed).toISOString()}: set the clock`,
    );
  return time;
}

function checkFolder(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) {
    let parent = dirname(folder);
    while (statSync(parent, { throwIfNoEntry: false }) === undefined) parent = dirname(parent);
    accessSync(parent, constants.W_OK);
    return `${folder} will be created`;
  }
  try {
    accessSync(folder, constants.W_OK | constants.R_OK | constants.X_OK);
  } catch (caught) {
    throw folderError(toError(caught), folder);
  }
  const release = lockFolder(folder);
  release();
  return `${folder} is writable and not in use`;
}

async function checkStorage({ storage }: ServerOptions): Promise<string> {
  if (storage === 'memory') return 'memory: objects are lost when the server stops';
  const scratch = await mkdtemp(join(tmpdir(), 'keelson-doctor-'));
  try {
    const { openLmdbStorage } = await import('../storage/lmdb/open.ts');
    await (await openLmdbStorage({ folder: join(scratch, 'store') })).stop();
    return 'lmdb works on this machine';
  } finally {
    await rm(scratch, { recursive: true });
  }
}

async function checkPort({ serving: { bindAddress, port } }: ServerOptions): Promise<string> {
  const server = createServer();
  try {
    server.listen({ host: bindAddress, port });
    await once(server, 'listening');
    return `${bindAddress}:${port} is free`;
  } catch (caught) {
    const error = toError(caught) as NodeJS.ErrnoException;
    throw new ConfigError(
      error.code === 'EADDRINUSE'
        ? `${bindAddress}:${port} is in use by another program (try --secure-port=0)`
        : `cannot listen on ${bindAddress}:${port}: ${error.message}`,
    );
  } finally {
    server.close();
  }
}

async function certificateFindings(folder: string, now: number): Promise<Finding[]> {
  let names: string[];
  try {
    names = (await readdir(folder)).filter((name) => name.endsWith('.crt')).sort();
  } catch (caught) {
    const { code, message } = toError(caught) as NodeJS.ErrnoException;
    const absent = code === 'ENOENT';
    return [{ what: 'certificates', ok: absent, line: absent ? 'will be created on the first start' : message }];
  }
  return Promise.all(names.map((name) => finding('certificate', () => checkCertificate(join(folder, name), now))));
}

async function checkCertificate(path: string, now: number): Promise<string> {
  const certificate = new X509Certificate(await readFile(path));
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  if (now < from) throw new ConfigError(`${path} is not valid before ${new Date(from).toISOString()}: check the clock`);
  if (now > to)
    throw new ConfigError(
      `${path} expired at ${new Date(to).toISOString()}: restart the server, which renews the certificates that it made`,
    );
  return `${path} is valid for ${Math.floor((to - now) / DAY)} more days`;
}
