/** examples/bank behind both servers: rows in SQLite, then rows in PostgreSQL. */
import type { StepResult } from '../kubectl/run.ts';
import type { Script } from '../kubectl/script.ts';
import type { Pair } from '../peers/pair.ts';
import { PostgresServer } from '../rows/postgresql.ts';
import { runExample } from './examples.ts';
import { $, fails } from './lines.ts';
import { availability } from './registration.ts';

const API = 'v1.bank.example.com';

export async function runBank(pair: Pair, folder: string): Promise<readonly StepResult[]> {
  const example = { name: 'bank', args: ['--parent'] };
  const inSqlite = await runExample(pair, folder, {
    ...example,
    env: () => ({ BANK_FILE: 'bank.db' }),
    scripts: scripts('bank-sqlite'),
  });
  const database = await PostgresServer.start();
  try {
    const names = [pair.reference.name, pair.candidate.name];
    const urls = new Map<string, string>();
    for (const [i, name] of names.entries()) urls.set(name, await database.createDatabase(`bank_${i}`));
    const inPostgresql = await runExample(pair, folder, {
      ...example,
      env: (peer) => ({ DATABASE_URL: urls.get(peer) ?? '' }),
      scripts: scripts('bank-postgresql'),
    });
    return [...inSqlite, ...inPostgresql];
  } finally {
    await database.stop();
  }
}

const account = (name: string, owner: string): string => `apiVersion: bank.example.com/v1
kind: Account
metadata: {name: ${name}}
spec: {owner: ${owner}}
`;
const balance = (name: string, cents: number): string =>
  `patch account ${name} --subresource=status --type=merge -p '{"status":{"balance":${cents}}}'`;

function scripts(name: string): readonly Script[] {
  const transfer = '/apis/bank.example.com/v1/namespaces/{{ns}}/accounts/ada/transfer';
  return [
    {
      name: `${name}-registered`,
      steps: [$('apply -f {{manifests}}', { unscoped: true }), availability('True', API)],
    },
    {
      name: `${name}-served`,
      files: {
        'ada.yaml': account('ada', 'Ada'),
        'bob.yaml': account('bob', 'Bob'),
        'sold.yaml': account('ada', 'Eve'),
        'transfer.json': '{"to":"bob","amount":30}',
        'too-much.json': '{"to":"bob","amount":500}',
        'nothing.json': '{"to":"bob","amount":0}',
      },
      steps: [
        $('get accounts', { retryUntil: 0 }),
        $('api-resources --api-group=bank.example.com -o wide'),
        $('create -f ada.yaml'),
        $('create -f bob.yaml'),
        fails('create -f bob.yaml'),
        $(balance('ada', 100)),
        $(balance('bob', 0)),
        fails(balance('bob', -1)),
        $('get accounts'),
        $('get accounts --watch -o name', { during: [`create --raw ${transfer} -f transfer.json`] }),
        $('get accounts'),
        fails(`create --raw ${transfer} -f too-much.json`),
        fails(`create --raw ${transfer} -f nothing.json`),
        fails('apply --server-side --force-conflicts -f sold.yaml'),
        $('get account ada -o jsonpath={.status.balance}'),
        $('delete account bob'),
        fails(`create --raw ${transfer} -f transfer.json`),
        fails('get accounts', { user: 'alice' }),
        $('delete accounts --all'),
      ],
    },
    { name: `${name}-gone`, steps: [$(`delete apiservice ${API}`), fails('get accounts', { retryUntil: 1 })] },
  ];
}
