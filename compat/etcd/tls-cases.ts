/** Cases of the etcd driver on a member that serves TLS and demands client certificates. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { GrpcTls } from '../../src/base/grpc.ts';
import { openGrpcChannel } from '../../src/node/grpc/grpc-channel.ts';
import { createCa, issueClientCertificate, issueServerCertificate } from '../../src/pki/certificates.ts';
import type { EtcdStorage } from '../../src/storage/etcd/etcd-storage.ts';
import { openEtcdStorage } from '../../src/storage/etcd/open.ts';
import { put, Recorder, readText } from '../../src/storage/suite/context.ts';
import { expectEqual, expectTrue } from '../../src/storage/suite-assert.ts';
import type { Case } from '../rows/cases.ts';
import { Cluster } from './cluster.ts';

interface TlsContext {
  readonly urls: readonly string[];
  readonly ca: string;
  readonly client: GrpcTls;
  /** A certificate of a CA that the member does not trust. */
  readonly stranger: GrpcTls;
}

async function withTls(program: string, run: (context: TlsContext) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'compat-etcd-tls-'));
  const clock = systemClock;
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  try {
    const [ca, other] = await Promise.all(['etcd-ca', 'other-ca'].map((commonName) => createCa({ commonName, clock })));
    const server = await issueServerCertificate(ca!, { clock });
    const issue = async (from: typeof ca): Promise<GrpcTls> => {
      const { certificatePem, keyPem } = await issueClientCertificate(from!, { clock, user: 'keelson', groups: [] });
      return { ca: ca!.certificatePem, cert: certificatePem, key: keyPem };
    };
    const tls = {
      ca: write('ca.crt', ca!.certificatePem),
      cert: write('server.crt', server.certificatePem),
      key: write('server.key', server.keyPem),
    };
    const cluster = await Cluster.start({ program, members: 1, tls });
    try {
      const [client, stranger] = [await issue(ca), await issue(other)];
      await run({ urls: cluster.urls, ca: ca!.certificatePem, client, stranger });
    } finally {
      await cluster.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function openStorage(endpoints: readonly string[], tls: GrpcTls): EtcdStorage {
  return openEtcdStorage({ openChannel: openGrpcChannel, endpoints, prefix: '/tls/', scope: '', tls });
}

export function tlsCases(program: string): readonly Case[] {
  return [
    {
      name: 'TLS with a client certificate: writes, reads and watches work',
      run: () =>
        withTls(program, async ({ urls, client }) => {
          const storage = openStorage(urls, client);
          try {
            const watcher = Recorder.start(storage, '', { after: await storage.revision() });
            const revision = await put(storage, 'a', 'x');
            expectEqual(await readText(storage, 'a'), 'x');
            await watcher.caughtUp(storage);
            expectEqual(
              watcher.seen.map((event) => event.revision),
              [revision],
            );
          } finally {
            await storage.stop();
          }
        }),
    },
    {
      name: 'TLS without a certificate, with that of another CA, and to a member of an unknown CA: calls fail',
      run: () =>
        withTls(program, async ({ urls, ca, client, stranger }) => {
          const { cert, key } = client;
          await Promise.all(
            [{ ca }, stranger, { cert, key }].map(async (tls) => {
              const storage = openStorage(urls, tls);
              const outcome = await storage.revision().then(
                () => 'answered',
                () => 'failed',
              );
              await storage.stop();
              expectTrue(outcome === 'failed', `the call with ${Object.keys(tls)} ${outcome}`);
            }),
          );
        }),
    },
  ];
}
