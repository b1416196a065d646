/** The exchange of objects of every built-in kind, of a definition, and of custom objects in two versions. */
import type { JsonObject } from '../../src/base/json-value.ts';
import { readStubs } from '../apply/stubs.ts';
import { collectionOf, type ListedResource, listedResources, NAMESPACE, SAILS, stubKey } from '../backup/every-kind.ts';
import { must, repeat } from '../common/json-requests.ts';
import type { Client } from '../diff/client.ts';
import { DEFINITIONS } from '../diff/topics/definition-bodies.ts';
import { exchange, type Subject } from './exchange.ts';
import { type OneEtcd, otherSide, SIDES, type Side } from './one-etcd.ts';

const SAIL_VERSIONS = ['v1', 'v1beta1'];

export interface ExchangeRun {
  /** The first bytes of what each server stores. Undefined: values are not encrypted. */
  readonly prefixes: Readonly<Record<Side, string>> | undefined;
  /** False if the servers store the same object with different bytes: with different keys, or as JSON. */
  readonly comparesBytes: boolean;
}

export interface ExchangeReport {
  readonly kinds: number;
  /** The subjects that both servers refuse. */
  readonly refused: readonly string[];
  readonly differences: readonly string[];
}

/** Both servers must run. The suite's namespace and definition stay. */
export async function exchangeEveryKind(etcd: OneEtcd, run: ExchangeRun): Promise<ExchangeReport> {
  const differences: string[] = [];
  const refused: string[] = [];
  const reference = etcd.client('reference');
  await must(reference, { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
  await must(etcd.client('keelson'), { method: 'POST', path: DEFINITIONS, body: SAILS });
  const sails = sailSubject('v1').collection;
  for (const side of SIDES)
    await repeat(etcd.client(side), { method: 'GET', path: sails }, ({ status }) => status === 200);
  const resources = await listedResources(reference);
  differences.push(...(await missingResources(resources, etcd.client('keelson'))));
  const subjects = [...stubSubjects(resources), ...SAIL_VERSIONS.map(sailSubject)];
  for (const subject of subjects) {
    const keys = new Map<Side, string | undefined>();
    for (const side of SIDES) {
      const result = await exchange(subject, {
        etcdUrl: etcd.url,
        writer: etcd.client(side),
        reader: etcd.client(otherSide(side)),
        // Either server may have written the status.
        prefix: subject.hasStatus === undefined ? run.prefixes?.[side] : undefined,
        hasSameBytes: run.comparesBytes && !isStoredAsJson(subject),
      });
      differences.push(...result.differences);
      keys.set(side, result.key);
    }
    if (keys.get('reference') === undefined) refused.push(subject.title);
    if (keys.get('reference') !== keys.get('keelson'))
      differences.push(`${subject.title}: the keys are ${keys.get('reference')} and ${keys.get('keelson')}`);
  }
  return { kinds: subjects.length, refused, differences };
}

function stubSubjects(resources: readonly ListedResource[]): readonly Subject[] {
  const stubs = readStubs(NAMESPACE);
  return resources.flatMap((resource) => {
    const stub = stubs.objects.get(stubKey(resource));
    if (stub === undefined || !resource.canCreate) return [];
    return {
      title: `${resource.groupVersion} ${resource.name}`,
      collection: collectionOf(resource),
      body: { apiVersion: resource.groupVersion, kind: resource.kind, ...stub },
      removesItself: resource.kind === 'CustomResourceDefinition',
      ...(STATUS_LOOPS.has(resource.kind) && { hasStatus }),
    };
  });
}

/** Kinds whose conditions both servers write, and the last condition of their stubs. */
const STATUS_LOOPS = new Map([
  ['CustomResourceDefinition', 'Established=True'],
  ['FlowSchema', 'Dangling=True'],
]);

function hasStatus({ kind, status }: JsonObject): boolean {
  const { conditions } = (status ?? {}) as { conditions?: { type: string; status: string }[] | null };
  return (conditions ?? []).some((one) => `${one.type}=${one.status}` === STATUS_LOOPS.get(String(kind)));
}

function sailSubject(version: string): Subject {
  return {
    title: `backup.example.com/${version} sails`,
    collection: `/apis/backup.example.com/${version}/namespaces/${NAMESPACE}/sails`,
    body: {
      apiVersion: `backup.example.com/${version}`,
      kind: 'Sail',
      metadata: { name: `sail-${version}`, labels: { rig: 'gaff' } },
      spec: { cloth: 'ünïcode 🚢 <&>' },
    },
    removesItself: false,
  };
}

/** The reference stores these as JSON with sorted keys and a final newline. */
function isStoredAsJson({ title }: Subject): boolean {
  return /^(apiextensions\.k8s\.io|apiregistration\.k8s\.io|backup\.example\.com)\//.test(title);
}

/** One sentence for each resource that only the reference serves. */
async function missingResources(resources: readonly ListedResource[], keelson: Client): Promise<readonly string[]> {
  const ours = new Set((await listedResources(keelson)).map(({ path }) => path));
  return resources.filter(({ path }) => !ours.has(path)).map(({ path }) => `keelson does not serve ${path}`);
}
