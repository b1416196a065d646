/**
 * A bare node:http2 server that sends the bytes of one GET, in a process of its own: the upper bound of the platform.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Credentials } from '../../compat/peers/peer.ts';
import type { BareMessage, BareStart } from './bare-server.ts';
import type { Side } from './side.ts';

export async function startBare(credentials: Credentials, body: string): Promise<Side> {
  const entry = join(dirname(fileURLToPath(import.meta.url)), 'bare-server.mjs');
  await build({
    entryPoints: ['bench/peer/bare-server.ts'],
    outfile: entry,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  const child = fork(entry, { execArgv: [] });
  const start: BareStart = {
    key: readFileSync(credentials.servingKeyFile, 'utf8'),
    cert: readFileSync(credentials.servingCertificateFile, 'utf8'),
    body,
  };
  child.send(start);
  const [{ port }] = (await once(child, 'message')) as [BareMessage];
  return {
    name: 'bare',
    url: `https://127.0.0.1:${port}`,
    token: '',
    pids: [child.pid as number],
    async stop() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}
