// Runs the operator against the cluster of your kubeconfig until Ctrl+C.
import { connect, servePages, terminationSignal } from 'keelson/node';
import { fooOperator } from './foo-operator.ts';

const { transport, stop } = await connect({ userAgent: 'sample-controller' });
const serve = servePages({ onListening: (url) => console.log(`pages are served at ${url}`) });
await fooOperator.run({ transport, serve, signal: terminationSignal() });
await stop();
