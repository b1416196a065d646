/**
 * Bounds of managedFields and server-side apply for large and hostile requests. Work is counted in executed blocks, so
 * the load of the machine does not matter. A bound compares the work for n and 4n items: 4 is linear, 16 quadratic.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestExtensions, type TestExtensions } from '../src/apiextensions/apiextensions.fixtures.ts';
import type { JsonObject, JsonValue } from '../src/base/json-value.ts';
import { causesOf, startTestKube, type TestAnswer, type TestKube } from '../src/kube/kube-server.fixtures.ts';
import { createStepCounter, type StepCounter } from './fuzz/steps.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const MEBIBYTE = 2 ** 20;
/** Linear work, n log n included. */
const LINEAR = 7;
const SMALL = 200;

let kube: TestKube;
let extensions: TestExtensions;
let counter: StepCounter;
beforeAll(async () => {
  kube = await startTestKube();
  extensions = await startTestExtensions();
  await extensions.define(BOATS);
});
afterAll(() => kube.stop());

/** Counts steps in the tests of the calling suite. Everything is slower meanwhile. */
function countSteps(): void {
  beforeAll(async () => {
    counter = await createStepCounter();
  });
  afterAll(() => counter.stop());
}

const text: JsonObject = { type: 'string' };
const BOATS: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.bounds.test' },
  spec: {
    group: 'bounds.test',
    scope: 'Cluster',
    names: { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  map: { type: 'object', additionalProperties: text },
                  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
                  list: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: { type: 'object', required: ['name'], properties: { name: text, role: text } },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

let made = 0;
/** Returns a name that no test had before. Fields are called by it too, so that no cache knows them. */
function newName(): string {
  return `n${made++}`;
}

function times<T>(n: number, make: (i: number) => T): T[] {
  return Array.from({ length: n }, (_, i) => make(i));
}

/** Counts the work of a request that must have this status. */
async function work(status: number, send: () => Promise<TestAnswer>): Promise<{ steps: number; answer: TestAnswer }> {
  await counter.take();
  const answer = await send();
  const steps = await counter.take();
  expect([answer.status, answer.body['message']]).toEqual([status, answer.body['message']]);
  return { steps, answer };
}

function entry(manager: string, fieldsV1: JsonObject, operation = 'Apply'): JsonObject {
  return { manager, operation, apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 };
}

function create(name: string, managedFields: readonly JsonObject[]): Promise<TestAnswer> {
  const metadata = { name, managedFields: [...managedFields] };
  return kube.request('POST', `${CONFIG_MAPS}?fieldManager=creator`, { metadata, data: { a: '1' } });
}

function patch(name: string, data: JsonObject): Promise<TestAnswer> {
  return kube.request('PATCH', `${CONFIG_MAPS}/${name}?fieldManager=patcher`, { data });
}

function apply(name: string, data: JsonObject, query = 'fieldManager=applier'): Promise<TestAnswer> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
  return kube.request('PATCH', `${CONFIG_MAPS}/${name}?${query}`, body, { headers: APPLY });
}

function applyBoat(name: string, manager: string, spec: JsonObject): Promise<TestAnswer> {
  const body = { apiVersion: 'bounds.test/v1', kind: 'Boat', metadata: { name }, spec };
  return extensions.request(
    'PATCH',
    `/apis/bounds.test/v1/boats/${name}?fieldManager=${manager}&force=true`,
    body,
    APPLY,
  );
}

function managersOf({ body }: TestAnswer): readonly JsonValue[] {
  const { managedFields = [] } = body['metadata'] as { managedFields?: JsonObject[] };
  return managedFields.map(({ manager }) => manager as JsonValue);
}

const fieldsOf = (elements: readonly string[]): JsonObject => ({
  'f:data': Object.fromEntries(elements.map((element) => [element, {}])),
});
/** Makes n parts of managedFields. `name` makes their names new. */
type Shape = (n: number, name: string) => readonly JsonObject[];
const SHAPES: Readonly<Record<string, Shape>> = {
  'many fields of one manager': (n, name) => [entry('m', fieldsOf(times(n, (i) => `f:${name}-${i}`)))],
  'many keys of list items': (n, name) => [entry('m', fieldsOf(times(n, (i) => `k:{"name":"${name}-${i}"}`)))],
  'many values of a set': (n, name) => [entry('m', fieldsOf(times(n, (i) => `v:"${name}-${i}"`)))],
  'many managers': (n, name) => times(n, (i) => entry(`${name}-${i}`, fieldsOf([`f:${name}-${i}`]))),
  'many managers of one field': (n, name) => times(n, (i) => entry(`${name}-${i}`, fieldsOf(['f:a']))),
  'many updates': (n, name) => times(n, (i) => entry(`${name}-${i}`, fieldsOf([`f:${name}-${i}`]), 'Update')),
  'one manager many times': (n) => times(n, () => entry('m', fieldsOf(['f:a']))),
};

describe('managedFields of a body', () => {
  countSteps();

  test.each(Object.entries(SHAPES))('with %s cost linear work to create, update and apply', async (_what, shape) => {
    const measure = async (n: number): Promise<readonly number[]> => {
      const name = newName();
      const created = await work(201, () => create(name, shape(n, name)));
      const patched = await work(200, () => patch(name, { b: '1' }));
      const applied = await work(200, () => apply(name, { c: '1' }));
      return [created.steps, patched.steps, applied.steps];
    };
    await measure(SMALL);
    const [small, large] = [await measure(SMALL), await measure(4 * SMALL)];
    for (const [i, steps] of large.entries()) expect(steps).toBeLessThan(LINEAR * (small[i] as number));
  });
});

describe('managedFields that are too large or too deep', () => {
  test('are dropped if they make the object too large, except by an apply, which is refused', async () => {
    const shape = SHAPES['many managers'] as Shape;
    const entries = shape(20_000, 'a');
    expect(JSON.stringify(entries).length).toBeGreaterThan(2 * MEBIBYTE);
    const name = newName();
    expect(managersOf(await create(name, entries))).toEqual([]);
    expect(managersOf(await create(newName(), shape(10, 'b')))).toHaveLength(11);
    const config = { map: Object.fromEntries(times(60_000, (i) => [`key-${i}`, ''])) };
    const refused = await applyBoat(newName(), 'm', config);
    expect([refused.status, refused.body['reason']]).toEqual([413, 'RequestEntityTooLarge']);
  });

  test.each([100, 999, 1001, 5000])('with fields nested %i levels deep do not fail the request', async (depth) => {
    let fields: JsonObject = {};
    for (let i = 0; i < depth; i++) fields = { 'f:a': fields };
    const name = newName();
    expect((await create(name, [entry('m', fields)])).status).toBe(201);
    expect((await patch(name, { b: '1' })).status).toBe(200);
    expect((await apply(name, { c: '1' })).status).toBe(200);
  });
});

describe('an object with 1,000 managers', () => {
  /** Creates an object, and then gives `a` to the managers with an update that changes nothing else. */
  async function manage(operation: string): Promise<{ name: string; answer: TestAnswer }> {
    const name = newName();
    await create(name, []);
    const managedFields = times(1000, (i) => entry(`m-${i}`, fieldsOf(['f:a']), operation));
    const body = { metadata: { name, managedFields }, data: { a: '1' } };
    return { name, answer: await kube.request('PUT', `${CONFIG_MAPS}/${name}`, body) };
  }

  test('names each of them in a conflict, and gives the field to the one that forces it', async () => {
    const { name } = await manage('Apply');
    const answer = await apply(name, { a: '2' });
    expect(answer.status).toBe(409);
    expect(new Set(causesOf(answer)).size).toBe(1000);
    expect(answer.body['message']).toMatch(/^Apply failed with 1000 conflicts: /);
    const forced = await apply(name, { a: '2' }, 'fieldManager=applier&force=true');
    expect(managersOf(forced)).toEqual(['applier']);
  });

  test('keeps them all if they applied, and merges the oldest if they updated', async () => {
    const { name, answer } = await manage('Apply');
    expect(managersOf(answer)).toHaveLength(1000);
    expect(managersOf(await apply(name, { a: '1' }))).toHaveLength(1001);
    const updates = await manage('Update');
    await patch(updates.name, { b: '1' });
    const managers = managersOf(await kube.request('GET', `${CONFIG_MAPS}/${updates.name}`));
    expect(managers).toHaveLength(10);
    expect(managers).toContain('ancient-changes');
  });
});

describe('an apply of large lists and maps', () => {
  countSteps();

  const item = (name: string, i: number): JsonObject => ({ name: `${name}-${i}`, role: 'x' });
  /** Three configurations of n parts. `name` makes their names new. */
  const CASES: Readonly<Record<string, Shape>> = {
    'items of a keyed list in the opposite order': (n, name) => [
      { list: times(n, (i) => item(name, i)) },
      { list: times(n, (i) => item(name, i)).reverse() },
      { list: times(n / 2, (i) => item(name, i)) },
    ],
    'other items of a keyed list': (n, name) => [
      { list: times(n, (i) => item(name, i)) },
      { list: times(n, (i) => item(name, i + n)) },
      { list: [] },
    ],
    'values of a set': (n, name) => [
      { set: times(n, (i) => `${name}-${i}`) },
      { set: times(n, (i) => `${name}-${n - i}`) },
      { set: [] },
    ],
    'keys of a map': (n, name) => [
      { map: Object.fromEntries(times(n, (i) => [`${name}-${i}`, 'x'])) },
      { map: Object.fromEntries(times(n, (i) => [`${name}-${i}`, 'y'])) },
      {},
    ],
    'undeclared fields of an open object': (n, name) => [
      { any: Object.fromEntries(times(n, (i) => [`${name}-${i}`, { a: 'x' }])) },
      { any: Object.fromEntries(times(n, (i) => [`${name}-${i}`, { b: 'x' }])) },
      {},
    ],
  };

  test.each(Object.entries(CASES))(
    '(%s) costs linear work to create, to merge and to abandon',
    async (_what, specs) => {
      const measure = async (n: number): Promise<readonly number[]> => {
        const name = newName();
        const [first = {}, second = {}, third = {}] = specs(n, name);
        const made = await work(201, () => applyBoat(name, 'one', first));
        const merged = await work(200, () => applyBoat(name, 'two', second));
        const abandoned = await work(200, () => applyBoat(name, 'one', third));
        return [made.steps, merged.steps, abandoned.steps];
      };
      await measure(SMALL);
      const [small, large] = [await measure(SMALL), await measure(4 * SMALL)];
      for (const [i, steps] of large.entries()) expect(steps).toBeLessThan(LINEAR * (small[i] as number));
    },
  );

  test('refuses what does not fit with a bounded answer', async () => {
    const cases: readonly (readonly [JsonObject, string])[] = [
      [{ list: times(2000, () => item('a', 0)) }, 'spec.list: Duplicate value'],
      [{ set: times(2000, () => 'x') }, 'spec.set: Duplicate value'],
      [{ list: times(2000, () => ({ role: 'x' })) }, 'omits all key fields ["name"]'],
      [Object.fromEntries(times(2000, (i) => [`k-${i}`, 1])), 'spec.k-0: Forbidden: field not declared in schema'],
      [{ list: times(2000, (i) => ({ name: i })) }, 'expected string, got 0'],
    ];
    for (const [spec, message] of cases) {
      const { answer, steps } = await work(422, () => applyBoat(newName(), 'm', spec));
      expect(answer.body['message']).toContain(message);
      expect(steps).toBeLessThan(2000 * 400);
    }
  });

  test('refuses a configuration that is nested too deeply', async () => {
    let any: JsonValue = 'x';
    for (let i = 0; i < 1500; i++) any = { a: any };
    const { status, body } = await applyBoat(newName(), 'm', { any: any as JsonObject });
    expect([status, body['message']]).toEqual([400, expect.stringContaining('exceeded max depth')]);
  });
});
