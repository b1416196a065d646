/**
 * Runs examples/bank from the packed package: accounts through the real kubectl, the action `transfer`, the WebSocket
 * stream `statement`, SQL beside the server, and a restart on the same file.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runKubectl } from '../peers/kubectl.ts';
import { program } from '../peers/programs.ts';
import { installExamples } from './project.ts';

const ACCOUNTS = '/apis/bank.example.com/v1/namespaces/default/accounts';
const EVENTUALLY_MS = 20_000;
const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm') as {
  Database: new (path: string) => { all(sql: string): Record<string, unknown>[]; close(): void };
};

program('kubectl');
const { folder: folderOf, remove } = installExamples(['bank'], ['node-sqlite3-wasm@0.8', 'pg@8']);
const folder = folderOf('bank');
let passed = 0;
let failed = 0;

function report(ok: boolean, what: string, details: string): void {
  if (ok) passed++;
  else failed++;
  if (!ok) console.log(`FAIL ${what}\n${details}`);
}

async function start(): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['main.js'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as [Buffer | number];
  console.log(`bank: ${String(line).trim()}`);
  return { child, url: /https:\S+/.exec(String(line))?.[0] ?? '' };
}

async function kubectl(args: readonly string[], prints: RegExp, stdin?: string, exit = 0): Promise<void> {
  const end = Date.now() + EVENTUALLY_MS;
  for (;;) {
    const session = { kubeconfig: join(folder, 'kubeconfig'), home: join(folder, 'home'), cwd: folder };
    const answer = await runKubectl({ ...session, args, ...(stdin === undefined ? {} : { stdin }) });
    const ok = answer.exit === exit && prints.test(exit === 0 ? answer.stdout : answer.stderr);
    // Reads are repeated: changes by SQL appear within the poll interval.
    if (ok || args[0] !== 'get' || Date.now() > end)
      return report(ok, `kubectl ${args.join(' ')}`, answer.stdout + answer.stderr);
    await sleep(100);
  }
}

const account = (name: string, owner: string): string =>
  JSON.stringify({ apiVersion: 'bank.example.com/v1', kind: 'Account', metadata: { name }, spec: { owner } });
const transfer = (from: string): readonly string[] => ['create', '--raw', `${ACCOUNTS}/${from}/transfer`, '-f', '-'];

/** A WebSocket with the client certificate of the kubeconfig. Unmasked, short text frames are enough here. */
async function openStatement(url: string): Promise<{ next(): Promise<string>; close(): void }> {
  const config = readFileSync(join(folder, 'kubeconfig'), 'utf8');
  const pem = (field: string): Buffer =>
    Buffer.from(new RegExp(`"?${field}"?: *"?([A-Za-z0-9+/=]+)`).exec(config)?.[1] ?? '', 'base64');
  const upgrade = request(`${url}${ACCOUNTS}/ada/statement`, {
    ca: pem('certificate-authority-data'),
    cert: pem('client-certificate-data'),
    key: pem('client-key-data'),
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    },
  }).end();
  const [, socket, head] = (await once(upgrade, 'upgrade')) as [unknown, Socket, Buffer];
  let bytes = head;
  let more = (): void => {};
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    more();
  });
  return {
    async next() {
      while (bytes.length < 2 || bytes.length < 2 + (bytes[1]! & 127))
        await new Promise<void>((resolve) => {
          more = resolve;
        });
      const size = bytes[1]! & 127;
      const text = bytes.subarray(2, 2 + size).toString();
      bytes = bytes.subarray(2 + size);
      return text;
    },
    close: () => socket.destroy(),
  };
}

let { child, url } = await start();
try {
  await kubectl(['create', '-f', '-'], /account\.bank\.example\.com\/ada created/, account('ada', 'Ada'));
  await kubectl(['create', '-f', '-'], /account\.bank\.example\.com\/bob created/, account('bob', 'Bob'));
  const paid = ['patch', 'account', 'ada', '--subresource=status', '--type=merge', '-p', '{"status":{"balance":100}}'];
  await kubectl(paid, /ada patched/);
  const seeded = ['patch', 'account', 'bob', '--subresource=status', '--type=merge', '-p', '{"status":{"balance":0}}'];
  await kubectl(seeded, /bob patched/);
  await kubectl(['get', 'accounts'], /^NAME +OWNER +BALANCE\nada +Ada +100\nbob +Bob +0\n$/);
  const statement = await openStatement(url);
  const first = await statement.next();
  report(first === '{"balance":100}', 'the statement begins with the balance', first);
  await kubectl(transfer('ada'), /"amount":30.*/, '{"to":"bob","amount":30}');
  const second = await statement.next();
  report(second === '{"balance":70}', 'the statement shows the transfer', second);
  statement.close();
  await kubectl(['get', 'accounts'], /ada +Ada +70\nbob +Bob +30\n$/);
  await kubectl(transfer('ada'), /the balance is below 500/, '{"to":"bob","amount":500}', 1);
  await kubectl(transfer('ada'), /amount/, '{"to":"bob","amount":0}', 1);
  const moved = ['patch', 'account', 'ada', '--type=merge', '-p', '{"spec":{"owner":"Eve"}}'];
  await kubectl(moved, /an account keeps its owner/, undefined, 1);
  await kubectl(['explain', 'account.status.balance'], /In cents\./);
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = (await exit) as [number | null];
  report(code === 0, 'the example ends after SIGTERM', String(code));
  const database = new Database(join(folder, 'bank.db'));
  const rich = database.all('SELECT name, owner FROM accounts WHERE balance > 50');
  report(JSON.stringify(rich) === '[{"name":"ada","owner":"Ada"}]', 'SQL sees the columns', JSON.stringify(rich));
  database.all(`UPDATE accounts SET object = json_set(object, '$.status.balance', 31) WHERE name = 'bob'`);
  database.close();
  ({ child, url } = await start());
  await kubectl(['get', 'accounts'], /ada +Ada +70\nbob +Bob +31\n$/);
  await kubectl(['delete', 'account', 'bob'], /"bob" deleted/);
} finally {
  child.kill('SIGKILL');
  remove();
}
console.log(`bank: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
