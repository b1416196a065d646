// A minimal extension API server of keelson/extension with the resource of sample-apiserver, for the benchmark.
// usage: node flunder-server.mjs PORT FOLDER KUBECONFIG
import { createExtensionServer, defineResource } from '../../../dist/bundle/extension.js';
import { terminationSignal } from '../../../dist/bundle/node.js';

const [port, folder, kubeconfig] = process.argv.slice(2);
const flunders = defineResource({
  group: 'wardle.example.com',
  version: 'v1alpha1',
  kind: 'Flunder',
  spec: {
    type: 'object',
    properties: { reference: { type: 'string' }, referenceType: { type: 'string', enum: ['', 'Flunder', 'Fischer'] } },
  },
});
const server = createExtensionServer({ resources: [flunders], storage: { folder }, parent: { kubeconfig } });
await server.listen({ host: '127.0.0.1', port: Number(port), signal: terminationSignal() });
