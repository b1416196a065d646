// The server. Run it, then: export KUBECONFIG=$PWD/kubeconfig; kubectl get accounts
import { writeFileSync } from 'node:fs';
import { createExtensionServer } from 'keelson/extension';
import { account } from './account.ts';
import { accounts, database } from './database.ts';

await accounts.createTable();
const server = createExtensionServer({ resources: [account], standalone: true, storage: 'memory' });
const { url, kubeconfig } = await server.listen();
writeFileSync('kubeconfig', kubeconfig ?? '');
console.log(`accounts are served at ${url}`);
process.once('SIGTERM', () => void server.stop().then(() => database.close()));
