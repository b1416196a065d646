// Runs the operator against the cluster of your kubeconfig until Ctrl+C.
import { connect, servePages, terminationSignal } from 'keelson/node';
import { nodePoolOperator } from './nodepool-operator.ts';

const { transport, stop } = await connect({ userAgent: 'nodepool' });
const serve = servePages({ onListening: (url) => console.log(`pages are served at ${url}`) });
await nodePoolOperator().run({ transport, serve, signal: terminationSignal() });
await stop();
