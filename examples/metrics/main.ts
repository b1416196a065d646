// The server: metrics.k8s.io and external.metrics.k8s.io behind the API server of the current kubeconfig.
import { writeFileSync } from 'node:fs';
import { createClient } from 'keelson/client';
import { createExtensionServer, manifests } from 'keelson/extension';
import { connect } from 'keelson/node';
import { queueLength } from './external.ts';
import { metricsResources } from './metrics.ts';

const parent = await connect();
const client = createClient(parent.transport);
const server = createExtensionServer({
  resources: [...metricsResources(() => client), queueLength(() => client)],
  storage: 'memory',
});

const { url } = await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 8443) });
const items = await manifests(server, { namespace: 'metrics', address: url });
writeFileSync('manifests.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 2));
console.log(`metrics are served at ${url}; to register them: kubectl apply -f manifests.json`);
process.once('SIGTERM', () => void server.stop().then(() => parent.stop()));
