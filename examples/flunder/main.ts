// The server: flunders and fischers behind the API server of the current kubeconfig.
import { writeFileSync } from 'node:fs';
import { type Client, createClient } from 'keelson/client';
import { createExtensionServer, manifests } from 'keelson/extension';
import { banFlunder } from './ban-flunder.ts';
import { fischers, flunders } from './flunder.ts';

const server = createExtensionServer({
  resources: [flunders, fischers],
  storage: { folder: 'data' },
  admission: { plugins: [banFlunder(() => client)] },
});
const client: Client = createClient(server.transport);

const { url } = await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 8443) });
// The namespace, the rights, the Service and the APIServices that lead here.
const items = await manifests(server, { namespace: 'flunder', name: 'api', address: url });
writeFileSync('manifests.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 2));
console.log(`flunders are served at ${url}; to register them: kubectl apply -f manifests.json`);
process.once('SIGTERM', () => void server.stop());
