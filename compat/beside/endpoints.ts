/** The endpoints of `default/kubernetes` and the keys behind them, while servers start, stop and are killed. */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../src/base/json-value.ts';
import { must, versionOf } from '../common/json-requests.ts';
import type { Client } from '../diff/client.ts';
import { readKeys, type StoredKey } from './etcd-keys.ts';
import { EventStream } from './event-stream.ts';
import { ADVERTISED, type OneEtcd, otherSide, SIDES, type Side } from './one-etcd.ts';

const ENDPOINTS = '/api/v1/namespaces/default/endpoints';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const SERVER_KEYS = '/registry/masterleases/';

/** Both servers run: both are in the endpoints, and their keys have the same form. */
export async function checkEndpoints(etcd: OneEtcd): Promise<readonly string[]> {
  const differences: string[] = [];
  for (const side of SIDES)
    await untilAddresses(
      etcd.client(side),
      SIDES.map((each) => ADVERTISED[each]),
    );
  const { keys } = await readKeys(etcd.url, SERVER_KEYS);
  const names = keys.map(({ key }) => key);
  if (
    !isDeepStrictEqual(
      names,
      SIDES.map((side) => SERVER_KEYS + ADVERTISED[side]),
    )
  )
    differences.push(`the keys of servers are ${names.join()}`);
  const [first, second] = keys.map(withoutOwn);
  if (first !== second) differences.push(`the values of the servers' keys are ${first} and ${second}`);
  return differences;
}

/** The bytes without the address and the counter of renewals, of which the last one is the generation. */
function withoutOwn({ key, value, version }: StoredKey): string {
  const address = Buffer.from(key.slice(SERVER_KEYS.length)).toString('hex');
  // metadata.generation is field 7, a varint.
  return value
    .toString('hex')
    .replaceAll(address, 'ADDRESS')
    .replace(`38${version.toString(16).padStart(2, '0')}`, '38GENERATION');
}

/** One server is killed and disappears; when it is back, so is its address. */
export async function checkKilled(etcd: OneEtcd, killed: Side): Promise<readonly string[]> {
  await etcd.kill(killed);
  return checkReturn(etcd, killed);
}

/** A server that stops removes itself. Its address is gone when it has ended. */
export async function checkStopped(etcd: OneEtcd, stopped: Side): Promise<readonly string[]> {
  await etcd.terminate(stopped);
  const { keys } = await readKeys(etcd.url, SERVER_KEYS);
  const differences = keys.some(({ key }) => key.endsWith(ADVERTISED[stopped])) ? [`${stopped} has left its key`] : [];
  return [...differences, ...(await checkReturn(etcd, stopped))];
}

/** Waits until a server that has ended is not in the endpoints any more, and starts it again. */
async function checkReturn(etcd: OneEtcd, ended: Side): Promise<readonly string[]> {
  const left = otherSide(ended);
  await untilAddresses(etcd.client(left), [ADVERTISED[left]]);
  await etcd.launch(ended);
  return checkEndpoints(etcd);
}

/** Waits until both objects have exactly these addresses. */
async function untilAddresses(client: Client, wanted: readonly string[]): Promise<void> {
  for (const [collection, addressesOf] of [
    [ENDPOINTS, endpointAddresses],
    [SLICES, sliceAddresses],
  ] as const) {
    const path = `${collection}?fieldSelector=metadata.name%3Dkubernetes`;
    const isWanted = (object: JsonObject): boolean =>
      isDeepStrictEqual([...addressesOf(object)].sort(), [...wanted].sort());
    const list = await must(client, { method: 'GET', path });
    if ((list['items'] as JsonObject[]).some(isWanted)) continue;
    const stream = await EventStream.open(client.peer, path, versionOf(list));
    try {
      await stream.until(`endpoints ${wanted.join()}`, ({ object }) => isWanted(object));
    } finally {
      stream.stop();
    }
  }
}

function endpointAddresses(object: JsonObject): readonly string[] {
  const subsets = (object['subsets'] ?? []) as unknown as { addresses?: { ip: string }[] }[];
  return subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
}

function sliceAddresses(object: JsonObject): readonly string[] {
  const endpoints = (object['endpoints'] ?? []) as unknown as { addresses?: string[] }[];
  return endpoints.flatMap(({ addresses = [] }) => addresses);
}
