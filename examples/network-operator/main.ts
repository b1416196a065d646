// Runs the operator against the cluster of your kubeconfig until Ctrl+C.
import { connect, servePages, terminationSignal } from 'keelson/node';
import { networkOperator } from './network-operator.ts';

const { transport, stop } = await connect({ userAgent: 'network-operator' });
const serve = servePages({ onListening: (url) => console.log(`pages are served at ${url}`) });
await networkOperator.run({ transport, serve, signal: terminationSignal() });
await stop();
