import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { isTransportError } from '../../base/errors.ts';
import { issueClientCertificate } from '../../pki/certificates.ts';
import type { ByteSink } from '../../server/http/byte-stream.ts';
import type { OutboundClient, OutboundRequest, OutboundResponse } from '../../server/http/outbound.ts';
import { certificates, listen, text } from '../listener.fixtures.ts';
import { cleanUp, cleanups, type Protocol, upstream } from '../proxy.fixtures.ts';
import { createOutboundClient } from './outbound-client.ts';

afterEach(cleanUp);

function client(): OutboundClient {
  const made = createOutboundClient();
  cleanups.push(() => made.stop());
  return made;
}

async function requestTo(url: string, more: Partial<OutboundRequest> = {}): Promise<OutboundRequest> {
  const { ca } = await certificates();
  return { method: 'GET', url, ca: ca.certificatePem, headers: {}, ...more };
}

/** Collects a body. Rejects if it is aborted. */
function bodyOf(response: OutboundResponse): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    const sink: ByteSink = {
      write: (more) => chunks.push(...more) > 0,
      onDrain: () => {},
      end: () => resolve(Buffer.concat(chunks).toString()),
      abort: () => reject(new Error('aborted')),
      onClose: () => {},
    };
    response.pipeTo(sink);
  });
}

for (const protocol of ['http/1.1', 'h2'] as const satisfies readonly Protocol[]) {
  describe(`an outbound request over ${protocol}`, () => {
    it('is made with the protocol that the server supports, over kept connections', async () => {
      const ports: unknown[] = [];
      const target = await upstream(protocol, (request, response) => {
        ports.push(request.socket.remotePort);
        response.end(request.httpVersion);
      });
      const outbound = client();
      const versions: string[] = [];
      for (let i = 0; i < 4; i++)
        versions.push(await bodyOf(await outbound.request(await requestTo(`${target.url}/`))));
      expect(new Set(versions)).toEqual(new Set([protocol === 'h2' ? '2.0' : '1.1']));
      // Over HTTP/1.1, only the first connection, on which the protocol was negotiated, is not kept.
      expect(new Set(ports).size).toBe(protocol === 'h2' ? 1 : 2);
    });

    it('shares one negotiation between concurrent requests', async () => {
      const target = await upstream(protocol, (_request, response) => response.end('x'));
      const outbound = client();
      const request = await requestTo(`${target.url}/`);
      const bodies = await Promise.all([1, 2, 3].map(async () => bodyOf(await outbound.request(request))));
      expect(bodies).toEqual(['x', 'x', 'x']);
    });

    it('rejects with the reason of its signal before the response, and aborts the body afterwards', async () => {
      const asked = new Deferred<void>();
      const target = await upstream(protocol, (request, response) => {
        if (request.url === '/never') asked.resolve();
        else (response as Writable).write('x');
      });
      const outbound = client();
      const early = new AbortController();
      early.abort(new Error('early'));
      await expect(outbound.request(await requestTo(target.url, { signal: early.signal }))).rejects.toThrow('early');
      const before = new AbortController();
      const pending = outbound.request(await requestTo(`${target.url}/never`, { signal: before.signal }));
      await asked.promise;
      before.abort(new Error('no longer needed'));
      await expect(pending).rejects.toThrow('no longer needed');
      const after = new AbortController();
      const response = await outbound.request(await requestTo(`${target.url}/x`, { signal: after.signal }));
      const body = bodyOf(response);
      after.abort();
      await expect(body).rejects.toThrow('aborted');
    });

    it('is aborted by stop, with and without a response, and none starts afterwards', async () => {
      const asked = new Deferred<void>();
      const target = await upstream(protocol, (request, response) => {
        if (request.url === '/never') asked.resolve();
        else (response as Writable).write('x');
      });
      const outbound = client();
      const url = `${target.url}/never`;
      const pending = outbound.request(await requestTo(url));
      const body = bodyOf(await outbound.request(await requestTo(target.url)));
      await asked.promise;
      pending.catch(() => {});
      body.catch(() => {});
      await outbound.stop();
      await expect(pending).rejects.toThrow(`Get "${url}": the server is shutting down`);
      await expect(body).rejects.toThrow('aborted');
      await expect(outbound.request(await requestTo(url))).rejects.toThrow(`Get "${url}": the server is shutting down`);
    });

    it('may be abandoned without reading the response', async () => {
      const over = new Deferred<void>();
      const target = await upstream(protocol, (_request, response) => {
        response.on('close', () => over.resolve());
        (response as Writable).write('x');
      });
      const outbound = client();
      (await outbound.request(await requestTo(target.url))).abort();
      await over.promise;
      // A lost connection does not cause an unhandled error.
      await outbound.request(await requestTo(target.url));
      target.kill();
    });

    it('fails if it has a header that HTTP does not allow', async () => {
      const target = await upstream(protocol, (_request, response) => response.end('x'));
      const outbound = client();
      for (let i = 0; i < 2; i++) {
        const error = await outbound
          .request(await requestTo(target.url, { headers: { a: 'x\n' } }))
          .catch((caught: unknown) => caught);
        expect([isTransportError(error), (error as Error).message.startsWith(`Get "${target.url}": `)]).toEqual([
          true,
          true,
        ]);
        await bodyOf(await outbound.request(await requestTo(target.url)));
      }
    });

    it('fails if its body is aborted', async () => {
      const target = await upstream(protocol, (request) => {
        request.on('error', () => {});
        request.resume();
      });
      const outbound = client();
      const body = {
        pipeTo: (sink: ByteSink) => {
          sink.write([Buffer.from('x')]);
          setImmediate(() => sink.abort());
        },
      };
      await expect(outbound.request(await requestTo(target.url, { method: 'POST', body }))).rejects.toThrow(
        `Post "${target.url}": the request body was aborted`,
      );
    });

    it('stops its body when the server closes the connection', async () => {
      const stopped = new Deferred<void>();
      const target = await upstream(protocol, (request) => request.on('data', () => target.kill()));
      const body = {
        pipeTo: (sink: ByteSink) => {
          sink.onClose(() => stopped.resolve());
          sink.write([Buffer.from('x')]);
        },
      };
      const error = await client()
        .request(await requestTo(target.url, { method: 'POST', body }))
        .catch((caught: unknown) => caught);
      expect([isTransportError(error), (error as { retryable: boolean }).retryable]).toEqual([true, false]);
      await stopped.promise;
    });
  });
}

describe('an outbound request', () => {
  it('presents its client certificate, and shares no connection with requests without it', async () => {
    const { ca, server } = await certificates();
    const names: (string | undefined)[] = [];
    const tls = { key: server.keyPem, cert: server.certificatePem, clientCa: { client: ca.certificatePem } };
    const listener = await listen(
      (incoming) => {
        names.push(incoming.connection.certificate()?.commonName);
        return text('x');
      },
      { tls },
    );
    cleanups.push(() => listener.stop());
    const issued = await issueClientCertificate(ca, { clock: systemClock, user: 'front-proxy-client' });
    const clientCertificate = { cert: issued.certificatePem, key: issued.keyPem };
    const outbound = client();
    for (const more of [{ clientCertificate }, {}, { clientCertificate, protocol: 'http/1.1' as const }])
      await bodyOf(await outbound.request(await requestTo(listener.url, more)));
    expect(names).toEqual(['front-proxy-client', undefined, 'front-proxy-client']);
  });

  it('is retryable exactly if no connection could be made', async () => {
    const target = await upstream('h2', () => {});
    await cleanUp();
    for (const protocol of ['negotiate', 'http/1.1'] as const) {
      const error = await client()
        .request(await requestTo(`${target.url}/`, { protocol }))
        .catch((caught: unknown) => caught);
      expect(isTransportError(error)).toBe(true);
      expect((error as Error).message).toMatch(/^Get "https:.*": dial tcp 127.0.0.1:\d+: connect: connection refused$/);
      expect((error as { retryable: boolean }).retryable).toBe(true);
    }
  });

  it('does not trust a server of another authority', async () => {
    const target = await upstream('h2', (_request, response) => response.end('x'));
    await expect(client().request(await requestTo(target.url, { ca: '' }))).rejects.toThrow(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
  });
});

describe('an outbound upgrade', () => {
  it('is aborted by its signal during the handshake and later, and by stop', async () => {
    const asked = new Deferred<void>();
    const sockets: Promise<unknown>[] = [];
    const target = await upstream(
      'http/1.1',
      () => {},
      (request, socket) => {
        socket.on('error', () => {});
        if (request.url === '/never') asked.resolve();
        else {
          sockets.push(once(socket, 'close'));
          socket.resume();
          socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: test\r\n\r\n');
        }
      },
    );
    const { ca } = await certificates();
    const request = { method: 'GET', ca: ca.certificatePem, headers: {}, upgrade: 'test' };
    const outbound = client();
    const first = new AbortController();
    const pending = outbound.upgrade({ ...request, url: `${target.url}/never`, signal: first.signal });
    await asked.promise;
    first.abort(new Error('no longer needed'));
    await expect(pending).rejects.toThrow('no longer needed');
    const second = new AbortController();
    const opened = await outbound.upgrade({ ...request, url: target.url, signal: second.signal });
    expect([opened.kind, opened.kind === 'tunnel' && opened.protocol]).toEqual(['tunnel', 'test']);
    second.abort();
    await sockets[0];
    await outbound.upgrade({ ...request, url: target.url });
    await outbound.stop();
    await sockets[1];
  });
});
