import { describe, expect, it } from 'vitest';
import { cloneJson, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { createFieldManager, thing, Writer } from './managed-fields.fixtures.ts';
import { managedFieldsOf } from './object-managed-fields.ts';

const entry = (
  manager: string,
  operation: string,
  time: string | undefined,
  fieldsV1: string,
  more = {},
): JsonValue => ({
  manager,
  operation,
  apiVersion: 'example.com/v1',
  ...(time === undefined ? {} : { time: `2026-01-01T00:00:${time}Z` }),
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});

describe('a create', () => {
  it('is recorded with everything the object has, type and server fields aside', () => {
    const writer = new Writer();
    writer.update('client', thing({ metadata: { labels: { a: 'x' } }, spec: { text: 'a' }, status: { b: 1 } }));
    expect(writer.entries).toEqual([
      entry('client', 'Update', '01', '{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{".":{},"f:text":{}}}'),
    ]);
  });

  it('without a manager belongs to an unknown one', () => {
    const writer = new Writer();
    writer.update('', thing({ spec: { text: 'a' } }));
    expect(writer.entries).toEqual([entry('unknown', 'Update', '01', '{"f:spec":{".":{},"f:text":{}}}')]);
  });

  it('by apply records the leaves only', () => {
    const writer = new Writer();
    writer.apply('applier', thing({ spec: { text: 'a', items: [{ name: 'x' }] } }));
    expect(writer.entries).toEqual([
      entry(
        'applier',
        'Apply',
        '01',
        '{"f:spec":{"f:items":{"k:{\\"name\\":\\"x\\"}":{".":{},"f:name":{}}},"f:text":{}}}',
      ),
    ]);
  });
});

describe('an update', () => {
  it('takes the fields that it changes and leaves the times of others', () => {
    const writer = new Writer();
    writer.apply('one', thing({ spec: { text: 'a', other: 'b' } }));
    writer.update('two', thing({ spec: { text: 'c', other: 'b' } }));
    expect(writer.entries).toEqual([
      entry('one', 'Apply', '01', '{"f:spec":{"f:other":{}}}'),
      entry('two', 'Update', '02', '{"f:spec":{"f:text":{}}}'),
    ]);
  });

  it('joins the fields of earlier updates by the same manager', () => {
    const writer = new Writer();
    writer.update('one', thing({ spec: { text: 'a' } }));
    writer.update('one', thing({ spec: { text: 'a', other: 'b' } }));
    expect(writer.entries).toEqual([entry('one', 'Update', '02', '{"f:spec":{".":{},"f:other":{},"f:text":{}}}')]);
  });

  it('that changes nothing keeps the very entries', () => {
    const writer = new Writer();
    writer.update('one', thing({ spec: { text: 'a' } }));
    const before = managedFieldsOf(writer.live as JsonObject) as JsonValue[];
    writer.update('two', cloneJson(writer.live as JsonObject));
    expect(managedFieldsOf(writer.live as JsonObject)).toEqual(before);
  });

  it('ignores the fields that its strategy resets', () => {
    const writer = new Writer();
    writer.update('one', thing({ spec: { text: 'a' } }));
    writer.update('two', thing({ spec: { text: 'a' }, status: { phase: 'x' } }));
    expect(writer.entries).toHaveLength(1);
  });

  it('of a subresource has an identity of its own and does not take entries of the request', () => {
    const writer = new Writer();
    writer.update('one', thing({ spec: { text: 'a' } }));
    const status = createFieldManager({ subresource: 'status', resetFields: new Map() });
    writer.update(
      'one',
      thing({ metadata: { managedFields: [] }, spec: { text: 'a' }, status: { phase: 'x' } }),
      status,
    );
    expect(writer.entries).toEqual([
      entry('one', 'Update', '01', '{"f:spec":{".":{},"f:text":{}}}'),
      entry('one', 'Update', '02', '{"f:status":{".":{},"f:phase":{}}}', { subresource: 'status' }),
    ]);
  });

  it.each([[[]], [[{}]], [[{ manager: '', fieldsV1: null }]]])(
    'with managedFields %j forgets all managers',
    (managedFields) => {
      const writer = new Writer();
      writer.update('one', thing({ spec: { text: 'a' } }));
      writer.update('two', thing({ metadata: { managedFields }, spec: { text: 'b' } }));
      expect(writer.entries).toEqual([]);
      writer.update('two', thing({ spec: { text: 'c' } }));
      expect(writer.entries).toEqual([]);
    },
  );

  it('with entries that cannot be read keeps those of the stored object', () => {
    const writer = new Writer();
    writer.update('one', thing({ spec: { text: 'a' } }));
    writer.update('two', thing({ metadata: { managedFields: [{ operation: 'Other' }] }, spec: { text: 'a' } }));
    expect(writer.entries).toEqual([entry('one', 'Update', '01', '{"f:spec":{".":{},"f:text":{}}}')]);
  });

  it('with entries of its own replaces those of the stored object, written in their canonical form', () => {
    const writer = new Writer();
    writer.update('one', thing({ spec: { text: 'a' } }));
    const given = {
      manager: 'x',
      operation: 'Apply',
      apiVersion: 'example.com/v1',
      time: '2026-01-01T01:00:00+01:00',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:text': {}, 'f:other': {} } },
    };
    writer.update('two', thing({ metadata: { managedFields: [given] }, spec: { text: 'a' } }));
    expect(writer.entries).toEqual([entry('x', 'Apply', '00', '{"f:spec":{"f:other":{},"f:text":{}}}')]);
  });

  it('that cannot be tracked leaves the object without managedFields and says why', () => {
    const writer = new Writer();
    writer.update('one', thing({ spec: { text: 'a' } }));
    const failure = writer.update('two', thing({ spec: { items: [{ value: 'keyless' }] } }));
    expect(failure).toMatch(/^failed to convert new object to smd typed: \.spec\.items: element 0: associative list/);
    expect(managedFieldsOf(writer.live as JsonObject)).toBeUndefined();
  });

  it('by more than ten managers merges the oldest into ancient-changes', () => {
    const writer = new Writer();
    for (let i = 0; i < 12; i++) writer.update(`m${i}`, thing({ metadata: { labels: labels(i) } }));
    const managers = writer.entries.map((item) => (item as JsonObject)['manager']);
    expect(managers).toEqual(['ancient-changes', ...[3, 4, 5, 6, 7, 8, 9, 10, 11].map((i) => `m${i}`)]);
    expect((writer.entries[0] as JsonObject)['fieldsV1']).toBe(
      '{"f:metadata":{"f:labels":{".":{},"f:l0":{},"f:l1":{},"f:l2":{}}}}',
    );
    expect((writer.entries[0] as JsonObject)['time']).toBe('2026-01-01T00:00:03Z');
  });
});

function labels(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count + 1 }, (_, i) => [`l${i}`, 'x']));
}

describe('an apply', () => {
  it('of nothing new keeps the time and reports that nothing changed', () => {
    const fields = createFieldManager();
    const config = thing({ spec: { text: 'a' } });
    const first = fields.apply(undefined, config, { manager: 'one', force: false, now: '2026-01-01T00:00:01Z' });
    if (first instanceof Promise || !first.ok) throw new Error('refused');
    const again = fields.apply(first.object, cloneJson(config), {
      manager: 'one',
      force: false,
      now: '2026-01-01T00:00:02Z',
    });
    expect(again).toEqual({ ok: true, object: first.object, changed: false });
  });

  it('of a field that others own shares the field without a time', () => {
    const writer = new Writer();
    writer.apply('one', thing({ spec: { text: 'a' } }));
    writer.apply('two', thing({ spec: { text: 'a' } }));
    expect(writer.entries).toEqual([
      entry('two', 'Apply', undefined, '{"f:spec":{"f:text":{}}}'),
      entry('one', 'Apply', '01', '{"f:spec":{"f:text":{}}}'),
    ]);
  });

  it('that conflicts is refused with the managers and fields', () => {
    const writer = new Writer();
    writer.apply('one', thing({ spec: { text: 'a', other: 'b' } }));
    writer.update('two', thing({ spec: { text: 'a', other: 'b', items: [{ name: 'x', value: 'y' }] } }));
    expect(writer.apply('three', thing({ spec: { text: 'b', items: [{ name: 'x', value: 'z' }] } }))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Apply failed with 2 conflicts: conflicts with "one":\n- .spec.text\n' +
        'conflicts with "two" using example.com/v1:\n- .spec.items[name="x"].value',
      details: {
        causes: [
          { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.text' },
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "two" using example.com/v1',
            field: '.spec.items[name="x"].value',
          },
        ],
      },
    });
    expect(writer.apply('three', thing({ spec: { text: 'b' } }))?.message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.text',
    );
  });

  it('to an object without managers conflicts with its fields before the first apply', () => {
    const writer = new Writer();
    writer.live = thing({ metadata: { uid: 'u' }, spec: { text: 'a', other: 'b' } });
    expect(writer.apply('one', thing({ spec: { text: 'b' } }))?.message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using example.com/v1: .spec.text',
    );
    writer.apply('one', thing({ spec: { text: 'a' } }));
    expect(writer.entries).toEqual([
      entry('one', 'Apply', undefined, '{"f:spec":{"f:text":{}}}'),
      entry('before-first-apply', 'Update', '02', '{"f:spec":{".":{},"f:other":{},"f:text":{}}}'),
    ]);
  });

  it.each<[string, JsonObject, number, string]>([
    ['of another kind', { ...thing({}), kind: 'Other' }, 400, 'invalid object type: example.com/v1, Kind=Other'],
    ['without a kind', { metadata: { name: 'a' } }, 400, 'invalid object type: /, Kind='],
    ['with managedFields', thing({ metadata: { managedFields: [] } }), 400, 'metadata.managedFields must be nil'],
    [
      'of an undeclared field',
      thing({ spec: { x: 1 } }),
      422,
      'Thing.example.com "a" is invalid: spec.x: Forbidden: field not declared in schema',
    ],
    [
      'of duplicate items',
      thing({ spec: { items: [{ name: 'x' }, { name: 'x' }] } }),
      422,
      'Thing.example.com "a" is invalid: spec.items: Duplicate value: duplicate entries for key [name="x"]',
    ],
    [
      'of an item without its key',
      thing({ spec: { items: [{ value: 'x' }] } }),
      422,
      'Thing.example.com "a" is invalid: spec.items: Required value: element 0: associative list with keys has an element that ' +
        'omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [
      'of a value of a wrong type',
      thing({ spec: { items: [{ name: 'x', value: 5 }] } }),
      422,
      'Thing.example.com "a" is invalid: spec.items[name="x"].value: Invalid value: 5: expected string, got 5',
    ],
  ])('%s is refused', (_, config, code, message) => {
    expect(new Writer().apply('one', config)).toMatchObject({ code, message });
  });

  it('to an object whose managedFields cannot be read fails', () => {
    const writer = new Writer();
    writer.live = thing({ metadata: { uid: 'u', managedFields: [{ operation: 'Other' }] } });
    expect(writer.apply('one', thing({}))).toMatchObject({
      code: 500,
      message: 'failed to decode managed fields: operation must be `Apply` or `Update`',
    });
  });

  it('in another version finds conflicts there and keeps one entry', () => {
    const writer = new Writer();
    const v2 = createFieldManager({ version: 'v2' });
    writer.apply('one', thing({ spec: { text: 'a' } }));
    expect((managedFieldsOf(writer.live as JsonObject) as JsonValue[]).length).toBe(1);
    writer.live = thing({ metadata: writer.live?.['metadata'] as JsonObject, spec: { renamed: 'a' } }, 'v2');
    expect(writer.apply('two', thing({ spec: { renamed: 'b' } }, 'v2'), { fields: v2 })?.message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.text',
    );
    writer.apply('one', thing({ spec: { renamed: 'b' } }, 'v2'), { fields: v2 });
    expect(writer.entries).toMatchObject([{ apiVersion: 'example.com/v2', fieldsV1: '{"f:spec":{"f:renamed":{}}}' }]);
  });

  it('waits for conversions that take time', async () => {
    const fields = createFieldManager({ version: 'v2', deliver: (object) => Promise.resolve(object) });
    const writer = new Writer();
    writer.apply('one', thing({ spec: { text: 'a' } }));
    const live = thing({ metadata: writer.live?.['metadata'] as JsonObject, spec: { renamed: 'a' } }, 'v2');
    const context = { manager: 'two', force: false, now: writer.now };
    const outcome = await fields.apply(live, thing({ spec: { renamed: 'b' } }, 'v2'), context);
    expect(outcome).toMatchObject({ ok: false, status: { code: 409 } });
    const failing = createFieldManager({ version: 'v2', deliver: () => Promise.reject(new Error('no webhook')) });
    await expect(failing.apply(live, thing({ spec: { renamed: 'b' } }, 'v2'), context)).rejects.toThrow('no webhook');
    const next = thing({ spec: { renamed: 'b' } }, 'v2');
    await expect(failing.update(live, next, context)).resolves.toBe('no webhook');
    expect(managedFieldsOf(next)).toBeUndefined();
  });
});

describe('the annotation of client-side apply', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const applied = (config: JsonObject): Writer => {
    const writer = new Writer();
    const annotations = { [annotation]: JSON.stringify(config) };
    writer.update('kubectl-client-side-apply', {
      ...config,
      metadata: { ...(config['metadata'] as JsonObject), annotations },
    });
    return writer;
  };

  it('lets kubectl take the fields that are as it applied them', () => {
    const writer = applied(thing({ spec: { text: 'a', other: 'b' } }));
    expect(writer.apply('kubectl', thing({ spec: { text: 'c' } }))).toBeUndefined();
    expect(writer.live).toMatchObject({ spec: { text: 'c' } });
  });

  it('lets no other manager take them', () => {
    const writer = applied(thing({ spec: { text: 'a' } }));
    expect(writer.apply('other', thing({ spec: { text: 'c' } }))?.code).toBe(409);
  });

  it('does not cover fields that another manager has changed since', () => {
    const writer = applied(thing({ spec: { text: 'a', other: 'b' } }));
    const { metadata } = writer.live as { metadata: JsonObject };
    writer.update('editor', thing({ metadata: cloneJson(metadata), spec: { text: 'x', other: 'b' } }));
    expect(writer.apply('kubectl', thing({ spec: { text: 'c', other: 'd' } }))?.message).toBe(
      'Apply failed with 1 conflict: conflict with "editor" using example.com/v1: .spec.text',
    );
  });

  it('is set to the configuration that kubectl applies', () => {
    const writer = applied(thing({ spec: { text: 'a' } }));
    writer.apply('kubectl', thing({ spec: { text: '<' } }));
    const { metadata } = writer.live as { metadata: { annotations: JsonObject } };
    expect(metadata.annotations[annotation]).toBe(
      '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"text":"\\u003c"}}\n',
    );
  });

  it('is dropped if the annotations become too large with it', () => {
    const writer = applied(thing({ spec: { text: 'a' } }));
    writer.apply('kubectl', thing({ spec: { text: 'x'.repeat(300_000) } }));
    expect(writer.live?.['metadata']).toMatchObject({ annotations: {} });
  });
});

describe('managedFields of a thousand managers', () => {
  it('are updated, applied over and bounded', () => {
    const entries = Array.from({ length: 1000 }, (_, i) => ({
      manager: `m${i}`,
      operation: i % 2 === 0 ? 'Apply' : 'Update',
      apiVersion: 'example.com/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': { 'f:labels': Object.fromEntries(labelKeys(i)) } },
    }));
    const writer = new Writer();
    writer.live = thing({ metadata: { uid: 'u', labels: labels(5000), managedFields: entries } });
    writer.update('new', thing({ metadata: { labels: { ...labels(4000), l1: 'y' } } }));
    expect(writer.entries.filter((item) => (item as JsonObject)['operation'] === 'Update')).toHaveLength(10);
    expect(writer.entries.length).toBeGreaterThan(400);
    expect(writer.apply('new', thing({ metadata: { labels: { l2: 'z' } } }))?.code).toBe(409);
    expect(writer.apply('new', thing({ metadata: { labels: { l2: 'z' } } }), { force: true })).toBeUndefined();
    expect(writer.apply('new', thing({}), { force: true })).toBeUndefined();
  });
});

function labelKeys(i: number): [string, JsonObject][] {
  return Array.from({ length: 100 }, (_, k): [string, JsonObject] => [`f:l${(i * 5 + k) % 5000}`, {}]);
}
