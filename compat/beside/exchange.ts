/**
 * The exchange of one object: created through one server; read, listed, watched, updated and deleted through the other.
 * Both servers must show the same object with the same resourceVersions, and both must use the same key.
 */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../src/base/json-value.ts';
import { differenceOf } from '../backup/compare-lists.ts';
import {
  collectionVersion,
  type JsonAnswer,
  mergePatch,
  metadataOf,
  must,
  nameOf,
  repeat,
  send,
  versionOf,
} from '../common/json-requests.ts';
import type { Client } from '../diff/client.ts';
import { readKeys } from './etcd-keys.ts';
import { EventStream, type WatchEvent } from './event-stream.ts';

export interface Subject {
  /** `apps/v1 deployments`. */
  readonly title: string;
  /** The path to create at. */
  readonly collection: string;
  readonly body: JsonObject;
  /** Whether the servers' own loops remove the finalizer of a deleted object. */
  readonly removesItself: boolean;
  /** Whether the servers' own loops have written the status of a new object. Absent: no loop writes it. */
  hasStatus?(object: JsonObject): boolean;
}

export interface ExchangeOptions {
  readonly etcdUrl: string;
  readonly writer: Client;
  readonly reader: Client;
  /** The first bytes of values that the writer stores. Default: any. */
  readonly prefix?: string | undefined;
  /** Whether the reader encodes the object to the bytes that the writer has stored. Default true. */
  readonly hasSameBytes?: boolean;
}

export interface Exchange {
  /** The key in etcd; undefined if both servers refuse the object. */
  readonly key: string | undefined;
  readonly differences: readonly string[];
}

const ANNOTATION = 'beside.example.com/changed-by';

/** Throws if a server does not answer. */
export async function exchange(subject: Subject, options: ExchangeOptions): Promise<Exchange> {
  const { writer, reader } = options;
  const differences: string[] = [];
  const note = (what: string): void => {
    differences.push(`${subject.title}, created through ${writer.peer.name}: ${what}`);
  };
  const from = await collectionVersion(writer, subject.collection);
  const created = await send(writer, { method: 'POST', path: subject.collection, body: subject.body });
  if (created.status !== 201) {
    const other = await send(reader, { method: 'POST', path: subject.collection, body: subject.body });
    if (other.status !== created.status || other.body['message'] !== created.body['message'])
      note(
        `${created.status} ${String(created.body['message'])}, but ${reader.peer.name} answers ${other.status} ${String(other.body['message'])}`,
      );
    return { key: undefined, differences };
  }
  const item = `${subject.collection}/${nameOf(created.body)}`;
  const settled = subject.hasStatus
    ? await repeat(writer, { method: 'GET', path: item }, createSettledCheck(subject.hasStatus))
    : created;
  const streams = [
    await EventStream.open(writer.peer, subject.collection, from),
    await EventStream.open(reader.peer, subject.collection, from),
  ];
  try {
    const key = await checkStored(settled.body, options, note);
    const read = await must(reader, { method: 'GET', path: item });
    compare(`GET through ${reader.peer.name}`, settled.body, read, note);
    await compareLists(subject.collection, nameOf(read), [writer, reader], note);
    await checkBytes(item, read, options, note);
    const changed = await update(item, reader);
    if (Number(versionOf(changed)) <= Number(versionOf(read)))
      note(`${versionOf(read)} is followed by ${versionOf(changed)}`);
    compare(
      `GET through ${writer.peer.name} after the update`,
      changed,
      await must(writer, { method: 'GET', path: item }),
      note,
    );
    await remove(subject, item, options);
    await compareEvents(streams, changed, note);
    const gone = await send(writer, { method: 'GET', path: item });
    if (gone.status !== 404) note(`${gone.status} after the deletion`);
    return { key, differences };
  } finally {
    for (const stream of streams) stream.stop();
  }
}

/** Unchanged reads, 50 ms apart, after which no loop writes the status any more. */
const UNCHANGED_READS = 20;

/**
 * Returns a check for answers that are read one after the other: whether the object has its status and no longer
 * changes. The loops of both servers write the status, and the second of them may write it with a later time.
 */
function createSettledCheck(hasStatus: (object: JsonObject) => boolean): (answer: JsonAnswer) => boolean {
  let version = '';
  let unchanged = 0;
  return ({ body }) => {
    unchanged = versionOf(body) === version ? unchanged + 1 : 0;
    version = versionOf(body);
    return unchanged >= UNCHANGED_READS && hasStatus(body);
  };
}

type Note = (what: string) => void;

function compare(what: string, expected: unknown, actual: unknown, note: Note): void {
  if (!isDeepStrictEqual(expected, actual)) note(`${what}: ${differenceOf(expected, actual)}`);
}

/** The resourceVersion of a new object is the revision of its key. */
async function checkStored(created: JsonObject, { etcdUrl, prefix }: ExchangeOptions, note: Note): Promise<string> {
  const { keys } = await readKeys(etcdUrl, '/', { at: Number(versionOf(created)) });
  const [stored] = keys;
  if (stored === undefined) {
    note(`no key has the revision ${versionOf(created)}`);
    return '';
  }
  if (prefix !== undefined && !stored.value.subarray(0, prefix.length).equals(Buffer.from(prefix)))
    note(`its value does not begin with ${prefix}`);
  return stored.key;
}

async function compareLists(collection: string, name: string, clients: readonly Client[], note: Note): Promise<void> {
  const [first, second] = await Promise.all(
    clients.map(async (client) => {
      const { items } = (await must(client, { method: 'GET', path: collection })) as { items?: JsonObject[] };
      return items?.find((item) => nameOf(item) === name);
    }),
  );
  if (first === undefined || second === undefined) note('a list lacks it');
  compare('its items in both lists', first, second, note);
}

/** A patch without a change is stored only if the server encodes the object to other bytes. */
async function checkBytes(item: string, read: JsonObject, options: ExchangeOptions, note: Note): Promise<void> {
  if (options.hasSameBytes === false) return;
  const patched = await must(options.reader, mergePatch(item, {}));
  if (versionOf(patched) !== versionOf(read))
    note(`${options.reader.peer.name} stores the same object with other bytes`);
}

async function update(item: string, client: Client): Promise<JsonObject> {
  const object = await must(client, { method: 'GET', path: item });
  const metadata = metadataOf(object);
  const annotations = { ...(metadata['annotations'] as JsonObject | undefined), [ANNOTATION]: client.peer.name };
  return must(client, { method: 'PUT', path: item, body: { ...object, metadata: { ...metadata, annotations } } });
}

/** Deletes through the reader. Finalizers are removed through the writer. */
async function remove(
  { removesItself, title }: Subject,
  item: string,
  { reader, writer }: ExchangeOptions,
): Promise<void> {
  await must(reader, { method: 'DELETE', path: item });
  if (removesItself) return;
  const left = await send(writer, { method: 'GET', path: item });
  if (left.status === 404) return;
  if (title === 'v1 namespaces')
    await must(writer, { method: 'PUT', path: `${item}/finalize`, body: { ...left.body, spec: {} } });
  else await must(writer, mergePatch(item, { metadata: { finalizers: null } }));
}

/** Both watches show the same events, up to the deletion of the object. */
async function compareEvents(streams: readonly EventStream[], object: JsonObject, note: Note): Promise<void> {
  const { uid } = metadataOf(object);
  const isDeletion = ({ type, object: seen }: WatchEvent): boolean =>
    type === 'DELETED' && metadataOf(seen)['uid'] === uid;
  const [first, second] = await Promise.all(
    streams.map(async (stream) => {
      const last = await stream.until(`deletion of ${nameOf(object)}`, isDeletion);
      return stream.events.slice(0, stream.events.indexOf(last) + 1);
    }),
  );
  compare('the events of both watches', first, second, note);
}
