// Serves the webhooks and registers them with the API server of your kubeconfig, until Ctrl+C.
import { consoleLogger } from 'keelson/controller';
import { terminationSignal } from 'keelson/node';
import { serveWebhooks } from 'keelson/webhook';
import { convertCronTabs } from './crontab.ts';
import { checkDeployment, requestCpu } from './deployments.ts';

const server = await serveWebhooks({
  name: 'guard.example.com',
  mutate: [requestCpu],
  validate: [checkDeployment],
  convert: [convertCronTabs],
  folder: 'guard-data',
  logger: consoleLogger(),
  signal: terminationSignal(),
});
await server.register();
console.log(`webhooks are served at ${server.url}`);
await server.stopped;
