import { describe, expect, it } from 'vitest';
import { fieldAt, objectsAt, textAt } from '../apimachinery/meta/object-fields.ts';
import { invalid } from '../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../apimachinery/validation/field-path.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import type { JsonObject } from '../base/json-value.ts';
import { createMemoryStorage } from '../storage/memory/memory-storage.ts';
import { type ApiServer, createServer } from './create-server.ts';
import { defineResource } from './resource/define-resource.ts';

interface Widget {
  readonly spec: { readonly size: number; readonly color: string };
}

const WIDGET = defineResource<Widget>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  schema: {
    type: 'object',
    description: 'A widget.',
    properties: {
      spec: {
        type: 'object',
        required: ['size'],
        properties: {
          size: { type: 'integer', minimum: 1, description: 'The size in millimetres.' },
          color: { type: 'string', default: 'red' },
        },
        'x-kubernetes-validations': [{ rule: "self.color != 'plaid'", message: 'plaid is not a color' }],
      },
      status: { type: 'object', properties: { ready: { type: 'boolean' } } },
    },
  },
  columns: [{ name: 'Size', jsonPath: '.spec.size', type: 'integer' }],
  selectableFields: ['spec.color'],
  validate: ({ spec }) =>
    spec.color === 'black' && spec.size > 10 ? [invalid(FieldPath.of('spec', 'size'), spec.size, 'too dark')] : [],
});

const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';

interface Reply {
  readonly status: number;
  readonly body: JsonObject;
}

async function start(): Promise<
  ApiServer & { send(method: string, target: string, body?: object, type?: string): Promise<Reply> }
> {
  const server = createServer({ resources: [WIDGET], storage: createMemoryStorage() });
  await server.start();
  const send = async (method: string, target: string, body?: object, type = 'application/json'): Promise<Reply> => {
    const { status, body: sent } = await server.transport({
      method,
      target,
      headers: { 'content-type': type, accept: 'application/json' },
      ...(body && { body: encodeUtf8(JSON.stringify(body)) }),
    });
    const chunks: Uint8Array[] = [];
    if (sent instanceof Uint8Array) chunks.push(sent);
    else for await (const chunk of sent) chunks.push(chunk);
    return { status, body: JSON.parse(Buffer.concat(chunks).toString()) };
  };
  return { ...server, send };
}

const widget = (spec: object, name = 'w'): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
});

describe('a standalone server with one resource of the kit', () => {
  it('serves every verb, with defaults, pruning, generations and the status subresource', async () => {
    const { send, stop } = await start();
    const created = await send('POST', WIDGETS, { ...widget({ size: 2, extra: 1 }), status: { ready: true } });
    expect(created.status).toBe(201);
    expect(created.body['spec']).toEqual({ size: 2, color: 'red' });
    expect(created.body['status']).toBeUndefined();
    const patched = await send('PATCH', `${WIDGETS}/w`, { spec: { size: 3 } }, 'application/merge-patch+json');
    expect(patched.body).toMatchObject({ spec: { size: 3 }, metadata: { generation: 2 } });
    const status = await send('PUT', `${WIDGETS}/w/status`, { ...patched.body, status: { ready: true } });
    expect(status.body).toMatchObject({ status: { ready: true }, metadata: { generation: 2 } });
    expect((await send('GET', `${WIDGETS}?fieldSelector=spec.color%3Dred`)).body['items']).toHaveLength(1);
    expect((await send('GET', `${WIDGETS}?fieldSelector=spec.color%3Dblue`)).body['items']).toHaveLength(0);
    expect((await send('DELETE', `${WIDGETS}/w`)).status).toBe(200);
    expect((await send('GET', `${WIDGETS}/w`)).status).toBe(404);
    await stop();
  });

  it('refuses what the schema, a rule or its own validation refuses, with field paths', async () => {
    const { send, stop } = await start();
    const causes = async (spec: object): Promise<unknown> => {
      const { status, body } = await send('POST', WIDGETS, widget(spec));
      return [status, objectsAt(body, 'details', 'causes').map((cause) => textAt(cause, 'field'))];
    };
    expect(await causes({ size: 0 })).toEqual([422, ['spec.size']]);
    expect(await causes({ size: 1, color: 'plaid' })).toEqual([422, ['spec']]);
    expect(await causes({ size: 11, color: 'black' })).toEqual([422, ['spec.size']]);
    await stop();
  });

  it('publishes the resource in discovery, OpenAPI and tables', async () => {
    const { send, transport, stop } = await start();
    const list = await send('GET', '/apis/example.com/v1');
    expect(objectsAt(list.body, 'resources').map((resource) => textAt(resource, 'name'))).toEqual([
      'widgets',
      'widgets/status',
    ]);
    const v3 = await send('GET', '/openapi/v3/apis/example.com/v1');
    expect(textAt(v3.body, 'components', 'schemas', 'com.example.v1.Widget', 'description')).toBe('A widget.');
    const v2 = await send('GET', '/openapi/v2');
    expect(JSON.stringify(fieldAt(v2.body, 'definitions', 'com.example.v1.Widget'))).toContain('millimetres');
    await send('POST', WIDGETS, widget({ size: 7 }));
    const table = await transport({
      method: 'GET',
      target: WIDGETS,
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    expect(JSON.parse(Buffer.from(table.body as Uint8Array).toString()).rows[0].cells).toEqual(['w', 7]);
    await stop();
  });

  it('is not declared with a schema that is not structural, has bad defaults or rules that do not compile', () => {
    const define =
      (schema: object): (() => unknown) =>
      () =>
        defineResource({ group: 'example.com', version: 'v1', kind: 'Bad', schema: schema as never });
    expect(define({ type: 'object', properties: { spec: { properties: {} } } })).toThrow(
      /schema of Bad is not valid.*schema.properties\[spec\].type: Required/,
    );
    expect(
      define({
        type: 'object',
        properties: { spec: { type: 'object', properties: { a: { type: 'string', default: 1 } } } },
      }),
    ).toThrow(/default/);
    expect(define({ type: 'object', 'x-kubernetes-validations': [{ rule: 'self.nothing' }] })).toThrow(/rule/);
  });
});
