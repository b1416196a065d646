/**
 * Tests that a declared resource has each feature of the table "CRDs or Aggregated API" of the Kubernetes
 * documentation.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fieldAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { forbidden } from '../../../apimachinery/status/status-catalogue.ts';
import { invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { Row, RowKey, Rows } from '../../rows/rows.ts';
import { defineResource } from '../define-resource.ts';
import { action } from './action.ts';
import { causesOf, type KitServer, serve } from './kit.fixtures.ts';
import { fieldNumber, listMap } from './schema-helpers.ts';

const WIDGETS = '/apis/example.com/v2/namespaces/default/widgets';
const X = `${WIDGETS}/x`;
const MERGE = { 'content-type': 'application/merge-patch+json' };

/** Rows in a map: a storage of the author's own. */
class MapRows implements Rows {
  readonly rows = new Map<string, Row>();
  readonly pollIntervalMs = Number.POSITIVE_INFINITY;
  #version = 0;

  async list(): Promise<Iterable<Row>> {
    return [...this.rows.values()];
  }
  async get(key: RowKey): Promise<Row | undefined> {
    return this.rows.get(nameOf(key));
  }
  async insert(object: JsonObject): Promise<{ version: string } | 'exists'> {
    const key = nameOf(object['metadata'] as unknown as RowKey);
    return this.rows.has(key) ? 'exists' : this.#put(key, object);
  }
  async replace(object: JsonObject, version: string): Promise<{ version: string } | 'conflict' | 'missing'> {
    const key = nameOf(object['metadata'] as unknown as RowKey);
    const row = this.rows.get(key);
    if (row === undefined) return 'missing';
    return row.version === version ? this.#put(key, object) : 'conflict';
  }
  async remove(key: RowKey, version: string): Promise<'removed' | 'conflict' | 'missing'> {
    const row = this.rows.get(nameOf(key));
    if (row === undefined) return 'missing';
    if (row.version !== version) return 'conflict';
    this.rows.delete(nameOf(key));
    return 'removed';
  }
  #put(key: string, object: JsonObject): { version: string } {
    const row = { object, version: String(++this.#version) };
    this.rows.set(key, row);
    return row;
  }
}

function nameOf({ namespace, name }: RowKey): string {
  return `${namespace}/${name}`;
}

function declare(rows: MapRows) {
  return defineResource({
    group: 'example.com',
    version: 'v2',
    kind: 'Widget',
    protobuf: true,
    rows,
    spec: z.object({
      color: z.enum(['red', 'blue']).default('red').describe('The color of the paint.').meta(fieldNumber(1)),
      replicas: z.int32().default(1).meta(fieldNumber(2)),
      parts: z
        .array(z.object({ name: z.string().meta(fieldNumber(1)), size: z.int32().meta(fieldNumber(2)) }))
        .default([])
        .meta({ ...listMap('name'), ...fieldNumber(3) }),
    }),
    status: z.object({
      replicas: z.int32().optional().meta(fieldNumber(1)),
      reads: z.int32().optional().meta(fieldNumber(2)),
    }),
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    validate: ({ spec }) =>
      spec.parts.length > spec.replicas ? [invalid(FieldPath.of('spec', 'parts'), null, 'more than replicas')] : [],
    read: (widget) => ({ ...widget, status: { ...widget.status, reads: 1 } }),
    beforeDelete: ({ metadata }) => {
      if (metadata.labels?.['keep'] === 'true')
        throw new StatusError(forbidden({ group: 'example.com', resource: 'widgets' }, metadata.name, 'it is kept'));
      return [];
    },
    actions: { paint: action(z.object({ color: z.string() }), (_, { color }) => ({ painted: color })) },
    versions: [
      {
        version: 'v1',
        spec: z.object({
          paint: z.string().default('red').meta(fieldNumber(1)),
          replicas: z.int32().default(1).meta(fieldNumber(2)),
          parts: z
            .array(z.object({ name: z.string().meta(fieldNumber(1)), size: z.int32().meta(fieldNumber(2)) }))
            .default([])
            .meta({ ...listMap('name'), ...fieldNumber(3) }),
        }),
        status: z.object({
          replicas: z.int32().optional().meta(fieldNumber(1)),
          reads: z.int32().optional().meta(fieldNumber(2)),
        }),
        toHub: (widget) => moved(widget, 'paint', 'color'),
        fromHub: (widget) => moved(widget, 'color', 'paint'),
      },
    ],
  });
}

function moved(widget: JsonObject, from: string, to: string): JsonObject {
  const { [from]: value, ...rest } = (widget['spec'] ?? {}) as JsonObject;
  return { ...widget, spec: value === undefined ? rest : { ...rest, [to]: value } };
}

const widget = (spec: object = {}): object => ({
  apiVersion: 'example.com/v2',
  kind: 'Widget',
  metadata: { name: 'x' },
  spec,
});

/** By the name of the row. Each is run on a server of its own with the widget `x`. */
const FEATURES: Readonly<Record<string, (server: KitServer, rows: MapRows) => Promise<void>>> = {
  Validation: async ({ send }) => {
    expect(causesOf(await send('POST', WIDGETS, widget({ color: 'pink' })))).toEqual([
      'spec.color: Unsupported value: "pink": supported values: "red", "blue"',
    ]);
    const parts = {
      parts: [
        { name: 'a', size: 1 },
        { name: 'b', size: 1 },
      ],
    };
    expect(causesOf(await send('POST', WIDGETS, widget(parts)))).toEqual([
      'spec.parts: Invalid value: null: more than replicas',
    ]);
  },
  Defaulting: async ({ send }) => {
    expect((await send('GET', X)).body['spec']).toEqual({ color: 'red', replicas: 1, parts: [] });
  },
  'Multi-versioning': async ({ send }) => {
    const v1 = X.replace('v2', 'v1');
    expect((await send('GET', v1)).body).toMatchObject({ apiVersion: 'example.com/v1', spec: { paint: 'red' } });
    await send('PATCH', v1, { spec: { paint: 'blue' } }, MERGE);
    expect((await send('GET', X)).body).toMatchObject({ spec: { color: 'blue' } });
  },
  'Custom Storage': async ({ send }, { rows }) => {
    expect(rows.get('default/x')?.object).toMatchObject({ kind: 'Widget', spec: { color: 'red' } });
    await send('DELETE', X);
    expect(rows.size).toBe(0);
  },
  'Custom Business Logic': async ({ send }) => {
    expect((await send('GET', X)).body).toMatchObject({ status: { reads: 1 } });
    await send('PATCH', X, { metadata: { labels: { keep: 'true' } } }, MERGE);
    expect((await send('DELETE', X)).status).toBe(403);
  },
  'Scale Subresource': async ({ send }) => {
    expect((await send('PATCH', `${X}/scale`, { spec: { replicas: 4 } }, MERGE)).body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 4 },
    });
    expect((await send('GET', X)).body).toMatchObject({ spec: { replicas: 4 } });
  },
  'Status Subresource': async ({ send }) => {
    const body = { spec: { replicas: 9 }, status: { replicas: 2 } };
    expect((await send('PATCH', `${X}/status`, body, MERGE)).body).toMatchObject({
      metadata: { generation: 1 },
      spec: { replicas: 1 },
      status: { replicas: 2 },
    });
    expect((await send('PATCH', X, body, MERGE)).body).toMatchObject({
      metadata: { generation: 2 },
      spec: { replicas: 9 },
      status: { replicas: 2 },
    });
  },
  'Other Subresources': async ({ send }) => {
    expect((await send('POST', `${X}/paint`, { color: 'green' })).body).toMatchObject({ painted: 'green' });
  },
  'strategic-merge-patch': async ({ send }) => {
    await send('PATCH', X, { spec: { replicas: 3, parts: [{ name: 'a', size: 1 }] } }, MERGE);
    const type = { 'content-type': 'application/strategic-merge-patch+json' };
    const { body } = await send(
      'PATCH',
      X,
      {
        spec: {
          parts: [
            { name: 'b', size: 2 },
            { name: 'a', $patch: 'delete' },
          ],
        },
      },
      type,
    );
    expect(fieldAt(body, 'spec', 'parts')).toEqual([{ name: 'b', size: 2 }]);
  },
  'Protocol Buffers': async ({ send }) => {
    const type = 'application/vnd.kubernetes.protobuf';
    const { status, headers } = await send('GET', X, undefined, { accept: type });
    expect([status, headers['content-type']]).toEqual([200, type]);
  },
  'OpenAPI Schema': async ({ send }) => {
    const { body } = await send('GET', '/openapi/v3/apis/example.com/v2');
    const schema = fieldAt(body, 'components', 'schemas', 'com.example.v2.Widget', 'properties', 'spec') as JsonObject;
    expect(textAt(schema, 'properties', 'color', 'description')).toBe('The color of the paint.');
    const misspelt = await send('PATCH', `${X}?fieldValidation=Strict`, { spec: { colour: 'red' } }, MERGE);
    expect([misspelt.status, textAt(misspelt.body, 'message')]).toEqual([422, expect.stringContaining('spec.colour')]);
    expect(causesOf(await send('PATCH', X, { spec: { replicas: 'many' } }, MERGE))[0]).toContain('spec.replicas');
  },
};

describe('an extension API has every feature of the comparison with CRDs', () => {
  it.each(Object.keys(FEATURES))('%s', async (feature) => {
    const rows = new MapRows();
    const server = await serve([declare(rows)]);
    expect((await server.send('POST', WIDGETS, widget())).status).toBe(201);
    await FEATURES[feature]?.(server, rows);
    await server.stop();
  });
});
