// An informer and a work queue of Keelson with a reconcile that does nothing, in the bench: prints one line of JSON with
// the time from the first change to the last reconcile. It loads the built package, as programs do. usage: node
// client.mjs DIST SERVER EVENTS
import { join } from 'node:path';

const [dist, server, count] = process.argv.slice(2);
const { createClient, createInformerSet, processQueue, systemClock, WorkQueue } = await import(
  join(dist, 'client', 'index.js')
);
const { connect } = await import(join(dist, 'node', 'index.js'));
const { ConfigMap } = await import(join(dist, 'kinds', 'api', 'core', 'v1.js'));

const total = Number(count);
const kubeconfig = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'bench', cluster: { server } }],
  contexts: [{ name: 'bench', context: { cluster: 'bench', user: '' } }],
  'current-context': 'bench',
});
const connection = await connect({ kubeconfig });
const informers = createInformerSet({ transport: createClient(connection.transport).transport });
const informer = informers.informer(ConfigMap, { namespace: 'bench' });
const queue = new WorkQueue({ clock: systemClock });
let events = 0;
let reconciles = 0;
let begin = 0;
let cpu;
const done = Promise.withResolvers?.() ?? deferred();
informer.addHandler({
  onAdd: ({ metadata }) => queue.add(`${metadata.namespace}/${metadata.name}`),
  onUpdate: (_, { metadata }) => {
    if (events === 0) {
      begin = performance.now();
      cpu = process.cpuUsage();
    }
    events++;
    queue.add(`${metadata.namespace}/${metadata.name}`);
  },
});
void processQueue(queue, {
  concurrency: 1,
  work: async (key) => {
    if (informer.store.getByKey(key) === undefined) throw new Error(`${key} is not in the store`);
    reconciles++;
    if (events === total && queue.length === 0) done.resolve();
  },
  onFailure: (_, error) => done.reject(error),
});
informers.start();
await done.promise;
const milliseconds = performance.now() - begin;
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ milliseconds, cpu: (user + system) / 1000, events, reconciles }));
await informers.stop();
await queue.stop();
await connection.stop();

function deferred() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}
