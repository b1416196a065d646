// A standalone API server with one kind of its own. Run it, then: export KUBECONFIG=$PWD/kubeconfig; kubectl get widgets
import { writeFileSync } from 'node:fs';
import { listen } from 'keelson/node';
import { createServer, defineResource, FieldPath, invalid } from 'keelson/server';
import { createMemoryStorage } from 'keelson/storage/memory';

const widgets = defineResource<{ spec: { size: number; color: string } }>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  shortNames: ['wg'],
  columns: [{ name: 'Size', jsonPath: '.spec.size', type: 'integer' }],
  schema: {
    type: 'object',
    description: 'A part of a machine.',
    properties: {
      spec: {
        type: 'object',
        required: ['size'],
        properties: {
          size: { type: 'integer', minimum: 1, description: 'The size in millimetres.' },
          color: { type: 'string', default: 'red', description: 'The color of the paint.' },
        },
      },
    },
  },
  validate: ({ spec }, old) =>
    old !== undefined && spec.size < old.spec.size
      ? [invalid(FieldPath.of('spec', 'size'), spec.size, 'widgets do not shrink')]
      : [],
});

const server = createServer({ resources: [widgets], storage: createMemoryStorage() });
const { url, kubeconfig, stop } = await listen({ handler: server.handler });
writeFileSync('kubeconfig', kubeconfig);
await server.start();
console.log(`widgets are served at ${url}`);
process.once('SIGTERM', () => void server.stop().then(stop));
