// The CronTabs in memory, with a log of changes that watches read. The revision of the collection grows by one with
// each write and is the resourceVersion of the object that was written.
import { randomUUID } from 'node:crypto';
import { GROUP, GROUP_VERSION } from './discovery.ts';

export interface CronTab {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: object;
}

export interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly [field: string]: unknown;
}

/** A CronTab as a client sends it: any of the fields may be missing. */
export interface Draft {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Partial<Metadata>;
  readonly spec?: object;
}

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly object: CronTab;
}

/** An answer that is not a success. The server sends it as a Status. */
export class Refusal extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** Older changes are forgotten. A watch from before them gets 410 and has to list again. */
const LOG_LENGTH = 1000;

const objects = new Map<string, CronTab>();
const followers = new Set<(change: Change) => void>();
let log: Change[] = [];
let revision = 1;

export function currentRevision(): number {
  return revision;
}

/** Namespace '' lists all namespaces. */
export function listCronTabs(namespace: string): CronTab[] {
  return [...objects.values()].filter(({ metadata }) => namespace === '' || metadata.namespace === namespace);
}

export function getCronTab(namespace: string, name: string): CronTab {
  const found = objects.get(`${namespace}/${name}`);
  if (found === undefined) throw new Refusal(404, 'NotFound', `crontabs.${GROUP} "${name}" not found`);
  return found;
}

export function createCronTab(namespace: string, draft: Draft): CronTab {
  const name = draft.metadata?.name;
  if (typeof name !== 'string' || !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name))
    throw new Refusal(422, 'Invalid', `metadata.name: Invalid value: ${JSON.stringify(name)}`);
  if (objects.has(`${namespace}/${name}`))
    throw new Refusal(409, 'AlreadyExists', `crontabs.${GROUP} "${name}" already exists`);
  const uid = randomUUID();
  const creationTimestamp = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  return write('ADDED', draft, { name, namespace, uid, creationTimestamp });
}

export function updateCronTab(namespace: string, name: string, draft: Draft): CronTab {
  const { uid, creationTimestamp, resourceVersion } = getCronTab(namespace, name).metadata;
  const wanted = draft.metadata?.resourceVersion;
  if (wanted !== undefined && wanted !== resourceVersion)
    throw new Refusal(409, 'Conflict', `crontabs.${GROUP} "${name}" was changed; read it again and repeat the update`);
  return write('MODIFIED', draft, { name, namespace, uid, creationTimestamp });
}

export function deleteCronTab(namespace: string, name: string): CronTab {
  const found = getCronTab(namespace, name);
  objects.delete(`${namespace}/${name}`);
  const metadata = { ...found.metadata, resourceVersion: String(++revision) };
  publish({ type: 'DELETED', revision, object: { ...found, metadata } });
  return found;
}

/** Calls `follow` with each change after `since` and with later ones, until the returned function is called. */
export function followCronTabs(since: number, follow: (change: Change) => void): () => void {
  const oldest = log[0]?.revision ?? revision + 1;
  if (since < oldest - 1) throw new Refusal(410, 'Expired', `changes after ${since} are no longer known`);
  for (const change of log) if (change.revision > since) follow(change);
  followers.add(follow);
  return () => followers.delete(follow);
}

type Fixed = Pick<Metadata, 'name' | 'namespace' | 'uid' | 'creationTimestamp'>;

function write(type: 'ADDED' | 'MODIFIED', draft: Draft, fixed: Fixed): CronTab {
  const kind = `${draft.apiVersion} ${draft.kind}`;
  if (kind !== `${GROUP_VERSION} CronTab`) throw new Refusal(400, 'BadRequest', `this is not a CronTab: ${kind}`);
  const metadata = { ...draft.metadata, ...fixed, resourceVersion: String(++revision) };
  const object = { apiVersion: GROUP_VERSION, kind: 'CronTab', metadata, ...(draft.spec && { spec: draft.spec }) };
  objects.set(`${fixed.namespace}/${fixed.name}`, object);
  publish({ type, revision, object });
  return object;
}

function publish(change: Change): void {
  log.push(change);
  if (log.length > 2 * LOG_LENGTH) log = log.slice(-LOG_LENGTH);
  for (const follow of followers) follow(change);
}
