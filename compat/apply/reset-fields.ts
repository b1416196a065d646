/**
 * The sequences about reset fields: for every resource that the reference serves, applies and updates to the main path
 * with another status and to each subresource with another spec. The strategy of the kind decides what is owned.
 */
import type { JsonObject, JsonValue } from '../../src/base/json-value.ts';
import { ask, type Client } from '../diff/client.ts';
import { type Edit, isDict, type Sequence, type Step } from './sequence.ts';
import { readStubs, type Stubs } from './stubs.ts';
import { apiVersionOf, collectionOf, NAMESPACE, type Subject } from './subject.ts';
import { GROUP } from './subjects/definitions.ts';

interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

const DEFAULT_STATUS: JsonObject = { status: { conditions: [{ type: 'Seen', status: 'True' }] } };
const OTHER_DEFAULT_STATUS: JsonObject = { status: { conditions: [{ type: 'Seen', status: 'False' }] } };
/** Loops of both servers write the status of these. */
const LOOPS = /^(?:customresourcedefinitions|flowschemas|prioritylevelconfigurations|apiservices|servicecidrs)$/;
const SETTLE_MS = 1500;
/** Their objects are not stored, or take part in the setup of the run. */
const LEFT_OUT = /review(s)?$|^bindings$|^componentstatuses$/;

/** Returns one sequence for each resource. Throws if a resource that can be written has no stub. */
export async function resetFieldSequences(reference: Client): Promise<Sequence[]> {
  const stubs = readStubs(NAMESPACE);
  const sequences: Sequence[] = [];
  const missing: string[] = [];
  for (const { group, version, resources } of await discover(reference)) {
    // The generated sequences are about the custom kinds.
    if (group === GROUP) continue;
    for (const { name: plural, kind, namespaced, verbs } of resources) {
      if (plural.includes('/') || LEFT_OUT.test(plural) || !verbs.includes('patch')) continue;
      const key = `${group}/${version}/${plural}`;
      const stub = stubs.objects.get(key);
      if (stub === undefined) {
        missing.push(key);
        continue;
      }
      const subject: Subject = {
        group,
        versions: [version],
        plural,
        kind,
        clusterScoped: !namespaced,
        base: {},
        part: () => () => ({}),
      };
      const subresources = resources
        .filter((one) => one.name.startsWith(`${plural}/`) && one.kind === kind && one.verbs.includes('patch'))
        .map((one) => one.name.slice(plural.length + 1));
      const { name } = stub['metadata'] as { name: string };
      const known = await withoutUndeclared(reference, subject, stub);
      sequences.push({
        title: `reset fields of ${key}`,
        subject,
        name,
        steps: stepsOf(subject, subresources, objectsOf(subject, key, known, stubs)),
        clocked: false,
        ...(LOOPS.test(plural) ? { settleMs: SETTLE_MS } : {}),
      });
    }
  }
  if (missing.length > 0) throw new Error(`upstream has no stub for ${missing.join(', ')}`);
  return sequences;
}

/** Some stubs have fields that the type does not declare. A create ignores them; an apply would be refused. */
async function withoutUndeclared(reference: Client, subject: Subject, stub: JsonObject): Promise<JsonObject> {
  const path = `${collectionOf(subject, subject.versions[0] as string)}?dryRun=All`;
  const { status, text } = await ask(reference, { method: 'POST', path, body: stub }, new Map());
  return status === 201 ? (intersection(stub, JSON.parse(text) as JsonObject) as JsonObject) : stub;
}

/** Returns the fields of the first value that the second one has too. */
function intersection(value: JsonValue, other: JsonValue | undefined): JsonValue {
  if (Array.isArray(value) && Array.isArray(other)) return value.map((item, i) => intersection(item, other[i]));
  if (!isDict(value) || !isDict(other)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key in other)
      .map(([key, child]) => [key, intersection(child, other[key])]),
  );
}

/** Returns two objects that differ in spec, status and labels. */
function objectsOf(subject: Subject, key: string, stub: JsonObject, stubs: Stubs): readonly [JsonObject, JsonObject] {
  const head: JsonObject = { apiVersion: apiVersionOf(subject, subject.versions[0] as string), kind: subject.kind };
  const first: JsonObject = { ...stub, ...head, ...(stubs.statuses.get(key) ?? DEFAULT_STATUS) };
  const { metadata = {}, ...spec } = stubs.otherSpecs.get(key) ?? {};
  const second: JsonObject = {
    ...first,
    ...spec,
    ...(stubs.otherStatuses.get(key) ?? OTHER_DEFAULT_STATUS),
    metadata: {
      ...(first['metadata'] as JsonObject),
      labels: { changed: 'yes' },
      ...(isDict(metadata) ? metadata : {}),
    },
  };
  return [first, second];
}

function stepsOf(
  { versions }: Subject,
  subresources: readonly string[],
  [first, second]: readonly [JsonObject, JsonObject],
): Step[] {
  const version = versions[0] as string;
  const { status: _first, ...firstSpec } = first;
  const { status: _second, ...secondSpec } = second;
  // A kind without the subresource has no such field, so its objects are sent without it.
  const hasStatus = subresources.includes('status');
  const [one, other] = hasStatus ? [first, second] : [firstSpec, secondSpec];
  const at = (subresource: string): Pick<Step, 'version' | 'subresource'> =>
    subresource === '' ? { version } : { version, subresource };
  const apply = (subresource: string, manager: string, body: JsonObject, force = false): Step => ({
    method: 'PATCH',
    patch: 'apply',
    ...at(subresource),
    query: { fieldManager: manager, ...(force ? { force: 'true' } : {}) },
    body,
  });
  const update = (subresource: string, manager: string, overlay: JsonObject): Step => ({
    method: 'PUT',
    ...at(subresource),
    query: { fieldManager: manager },
    edit: { overlay, remove: [], managedFields: 'keep', revision: 'drop' } satisfies Edit,
  });
  const merge = (subresource: string, manager: string, { apiVersion: _v, kind: _k, ...body }: JsonObject): Step => ({
    method: 'PATCH',
    patch: 'merge',
    ...at(subresource),
    query: { fieldManager: manager },
    body,
  });
  return [
    apply('', 'first', one),
    ...subresources.map((name) => apply(name, `second-${name}`, other)),
    apply('', 'second', other),
    ...subresources.map((name) => apply(name, `first-${name}`, one)),
    apply('', 'second', other, true),
    ...subresources.map((name) => apply(name, `first-${name}`, one, true)),
    update('', 'updater', one),
    ...subresources.map((name) => update(name, `updater-${name}`, other)),
    merge('', 'patcher', other),
    ...subresources.map((name) => merge(name, `patcher-${name}`, one)),
    { method: 'GET', version, query: {} },
  ];
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ApiResource[];
}

async function discover(client: Client): Promise<GroupVersion[]> {
  const read = async (path: string): Promise<unknown> => {
    const { status, text } = await ask(client, { method: 'GET', path }, new Map());
    if (status !== 200) throw new Error(`${client.peer.name} answers ${status} to ${path}`);
    return JSON.parse(text);
  };
  const { groups } = (await read('/apis')) as { groups: { versions: { groupVersion: string }[] }[] };
  const versions = ['v1', ...groups.flatMap((one) => one.versions.map(({ groupVersion }) => groupVersion))];
  return Promise.all(
    versions.map(async (groupVersion) => {
      const path = groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`;
      const { resources } = (await read(path)) as { resources: ApiResource[] };
      const [version, group = ''] = groupVersion.split('/').reverse() as [string, string?];
      return { group, version, resources };
    }),
  );
}
