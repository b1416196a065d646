// The server. `node main.js` needs no API server; `node main.js --parent` serves behind that of the current kubeconfig.
// DATABASE_URL names a PostgreSQL database; without it the rows are in the SQLite file BANK_FILE.
import { writeFileSync } from 'node:fs';
import { createExtensionServer, manifests } from 'keelson/extension';
import { accountResource } from './account.ts';
import { postgresqlBank } from './postgresql.ts';
import { sqliteBank } from './sqlite.ts';

const { DATABASE_URL, BANK_FILE = 'bank.db', PORT = '0' } = process.env;
const bank = DATABASE_URL === undefined ? sqliteBank(BANK_FILE) : await postgresqlBank(DATABASE_URL);
await bank.accounts.createTable();

const standalone = !process.argv.includes('--parent');
const server = createExtensionServer({ resources: [accountResource(bank)], standalone, storage: 'memory' });
const { url, kubeconfig } = await server.listen({ host: '127.0.0.1', port: Number(PORT) });
if (standalone) {
  writeFileSync('kubeconfig', kubeconfig ?? '');
  console.log(`accounts are served at ${url}`);
} else {
  const items = await manifests(server, { namespace: 'bank', address: url });
  writeFileSync('manifests.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 2));
  console.log(`accounts are served at ${url}; to register them: kubectl apply -f manifests.json`);
}
process.once('SIGTERM', () => void server.stop().then(() => bank.stop()));
