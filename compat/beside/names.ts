/**
 * Objects whose names have characters of every part of Unicode. Both servers must find what the other has written, use
 * the same bytes as the key, list in the same order, and continue with the tokens of the other.
 */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../src/base/json-value.ts';
import { mergePatch, metadataOf, must, nameOf, send } from '../common/json-requests.ts';
import type { Client } from '../diff/client.ts';
import { readKeys } from './etcd-keys.ts';
import type { TwoServers } from './services.ts';

const COLLECTION = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const KEYS = '/registry/clusterroles/';
const LABEL = { names: 'beside' };
const SELECTED = `${COLLECTION}?labelSelector=names%3Dbeside`;

/** Any character is allowed in a name except for slashes and percent signs. */
const NAMES = [
  'a b',
  'a+b?c#d&e',
  'A:~',
  '\u0001',
  '\u007f',
  'größe',
  '名前',
  '\ud7fe',
  '\ud7ff',
  '\ud7ff01f6a2',
  '\ue000',
  '\ufffd',
  '\uffff',
  '\uffffa',
  '\u{10000}',
  '\u{103ff}',
  '🚢',
  '🚢a',
  '\u{10ffff}',
];
const REFUSED = ['a%b', 'a/b', '..'];

/** Returns the differences. Throws if a server does not answer. */
export async function checkNames({ etcdUrl, clients }: TwoServers): Promise<readonly string[]> {
  const differences: string[] = [];
  const note = (what: string): void => void differences.push(`names: ${what}`);
  const [first, second] = clients as readonly [Client, Client];
  for (const [i, name] of NAMES.entries()) {
    const [writer, reader] = i % 2 === 0 ? [first, second] : [second, first];
    const body = { metadata: { name, labels: LABEL }, rules: [] };
    const created = await must(writer, { method: 'POST', path: COLLECTION, body });
    const read = await send(reader, { method: 'GET', path: pathOf(name) });
    if (!isDeepStrictEqual(read.body, created))
      note(`${JSON.stringify(name)} of ${writer.peer.name}: ${reader.peer.name} answers ${read.status}`);
    const again = await send(reader, { method: 'POST', path: COLLECTION, body });
    if (again.status !== 409) note(`${JSON.stringify(name)} is created twice`);
  }
  for (const name of REFUSED) {
    const body = { metadata: { name, labels: LABEL }, rules: [] };
    const [one, other] = await Promise.all(
      clients.map((client) => send(client, { method: 'POST', path: COLLECTION, body })),
    );
    if (one?.status !== other?.status || one?.body['message'] !== other?.body['message'])
      note(`${JSON.stringify(name)}: ${String(one?.body['message'])}, and ${String(other?.body['message'])}`);
  }
  const { keys } = await readKeys(etcdUrl, KEYS);
  const stored = keys.map(({ key }) => key.slice(KEYS.length)).filter((name) => NAMES.includes(name));
  if (stored.length !== NAMES.length) note(`etcd has the keys ${JSON.stringify(stored)}`);
  for (const client of clients) {
    const listed = (await itemsOf(client, SELECTED)).map(nameOf);
    if (!isDeepStrictEqual(listed, stored))
      note(`${client.peer.name} lists ${JSON.stringify(listed)} instead of ${JSON.stringify(stored)}`);
  }
  for (const limit of [1, 2, 5])
    for (const turns of [[first], [second], [first, second], [second, first]]) {
      const paged = await listPages(turns, limit);
      if (!isDeepStrictEqual(paged, stored))
        note(`pages of ${limit} of ${turns.map(({ peer }) => peer.name).join(' and ')}: ${JSON.stringify(paged)}`);
    }
  for (const [i, name] of NAMES.entries()) {
    const [writer, reader] = i % 2 === 0 ? [second, first] : [first, second];
    const changed = await must(
      writer,
      mergePatch(pathOf(name), { metadata: { annotations: { by: writer.peer.name } } }),
    );
    const read = await must(reader, { method: 'GET', path: pathOf(name) });
    if (metadataOf(read)['resourceVersion'] !== metadataOf(changed)['resourceVersion'])
      note(`${JSON.stringify(name)} changed by ${writer.peer.name} is another object in ${reader.peer.name}`);
    await must(reader, { method: 'DELETE', path: pathOf(name) });
    const gone = await send(writer, { method: 'GET', path: pathOf(name) });
    if (gone.status !== 404) note(`${JSON.stringify(name)}: ${gone.status} after the deletion`);
  }
  return differences;
}

function pathOf(name: string): string {
  return `${COLLECTION}/${encodeURIComponent(name)}`;
}

async function itemsOf(client: Client, path: string): Promise<readonly JsonObject[]> {
  return ((await must(client, { method: 'GET', path })) as { items?: JsonObject[] }).items ?? [];
}

/** Lists in pages, each from the next of the servers. */
async function listPages(turns: readonly Client[], limit: number): Promise<readonly string[]> {
  const names: string[] = [];
  let token = '';
  for (let page = 0; ; page++) {
    const path = `${SELECTED}&limit=${limit}&continue=${token}`;
    const list = await must(turns[page % turns.length] as Client, { method: 'GET', path });
    names.push(...((list as { items?: JsonObject[] }).items ?? []).map(nameOf));
    token = String(metadataOf(list)['continue'] ?? '');
    if (token === '') return names;
  }
}
