// The informer of Keelson in the bench: fills its store with the ConfigMaps of a namespace and prints one line of JSON
// with the time until it has synced and the memory of the process a second later. It loads the built package, as
// programs do. usage: node client.mjs DIST KUBECONFIG NAMESPACE
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [dist, kubeconfig, namespace] = process.argv.slice(2);
const { createInformerSet } = await import(join(dist, 'client', 'index.js'));
const { connect } = await import(join(dist, 'node', 'index.js'));
const { ConfigMap } = await import(join(dist, 'kinds', 'api', 'core', 'v1.js'));

const connection = await connect({ kubeconfig });
const informers = createInformerSet({ transport: connection.transport });
const informer = informers.informer(ConfigMap, { namespace });
const before = process.cpuUsage();
const begin = performance.now();
informers.start();
await informers.synced();
const milliseconds = performance.now() - begin;
const { user, system } = process.cpuUsage(before);
await sleep(1000);
const status = readFileSync('/proc/self/status', 'utf8');
const resident = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
const objects = informer.store.size;
console.log(JSON.stringify({ milliseconds, cpu: (user + system) / 1000, objects, resident }));
await informers.stop();
await connection.stop();
