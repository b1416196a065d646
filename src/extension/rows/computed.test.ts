import { describe, expect, it } from 'vitest';
import { objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { createServer, type ServerOptions } from '../../server/create-server.ts';
import { defineResource } from '../../server/resource/define-resource.ts';
import { rowsSuite } from '../../server/rows/rows.suite.ts';
import { createMemoryStorage } from '../../storage/memory/memory-storage.ts';
import { computed, computedRows } from './computed.ts';

const USAGES = [
  { metadata: { name: 'a', namespace: 'one', labels: { tier: 'web' } }, usage: 1 },
  { metadata: { name: 'a', namespace: 'two' }, usage: 2 },
];
const OPTIONS = {
  group: 'metrics.test',
  version: 'v1',
  kind: 'Usage',
  schema: { type: 'object', properties: { usage: { type: 'integer' } } },
} as const;

async function ask(resource: ServerOptions['resources'][number], target: string): Promise<[number, JsonObject]> {
  const server = createServer({ resources: [resource], storage: createMemoryStorage() });
  await server.start();
  const { status, body } = await server.transport({ method: 'GET', target, headers: { accept: 'application/json' } });
  const chunks: Uint8Array[] = [];
  if (body instanceof Uint8Array) chunks.push(body);
  else for await (const chunk of body) chunks.push(chunk);
  await server.stop();
  return [status, JSON.parse(Buffer.concat(chunks).toString())];
}

const spaces = (list: JsonObject): string[] =>
  objectsAt(list, 'items').map((item) => textAt(item, 'metadata', 'namespace'));

describe('computed collections', () => {
  const usages = defineResource({
    ...OPTIONS,
    store: computed({
      plural: 'usages',
      list: (namespace) => USAGES.filter(({ metadata }) => namespace === '' || metadata.namespace === namespace),
    }),
  });

  it('have get and list, and no watch', async () => {
    const [, discovery] = await ask(usages, '/apis/metrics.test/v1');
    expect(discovery['resources']).toMatchObject([{ name: 'usages', verbs: ['get', 'list'] }]);
    expect(await ask(usages, '/apis/metrics.test/v1/namespaces/two/usages/a')).toMatchObject([
      200,
      { kind: 'Usage', apiVersion: 'metrics.test/v1', usage: 2 },
    ]);
    expect(await ask(usages, '/apis/metrics.test/v1/namespaces/two/usages/b')).toMatchObject([
      404,
      { message: 'usages.metrics.test "b" not found' },
    ]);
  });

  it('apply selectors', async () => {
    const path = '/apis/metrics.test/v1/usages';
    expect(spaces((await ask(usages, path))[1])).toEqual(['one', 'two']);
    expect(spaces((await ask(usages, `${path}?labelSelector=tier%3Dweb`))[1])).toEqual(['one']);
    expect(spaces((await ask(usages, `${path}?fieldSelector=metadata.namespace%3Dtwo`))[1])).toEqual(['two']);
  });

  it('can be watched as rows', async () => {
    const watched = defineResource({ ...OPTIONS, rows: computedRows(() => USAGES) });
    const [, discovery] = await ask(watched, '/apis/metrics.test/v1');
    expect(discovery['resources']).toMatchObject([{ name: 'usages', verbs: ['get', 'list', 'watch'] }]);
    expect(spaces((await ask(watched, '/apis/metrics.test/v1/usages'))[1])).toEqual(['one', 'two']);
  });
});

describe('the rows suite on computed rows', async () => {
  for (const { name, run } of await rowsSuite(() => computedRows(() => USAGES))) it(name, run);
});
