import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import {
  CRDS,
  GADGETS,
  gadget,
  gadgets,
  redefine,
  startTestExtensions,
  type TestAnswer,
  type TestExtensions,
} from '../apiextensions.fixtures.ts';

const TEXT: JsonObject = { type: 'string' };
const FREE: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const MAP_LIST: JsonObject = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name', 'port'],
  items: {
    type: 'object',
    required: ['name'],
    properties: { name: TEXT, port: { type: 'integer', default: 80 }, value: TEXT },
  },
};
const ONE_KEY: JsonObject = { ...MAP_LIST, 'x-kubernetes-list-map-keys': ['name'] };
const SET_LIST: JsonObject = { type: 'array', 'x-kubernetes-list-type': 'set', items: TEXT };

function objectOf(properties: JsonObject): JsonObject {
  return { type: 'object', properties };
}

function definitionOf(spec: JsonObject): JsonObject {
  return gadgets([{ properties: { spec } }]);
}

function apply({ request }: TestExtensions, name: string, spec: JsonValue, query = ''): Promise<TestAnswer> {
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  return request('PATCH', `${GADGETS}/${name}?fieldManager=new${query}`, gadget(name, { spec }), headers);
}

/** Returns code, reason, and the causes as `field: reason: message`. */
function refusal({ status, body }: TestAnswer): readonly JsonValue[] {
  const { causes = [] } = (body['details'] ?? {}) as { causes?: readonly Record<string, string>[] };
  return [
    status,
    (body['reason'] ?? '') as JsonValue,
    ...causes.map(({ field, reason, message }) => `${field}: ${reason}: ${message}`),
  ];
}

describe('an applied configuration that does not fit its schema is refused with the field', () => {
  let extensions: TestExtensions;
  beforeAll(async () => {
    extensions = await startTestExtensions();
    await extensions.define(
      definitionOf(
        objectOf({
          text: TEXT,
          list: MAP_LIST,
          set: SET_LIST,
          open: objectOf({ list: MAP_LIST, one: ONE_KEY }),
          any: { 'x-kubernetes-preserve-unknown-fields': true },
        }),
      ),
    );
  });

  it.each<[what: string, spec: JsonValue, cause: string]>([
    ['a field that the schema does not have', { odd: 1 }, 'spec.odd: FieldValueForbidden'],
    ['a number in place of a text', { text: 1 }, 'spec.text: FieldValueTypeInvalid: Invalid value: 1: expected string'],
    ['a list in place of an object', [], 'spec: FieldValueTypeInvalid'],
    ['an object in place of a list', { list: {} }, 'spec.list: FieldValueTypeInvalid'],
    [
      'a key that occurs twice',
      { list: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] },
      'spec.list: FieldValueDuplicate',
    ],
    [
      'a key that occurs twice by its default',
      { list: [{ name: 'a' }, { name: 'a', port: 80 }] },
      'spec.list: FieldValueDuplicate',
    ],
    ['an item without its key', { list: [{ value: 'x' }] }, 'spec.list[0].name: FieldValueRequired'],
    ['an item without any key', { open: { one: [{ value: 'x' }] } }, 'spec.open.one: FieldValueRequired'],
    ['an item that is not an object', { list: ['a'] }, 'spec.list: FieldValueRequired'],
    ['a null item', { list: [null] }, 'spec.list: FieldValueRequired'],
    ['a key of the wrong type', { list: [{ name: ['a'] }] }, 'spec.list'],
    ['a value that occurs twice in a set', { set: ['a', 'b', 'a'] }, 'spec.set: FieldValueDuplicate'],
    ['a set of objects', { set: [{}] }, 'spec.set'],
    ['a problem further inside', { open: { list: [{ name: 'a', odd: 1 }] } }, 'spec.open.list'],
  ])('%s', async (_what, spec, cause) => {
    for (const query of ['', '&force=true', '&dryRun=All']) {
      const [code, reason, first] = refusal(await apply(extensions, 'a', spec, query));
      expect([code, reason]).toEqual([422, 'Invalid']);
      expect(first).toContain(cause);
    }
    expect((await extensions.request('GET', `${GADGETS}/a`)).status).toBe(404);
  });

  it('unless the field accepts everything', async () => {
    const any = { list: [{ name: 'a' }, { name: 'a' }, 1, null], deep: [[[]]] };
    const { status, body } = await apply(extensions, 'free', { any });
    expect([status, body['spec']]).toEqual([201, { any }]);
  });
});

describe('an object that does not fit a newer schema', () => {
  async function stored(spec: JsonObject, newer: JsonObject): Promise<TestExtensions> {
    const extensions = await startTestExtensions();
    await extensions.define(definitionOf(FREE));
    await extensions.request('POST', `${GADGETS}?fieldManager=old`, gadget('a', { spec }));
    expect((await redefine(extensions, definitionOf(newer))).status).toBe(200);
    return extensions;
  }

  it.each<[what: string, spec: JsonObject, newer: JsonObject, path: string]>([
    [
      'a text where an object is expected',
      { x: 'y' },
      objectOf({ x: objectOf({}), text: TEXT }),
      '.spec.x: expected map',
    ],
    [
      'a list where a map is expected',
      { x: ['y'] },
      objectOf({ x: objectOf({}), text: TEXT }),
      '.spec.x: expected map',
    ],
    ['items without keys', { list: [{ value: 'y' }] }, objectOf({ list: ONE_KEY, text: TEXT }), '.spec.list'],
  ])('(%s) cannot be applied to: the answer names the stored field', async (_what, spec, newer, path) => {
    const extensions = await stored(spec, newer);
    const { status, body } = await apply(extensions, 'a', { text: 'z' }, '&force=true');
    expect([status, body['message']]).toEqual([
      500,
      expect.stringContaining(`failed to create typed live object: ${path}`),
    ]);
  });

  it('can be repaired by an update, and applied to afterwards', async () => {
    const extensions = await stored({ x: 'y' }, objectOf({ x: objectOf({ a: TEXT }), text: TEXT }));
    const repaired = await extensions.request('PATCH', `${GADGETS}/a?fieldManager=person`, { spec: { x: { a: 'b' } } });
    expect(repaired.status).toBe(200);
    expect((await apply(extensions, 'a', { text: 'z' })).body['spec']).toEqual({ x: { a: 'b' }, text: 'z' });
  });

  it('keeps repeated keys and values until they are applied: then one of each stays', async () => {
    const list = [
      { name: 'a', port: 80, value: '1' },
      { name: 'a', port: 80, value: '2' },
    ];
    const newer = objectOf({ list: MAP_LIST, set: SET_LIST, text: TEXT });
    const extensions = await stored({ list, set: ['a', 'a'] }, newer);
    const other = await apply(extensions, 'a', { text: 'z' });
    expect(other.body['spec']).toEqual({ list, set: ['a', 'a'], text: 'z' });
    const same = await apply(extensions, 'a', { list: [{ name: 'a', value: '3' }], set: ['a', 'b'] });
    expect(same.body['spec']).toMatchObject({ list: [{ name: 'a', port: 80, value: '3' }], set: ['a', 'b'] });
  });
});

describe('a definition whose lists cannot be merged', () => {
  it.each<[what: string, list: JsonObject, problem: string]>([
    ['has no keys', { ...MAP_LIST, 'x-kubernetes-list-map-keys': [] }, 'x-kubernetes-list-map-keys'],
    [
      'has a key that is not a field',
      { ...MAP_LIST, 'x-kubernetes-list-map-keys': ['odd'] },
      'x-kubernetes-list-map-keys',
    ],
    ['repeats a key', { ...MAP_LIST, 'x-kubernetes-list-map-keys': ['name', 'name'] }, 'x-kubernetes-list-map-keys'],
    ['is a map of texts', { ...MAP_LIST, items: TEXT }, 'items.type'],
    ['is a set of objects', { ...SET_LIST, items: objectOf({ a: TEXT }) }, 'items'],
    ['has another type', { ...SET_LIST, 'x-kubernetes-list-type': 'bag' }, 'x-kubernetes-list-type'],
    ['has an optional key without a default', { ...MAP_LIST, 'x-kubernetes-list-map-keys': ['value'] }, 'required'],
  ])('is refused: it %s', async (_what, list, problem) => {
    const extensions = await startTestExtensions();
    const { status, body } = await extensions.request('POST', CRDS, definitionOf(objectOf({ list })));
    expect(status).toBe(422);
    expect(JSON.stringify(body['details'])).toContain(problem);
  });
});
