/**
 * Cluster IPs and node ports that both servers allocate at the same time from ranges that are smaller than the demand.
 * The values that the servers keep for themselves must have the same bytes.
 */
import { isDeepStrictEqual } from 'node:util';
import { decodeObject } from '../../src/apimachinery/protobuf/decode.ts';
import { decodeBase64 } from '../../src/base/base64.ts';
import type { JsonObject } from '../../src/base/json-value.ts';
import { kindView } from '../../src/kinds/views.ts';
import { PortBits } from '../../src/kube/allocators/port-bits.ts';
import { type JsonAnswer, must, nameOf, repeat, send } from '../common/json-requests.ts';
import type { Client } from '../diff/client.ts';
import { readKey } from './etcd-keys.ts';

const PORTS = { first: 30000, size: 40 };
/** The flag that makes the range of node ports smaller than the demand. */
export const PORT_RANGE_FLAG: string = `--service-node-port-range=${PORTS.first}-${PORTS.first + PORTS.size - 1}`;
const SERVICES_PER_SERVER = 30;
const FIXED_PORT = PORTS.first + 7;
const ALLOCATED_PORTS = '/registry/ranges/servicenodeports';
const NAMESPACE = 'ranges';
const SERVICES = `/api/v1/namespaces/${NAMESPACE}/services`;

/** Two servers that were started with `PORT_RANGE_FLAG`. */
export interface TwoServers {
  readonly etcdUrl: string;
  readonly clients: readonly [Client, Client];
}

/** Returns one sentence for each difference. May be called again. */
export async function checkServices(servers: TwoServers): Promise<readonly string[]> {
  const [first, second] = servers.clients;
  const made = await send(first, {
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { metadata: { name: NAMESPACE } },
  });
  if (made.status !== 201 && made.status !== 409) throw new Error(`no namespace: ${String(made.body['message'])}`);
  await repeat(second, { method: 'GET', path: `/api/v1/namespaces/${NAMESPACE}` }, ({ status }) => status === 200);
  return [
    ...(await compareFixedPort(servers)),
    ...(await exhaustPorts(servers)),
    ...(await checkTaken(servers, 0)),
    ...(await checkTaken(servers, 1)),
    ...(await deleteAll(servers)),
  ];
}

function nodePortService(name: string, nodePort?: number): JsonObject {
  const port = { port: 80, protocol: 'TCP', ...(nodePort !== undefined && { nodePort }) };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { type: 'NodePort', ports: [port] } };
}

function create(client: Client, name: string, nodePort?: number): Promise<JsonAnswer> {
  return send(client, { method: 'POST', path: SERVICES, body: nodePortService(name, nodePort) });
}

/** The same port, allocated by either server, makes the same value in etcd, and so does its release. */
async function compareFixedPort({ etcdUrl, clients }: TwoServers): Promise<readonly string[]> {
  const values: string[] = [];
  for (const client of clients) {
    const { status, body } = await create(client, 'fixed', FIXED_PORT);
    if (status !== 201)
      throw new Error(`${client.peer.name} refuses the port ${FIXED_PORT}: ${String(body['message'])}`);
    values.push(await allocatedValue(etcdUrl));
    await must(client, { method: 'DELETE', path: `${SERVICES}/fixed` });
    values.push(await allocatedValue(etcdUrl));
  }
  const [taken, freed, otherTaken, otherFreed] = values;
  const differences: string[] = [];
  if (taken !== otherTaken) differences.push(`an allocated port is stored as ${taken} and ${otherTaken}`);
  if (freed !== otherFreed) differences.push(`a released port is stored as ${freed} and ${otherFreed}`);
  return differences;
}

async function allocatedValue(etcdUrl: string): Promise<string> {
  return (await readKey(etcdUrl, ALLOCATED_PORTS))?.value.toString('hex') ?? 'none';
}

/** Both servers create Services at the same time until no port is left. Names begin with the index of the server. */
async function exhaustPorts(servers: TwoServers): Promise<readonly string[]> {
  const differences: string[] = [];
  const names = Array.from({ length: SERVICES_PER_SERVER }, (_, i) => `service-${i}`);
  const answers = await Promise.all(
    servers.clients.map((client, server) => Promise.all(names.map((name) => create(client, `s${server}-${name}`)))),
  );
  const created = answers.flat().filter(({ status }) => status === 201).length;
  if (created !== PORTS.size) differences.push(`${created} Services got one of ${PORTS.size} ports`);
  const refusals = answers
    .map((own) => [...new Set(own.filter(({ status }) => status !== 201).map(refusalOf))].sort())
    .filter(({ length }) => length > 0);
  if (refusals.length > 1 && !isDeepStrictEqual(refusals[0], refusals[1]))
    differences.push(`without a free port the answers are ${JSON.stringify(refusals)}`);
  return [...differences, ...(await compareAllocated(servers, 'after both servers created Services'))];
}

function refusalOf({ status, body }: JsonAnswer): string {
  return `${status} ${String(body['message']).replaceAll(/s[01]-service-\d+/g, 'NAME')}`;
}

/** Ports and addresses are allocated exactly as long as a Service has them, and each Service has its own. */
async function compareAllocated({ etcdUrl, clients }: TwoServers, when: string): Promise<readonly string[]> {
  const differences: string[] = [];
  const [client] = clients;
  const services = itemsOf(await must(client, { method: 'GET', path: '/api/v1/services' }));
  const addresses = itemsOf(await must(client, { method: 'GET', path: '/apis/networking.k8s.io/v1/ipaddresses' }));
  const specs = services.map(({ spec }) => spec as { clusterIP: string; ports?: { nodePort?: number }[] });
  const ports = specs.flatMap(({ ports: own = [] }) => own.flatMap(({ nodePort }) => nodePort ?? []));
  const expected = ports.sort((a, b) => a - b).join();
  const stored = [...(await storedPorts(etcdUrl))].join();
  if (expected !== stored) differences.push(`${when}: Services have the ports ${expected}, allocated are ${stored}`);
  const ips = specs.map(({ clusterIP }) => clusterIP).sort();
  const names = addresses.map(nameOf).sort();
  if (!isDeepStrictEqual(ips, names))
    differences.push(`${when}: Services have ${ips.join()}, allocated are ${names.join()}`);
  if (new Set(ips).size < ips.length) differences.push(`${when}: two Services have the same address`);
  return differences;
}

function itemsOf(list: JsonObject): readonly JsonObject[] {
  return list['items'] as JsonObject[];
}

async function storedPorts(etcdUrl: string): Promise<Iterable<number>> {
  const value = (await readKey(etcdUrl, ALLOCATED_PORTS))?.value ?? Buffer.alloc(0);
  const decoded = decodeObject(value, () => kindView('', 'v1', 'RangeAllocation'));
  if (!decoded.ok) throw new Error(`${ALLOCATED_PORTS} cannot be decoded: ${decoded.error.message}`);
  const { data } = decoded.value;
  return PortBits.fromData(PORTS, decodeBase64(String(data ?? '')) ?? new Uint8Array()).ports();
}

/** A port of a Service of one server is refused by both in the same words. */
async function checkTaken({ clients }: TwoServers, owner: number): Promise<readonly string[]> {
  const services = itemsOf(await must(clients[0], { method: 'GET', path: SERVICES }));
  const service = services.find((one) => nameOf(one).startsWith(`s${owner}-`));
  const port = (service?.['spec'] as { ports: { nodePort: number }[] } | undefined)?.ports[0]?.nodePort;
  if (port === undefined) return [`server ${owner} has created no Service`];
  const [first, second] = await Promise.all(clients.map((client) => create(client, 'taken', port)));
  if (first?.status === 422 && isDeepStrictEqual(first, second)) return [];
  return [`a taken port is answered with ${JSON.stringify(first)} and ${JSON.stringify(second)}`];
}

/** Each server deletes the Services of the other one. */
async function deleteAll(servers: TwoServers): Promise<readonly string[]> {
  const [first, second] = servers.clients;
  const services = itemsOf(await must(second, { method: 'GET', path: SERVICES }));
  await Promise.all(
    services.map((service) =>
      must(nameOf(service).startsWith('s0-') ? second : first, {
        method: 'DELETE',
        path: `${SERVICES}/${nameOf(service)}`,
      }),
    ),
  );
  return compareAllocated(servers, 'after each server deleted the Services of the other');
}
