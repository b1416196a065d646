import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { GADGETS, gadget, gadgets, startTestExtensions } from '../apiextensions.fixtures.ts';

describe('custom resources', () => {
  it('pass requests with another scope, version or name to the delegate', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets());
    const plain = { status: 404, body: { plain: '404' } };
    for (const target of [
      '/apis/example.test/v1/gadgets/a',
      '/apis/example.test/v2/namespaces/ns/gadgets',
      '/apis/example.test/v1/namespaces/ns/gizmos',
      '/apis/other.test/v1/namespaces/ns/gadgets',
    ])
      expect(await request('GET', target)).toMatchObject(plain);
    expect(await request('GET', '/apis/example.test/v1/gadgets')).toMatchObject({ status: 200 });
    await define({
      ...gadgets([{}], { scope: 'Cluster', group: 'whole.test' }),
      metadata: { name: 'gadgets.whole.test' },
    });
    expect(await request('GET', '/apis/whole.test/v1/namespaces/ns/gadgets')).toMatchObject(plain);
    expect(await request('GET', '/apis/whole.test/v1/gadgets')).toMatchObject({ status: 200 });
  });

  it('answer 404 for a subresource that they do not have, and 405 for a verb that it does not have', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets([{ more: { subresources: { status: {} } } }]));
    await request('POST', GADGETS, gadget('a'));
    expect((await request('GET', `${GADGETS}/a/scale`)).body).toMatchObject({
      code: 404,
      message: 'gadgets.example.test "a" not found',
    });
    expect((await request('DELETE', `${GADGETS}/a/status`)).body).toMatchObject({
      code: 405,
      message: 'delete is not supported on resources of kind "gadgets.example.test"',
    });
  });

  it('are pruned, defaulted and validated, with warnings about dropped fields', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets());
    const made = await request('POST', GADGETS, gadget('a', { spec: { color: 'red', x: 1 }, y: 2 }));
    expect(made.body['spec']).toEqual({ color: 'red', size: 7 });
    expect(made.warnings).toEqual(['299 - "unknown field \\"spec.x\\""', '299 - "unknown field \\"y\\""']);
    expect((await request('POST', `${GADGETS}?fieldValidation=Strict`, gadget('b', { y: 2 }))).body).toMatchObject({
      message: 'Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: unknown field "y"',
    });
    expect((await request('POST', GADGETS, gadget('b', { spec: { size: 'x' } }))).body).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'spec.size', reason: 'FieldValueTypeInvalid' }] },
    });
    expect((await request('POST', GADGETS, { ...gadget('b'), kind: 'Gizmo' })).body).toMatchObject({
      message: 'Gizmo.example.test "b" is invalid: kind: Invalid value: "Gizmo": must be Gadget',
    });
  });

  it('count the generation for changes other than metadata, and of the status only if it is not a subresource', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets());
    await define({
      ...gadgets([{ more: { subresources: { status: {} } } }], { group: 'sub.test' }),
      metadata: { name: 'gadgets.sub.test' },
    });
    for (const [group, expected] of [
      ['example.test', [1, 2, 3]],
      ['sub.test', [1, 1, 2]],
    ] as const) {
      const path = `/apis/${group}/v1/namespaces/ns/gadgets`;
      const object = { ...gadget('a', { status: { old: true } }), apiVersion: `${group}/v1` };
      const generations = [(await request('POST', path, object)).body];
      generations.push(
        (await request('PATCH', `${path}/a`, { metadata: { labels: { a: 'b' } }, status: { n: 1 } })).body,
      );
      generations.push((await request('PATCH', `${path}/a`, { spec: { color: 'red' } })).body);
      expect(generations.map((body) => (body['metadata'] as JsonObject)['generation'])).toEqual(expected);
      expect(generations[2]?.['status']).toEqual(group === 'sub.test' ? undefined : { old: true, n: 1 });
    }
    const status = await request('PATCH', '/apis/sub.test/v1/namespaces/ns/gadgets/a/status', {
      metadata: { labels: { x: 'y' } },
      spec: { color: 'blue' },
      status: { ready: true },
    });
    expect(status.body).toMatchObject({
      metadata: { generation: 2, labels: { a: 'b' } },
      spec: { color: 'red' },
      status: { ready: true },
    });
    expect((status.body['metadata'] as { labels: JsonObject }).labels).toEqual({ a: 'b' });
  });

  it('are scaled through the declared paths', async () => {
    const { define, request } = await startTestExtensions();
    const scale = {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    };
    await define(gadgets([{ more: { subresources: { scale } } }]));
    await request('POST', GADGETS, gadget('a', { status: { selector: 'a=b' } }));
    expect((await request('GET', `${GADGETS}/a/scale`)).body).toMatchObject({
      code: 500,
      message: 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    });
    expect((await request('PATCH', `${GADGETS}/a/scale`, { spec: {} })).body).toMatchObject({
      code: 400,
      message: 'the spec replicas field ".spec.replicas" cannot be empty',
    });
    expect((await request('PATCH', `${GADGETS}/a/scale`, { spec: { replicas: 3 } })).body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 3 },
      status: { replicas: 0, selector: 'a=b' },
    });
    expect((await request('GET', `${GADGETS}/a`)).body).toMatchObject({
      spec: { replicas: 3 },
      metadata: { generation: 2 },
    });
    expect((await request('PATCH', `${GADGETS}/a/scale`, { spec: { replicas: -3 } })).body).toMatchObject({
      message:
        'Gadget.example.test "a" is invalid: .spec.replicas: Invalid value: -3: should be a non-negative integer',
    });
  });

  it('are shown as a table with the columns of their definition', async () => {
    const { define, request, world } = await startTestExtensions();
    const columns = [
      { name: 'Color', type: 'string', jsonPath: '.spec.color' },
      { name: 'Born', type: 'date', jsonPath: '.metadata.creationTimestamp', priority: 1 },
    ];
    await define(gadgets([{ more: { additionalPrinterColumns: columns } }]));
    await request('POST', GADGETS, gadget('a', { spec: { color: 'red' } }));
    await world.clock.advance(65_000);
    const table = await request('GET', GADGETS, undefined, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(table.body['columnDefinitions']).toMatchObject([
      { name: 'Name' },
      { name: 'Color' },
      { name: 'Born', priority: 1 },
    ]);
    expect(table.body['rows']).toMatchObject([{ cells: ['a', 'red', '65s'] }]);
  });

  it('warn about a deprecated version and recommend the best one', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets([{ name: 'v2' }, { name: 'v1', storage: false, more: { deprecated: true } }]));
    expect((await request('GET', GADGETS)).warnings).toEqual([
      '299 - "example.test/v1 Gadget is deprecated; use example.test/v2 Gadget"',
    ]);
  });

  it('are selected by the selectable fields of their version', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets([{ more: { selectableFields: [{ jsonPath: '.spec.color' }] } }]));
    await request('POST', GADGETS, gadget('a', { spec: { color: 'red' } }));
    await request('POST', GADGETS, gadget('b', { spec: { color: 'blue' } }));
    const red = await request('GET', `${GADGETS}?fieldSelector=spec.color%3Dred`);
    expect(red.body['items']).toMatchObject([{ metadata: { name: 'a' } }]);
    expect((await request('GET', `${GADGETS}?fieldSelector=spec.size%3D7`)).status).toBe(400);
  });
});
