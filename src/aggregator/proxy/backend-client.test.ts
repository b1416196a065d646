import { describe, expect, it } from 'vitest';
import { TransportError } from '../../base/errors.ts';
import { FakeSink, userNamed } from '../../server/filters/filters.fixtures.ts';
import type { Answer, Incoming } from '../../server/http/exchange.ts';
import { inProcess } from '../../server/http/in-process.ts';
import type { OutboundClient } from '../../server/http/outbound.ts';
import { NOT_CHECKED, type RemoteVersion } from '../remote-version.ts';
import { createBackendClient } from './backend-client.ts';

const OWN: RemoteVersion = {
  name: 'v1.g.example.com',
  group: 'g.example.com',
  version: 'v1',
  service: { namespace: 'default', name: 'kubernetes', port: 443 },
  ca: '',
  insecureSkipTlsVerify: false,
  groupPriority: 1,
  versionPriority: 1,
  availability: NOT_CHECKED,
};

/** A client whose network must not be used. */
function clientOf(handler?: (incoming: Incoming) => Answer) {
  const fail = (): never => {
    throw new TypeError('the network was used');
  };
  return createBackendClient({
    outbound: { server: fail } as unknown as OutboundClient,
    services: { resolve: fail },
    clientCertificate: () => undefined,
    ...(handler && { loopback: inProcess(handler) }),
  });
}

const GET = { method: 'GET', target: '/apis/g.example.com/v1', headers: { accept: 'application/json' } };

describe('a request to default/kubernetes:443', () => {
  it('is answered by this server, as the user, without a socket', async () => {
    const seen: unknown[] = [];
    const client = clientOf((incoming) => {
      seen.push([incoming.target, incoming.header('accept'), incoming.header('x-remote-user')]);
      return { kind: 'bytes', status: 200, headers: { a: 'b' }, body: Buffer.from('{}') };
    });
    const response = await client.request(OWN, { ...GET, user: userNamed('ada') });
    const sink = new FakeSink();
    response.pipeTo(sink);
    expect([response.status, response.headers, Buffer.concat(sink.written).toString(), sink.ended]).toEqual([
      200,
      { a: 'b' },
      '{}',
      true,
    ]);
    expect(seen).toEqual([['/apis/g.example.com/v1', 'application/json', 'ada']]);
  });

  it('streams, and tells this server when the reader leaves or aborts', async () => {
    for (const end of ['leave', 'abort'] as const) {
      let isClosed = false;
      const client = clientOf(() => ({
        kind: 'stream',
        status: 200,
        headers: {},
        start: (sink) => {
          sink.write([Buffer.from('event')]);
          sink.onClose(() => {
            isClosed = true;
          });
        },
      }));
      const response = await client.request(OWN, GET);
      const sink = new FakeSink();
      response.pipeTo(sink);
      while (sink.written.length === 0) await Promise.resolve();
      expect(isClosed).toBe(false);
      if (end === 'leave') sink.leave();
      else response.abort();
      expect(isClosed).toBe(true);
    }
  });

  it('fails without a way to this server itself, and for an upgrade', async () => {
    await expect(clientOf().request(OWN, GET)).rejects.toThrow(TransportError);
    await expect(clientOf().upgrade(OWN, { ...GET, upgrade: 'websocket' })).rejects.toThrow(TransportError);
  });
});
