/**
 * `keelson doctor`: looks for what would keep a server with these flags from starting, and changes nothing. Invariant: every check ends in one line; a check that
 * cannot be made counts as failed.
 */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { toError } from '../base/errors.ts';
import type { ServerOptions } from '../controlplane/options.ts';
import { lockFolder } from '../storage/lmdb/folder-lock.ts';

export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly line: string;
}

const LEAST_NODE = 20;
const DAY = 86_400_000;
/** Older than this program: a clock that says so is wrong. */
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

/** A check returns what is well, or throws what is not. */
async function finding(what: string, check: () => string | Promise<string>): Promise<Finding> {
  try {
    return { what, ok: true, line: await check() };
  } catch (caught) {
    return { what, ok: false, line: toError(caught).message };
  }
}

function checkNode(): string {
  const [major = ''] = process.versions.node.split('.');
  if (Number(major) < LEAST_NODE)
    throw new Error(`version ${process.versions.node} is too old, ${LEAST_NODE} or newer is needed`);
  return `version ${process.versions.node}`;
}

function checkClock(folder: string, now: number): string {
  const time = new Date(now).toISOString();
  if (now < PROGRAM_DATE) throw new Error(`it is ${time}, which is before this program was made: set the clock`);
  const changed = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
  if (changed !== undefined && changed > now + DAY)
    throw new Error(`it is ${time}, but ${folder} was changed at ${new Date(changed).toISOString()}: set the clock`);
  return time;
}

function checkFolder(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) {
    let parent = dirname(folder);
    while (statSync(parent, { throwIfNoEntry: false }) === undefined) parent = dirname(parent);
    accessSync(parent, constants.W_OK);
    return `${folder} will be made`;
  }
  accessSync(folder, constants.W_OK | constants.R_OK | constants.X_OK);
  const release = lockFolder(folder);
  release();
  return `${folder} can be written and is free`;
}

async function checkStorage({ storage }: ServerOptions): Promise<string> {
  if (storage === 'memory') return 'memory: everything is gone when the server ends';
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
    throw new Error(
      error.code === 'EADDRINUSE'
        ? `${bindAddress}:${port} is used by another program; choose another with --secure-port`
        : `${bindAddress}:${port} cannot be used: ${error.message}`,
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
    return [{ what: 'certificates', ok: absent, line: absent ? 'will be made on the first start' : message }];
  }
  return Promise.all(names.map((name) => finding('certificate', () => checkCertificate(join(folder, name), now))));
}

async function checkCertificate(path: string, now: number): Promise<string> {
  const certificate = new X509Certificate(await readFile(path));
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  if (now < from) throw new Error(`${path} is valid from ${new Date(from).toISOString()} on only`);
  if (now > to) throw new Error(`${path} ended at ${new Date(to).toISOString()}; the next start renews what it can`);
  return `${path} is valid for ${Math.floor((to - now) / DAY)} more days`;
}
