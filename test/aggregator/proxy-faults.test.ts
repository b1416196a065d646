/**
 * The fault matrix of servers behind the proxy. For each fault: the answer, that requests to other paths are answered
 * meanwhile, that no connection is left, and that the first request after the fault succeeds.
 */
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { VirtualClock } from '../../src/base/virtual-clock.ts';
import { createCa, issueServerCertificate } from '../../src/pki/certificates.ts';
import {
  type Aggregated,
  ask,
  type Backend,
  backendPki,
  cleanUp,
  get,
  httpBackend,
  openClient,
  PATH,
  type RawAnswer,
  rawBackend,
  readAnswer,
  reset,
  startAggregated,
  TOKEN,
  until,
} from './proxy.fixtures.ts';

afterEach(cleanUp);

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
const MINUTE = 60_000;
const TICK = 250;

type Fault = (socket: TLSSocket, head: string) => void;

/** A server with a fault that can be mended. */
async function faulty(fault: Fault) {
  const state = { fault: fault as Fault | undefined, heads: [] as string[] };
  const backend = await rawBackend((head, socket) => {
    state.heads.push(head);
    if (state.fault === undefined) socket.write(OK);
    else state.fault(socket, head);
  });
  return { state, backend, aggregated: await startAggregated({ addresses: [backend.address] }) };
}

function messageOf({ body }: RawAnswer): string {
  const status = JSON.parse(body) as { kind: string; message: string };
  expect(status.kind).toBe('Status');
  return status.message;
}

async function expectOwnPathsServed(aggregated: Aggregated): Promise<void> {
  expect((await get(aggregated, '/api/v1/pods')).body).toBe('own');
}

/** Ends the fault. The next request is answered, and at most one connection is kept. */
async function expectRecovery(aggregated: Aggregated, backend: Backend): Promise<void> {
  expect(await get(aggregated)).toMatchObject({ status: 200, body: '{}' });
  await until(() => backend.sockets.size <= 1);
}

describe('a server behind the proxy', () => {
  it('that refuses connections is answered with 503 and the reason', async () => {
    const gone = await rawBackend((_head, socket) => socket.write(OK));
    gone.stop();
    const { port } = gone.address;
    const aggregated = await startAggregated({ addresses: [gone.address] });
    const answer = await get(aggregated);
    expect([answer.status, messageOf(answer)]).toEqual([
      503,
      `error trying to reach service: dial tcp 127.0.0.1:${port}: connect: connection refused`,
    ]);
    const back = await rawBackend((_head, socket) => socket.write(OK), { port });
    await expectRecovery(aggregated, back);
  });

  it('that hangs before its headers is given up at the deadline of the request', async () => {
    const { state, backend, aggregated } = await faulty(() => {});
    const answered = get(aggregated);
    await until(() => state.heads.length === 1);
    await expectOwnPathsServed(aggregated);
    await aggregated.clock.advance(MINUTE + TICK);
    const answer = await answered;
    expect([answer.status, messageOf(answer)]).toEqual([
      504,
      'Timeout: request did not complete within the allotted timeout',
    ]);
    await until(() => backend.sockets.size === 0);
    state.fault = undefined;
    await expectRecovery(aggregated, backend);
  });

  it('that hangs is given up after 5 s by a discovery request', async () => {
    const { state, backend, aggregated } = await faulty(() => {});
    const answered = get(aggregated, '/apis/rec.example.com/v1');
    await until(() => state.heads.length === 1);
    await aggregated.clock.advance(5000 + TICK);
    const answer = await answered;
    expect([answer.status, messageOf(answer)]).toEqual([
      503,
      'error trying to reach service: context deadline exceeded',
    ]);
    await until(() => backend.sockets.size === 0);
  });

  it('that hangs in the middle of a body is given up at the deadline, and the answer is broken off', async () => {
    const { state, backend, aggregated } = await faulty((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'),
    );
    const answered = get(aggregated);
    await until(() => state.heads.length === 1);
    await expectOwnPathsServed(aggregated);
    const client = await openClient(aggregated.listener);
    client.destroy();
    let isAnswered = false;
    void answered.then(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      await aggregated.clock.advance(MINUTE);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await answered).toMatchObject({ status: 200, body: 'half', isBroken: true });
    await until(() => backend.sockets.size === 0);
    state.fault = undefined;
    await expectRecovery(aggregated, backend);
  });

  it.each([
    ['closes the connection', (socket: TLSSocket) => socket.end(), 'EOF'],
    ['resets the connection', reset, 'EOF'],
    [
      'does not speak HTTP',
      (socket: TLSSocket) => socket.write('garbage\r\n\r\n'),
      'malformed HTTP response "garbage"',
    ],
    [
      'switches protocols without being asked',
      (socket: TLSSocket) => socket.write('HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: foo\r\n\r\n'),
      'backend tried to switch protocol "foo" when "" was requested',
    ],
  ])('that %s is answered with 503', async (_name, fault, reason) => {
    const { state, backend, aggregated } = await faulty(fault);
    const answer = await get(aggregated);
    expect([answer.status, messageOf(answer)]).toEqual([503, `error trying to reach service: ${reason}`]);
    await until(() => backend.sockets.size === 0);
    state.fault = undefined;
    await expectRecovery(aggregated, backend);
  });

  it.each([
    ['half a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nabc'],
    ['a malformed chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n'],
    ['less than it declares', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'],
  ])('that sends %s breaks off its answer alone', async (_name, response) => {
    const { state, backend, aggregated } = await faulty((socket) => socket.end(response));
    const answer = await get(aggregated);
    expect(answer).toMatchObject({ status: 200, isBroken: true });
    await until(() => backend.sockets.size === 0);
    state.fault = undefined;
    await expectRecovery(aggregated, backend);
  });

  it('that sends its headers byte by byte is given up at the deadline', async () => {
    const { state, backend, aggregated } = await faulty((socket) => {
      let at = 0;
      const response = `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(10_000)}`;
      const drip = (): void => {
        if (socket.destroyed || at === response.length) return;
        socket.write(response[at++]!, () => setImmediate(drip));
      };
      drip();
    });
    const answered = get(aggregated);
    await until(() => state.heads.length === 1);
    await expectOwnPathsServed(aggregated);
    await aggregated.clock.advance(MINUTE + TICK);
    expect((await answered).status).toBe(504);
    await until(() => backend.sockets.size === 0);
    state.fault = undefined;
    await expectRecovery(aggregated, backend);
  });

  it('gets no more of a body whose client sends too slowly', async () => {
    const { state, backend, aggregated } = await faulty(() => {});
    const client = await openClient(aggregated.listener);
    client.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 9\r\n\r\nhalf`);
    await until(() => state.heads.length === 1);
    await expectOwnPathsServed(aggregated);
    await aggregated.clock.advance(10 * MINUTE);
    await until(() => backend.sockets.size === 0);
    client.destroy();
    state.fault = undefined;
    await expectRecovery(aggregated, backend);
  });

  it('gets its request cancelled when the client leaves', async () => {
    const { state, backend, aggregated } = await faulty(() => {});
    const client = await openClient(aggregated.listener);
    client.write(`GET ${PATH}?watch=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
    await until(() => state.heads.length === 1);
    client.destroy();
    await until(() => backend.sockets.size === 0);
  });

  it('that died with a kept connection is asked over a new one', async () => {
    const first = await httpBackend('h2', (_request, response) => response.end('{}'));
    const aggregated = await startAggregated({ addresses: [first.address] });
    expect((await get(aggregated)).status).toBe(200);
    first.stop();
    await until(() => first.sockets.size === 0);
    const { port } = first.address;
    const second = await httpBackend('h2', (_request, response) => response.end('{}'), { port });
    await expectRecovery(aggregated, second);
  });
});

describe('the certificate of a server behind the proxy', () => {
  async function served(pair: Parameters<typeof httpBackend>[2] & {}) {
    const heads: unknown[] = [];
    const handler = (request: { url?: string | undefined }, response: { end(text: string): unknown }): void => {
      heads.push(request.url);
      response.end('{}');
    };
    const backend = await httpBackend('h2', handler as never, pair);
    return { heads, backend, aggregated: await startAggregated({ addresses: [backend.address] }) };
  }

  const clock = systemClock;
  it.each([
    [
      'for another name',
      async () => issueServerCertificate((await backendPki()).ca, { clock, hosts: ['other.x.svc'] }),
      /^error trying to reach service: tls: failed to verify certificate: x509: certificate is valid for .*other\.x\.svc.*, not rec\.x\.svc$/,
    ],
    [
      'that has expired',
      async () => {
        const past = new VirtualClock(Date.now() - 2 * 365 * 24 * 60 * MINUTE);
        return issueServerCertificate((await backendPki()).ca, { clock: past, hosts: ['rec.x.svc'] });
      },
      /^error trying to reach service: tls: failed to verify certificate: x509: certificate has expired or is not yet valid/,
    ],
    [
      'of another authority',
      async () => {
        const ca = await createCa({ clock, commonName: 'other-ca' });
        return issueServerCertificate(ca, { clock, hosts: ['rec.x.svc'] });
      },
      /^error trying to reach service: tls: failed to verify certificate: x509: certificate signed by unknown authority/,
    ],
  ])('%s is refused before anything is sent', async (_name, make, message) => {
    const { heads, backend, aggregated } = await served({ pair: await make() });
    const answer = await get(aggregated);
    expect([answer.status, messageOf(answer)]).toEqual([503, expect.stringMatching(message)]);
    expect(heads).toEqual([]);
    await until(() => backend.sockets.size === 0);
    aggregated.version = { ...aggregated.version, ca: '', insecureSkipTlsVerify: true };
    expect((await get(aggregated)).status).toBe(200);
  });

  it('is checked against every certificate of the bundle; a bundle without one is answered with 500', async () => {
    const { serving, ca } = await backendPki();
    const { aggregated } = await served({});
    aggregated.version = { ...aggregated.version, ca: serving.certificatePem };
    expect((await get(aggregated)).status).toBe(200);
    const other = await createCa({ clock, commonName: 'other-ca' });
    aggregated.version = { ...aggregated.version, ca: `${other.certificatePem}${ca.certificatePem}` };
    expect((await get(aggregated)).status).toBe(200);
    aggregated.version = { ...aggregated.version, ca: 'no certificate' };
    const answer = await get(aggregated);
    expect([answer.status, messageOf(answer)]).toEqual([
      500,
      'Internal error occurred: unable to load root certificates: unable to parse bytes as PEM block',
    ]);
  });
});

describe('endpoints of a server behind the proxy', () => {
  it('are tried in turn while a request is not sent, with its body', async () => {
    const gone = await rawBackend(() => {});
    gone.stop();
    const bodies: string[] = [];
    const backend = await httpBackend('http/1.1', (request, response) => {
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => bodies.push(chunk));
      request.on('end', () => response.end('{}'));
    });
    const aggregated = await startAggregated({ addresses: [gone.address, backend.address] });
    const head = `POST ${PATH} HTTP/1.1\nHost: x\nAuthorization: Bearer ${TOKEN}\nContent-Length: 5`;
    for (let i = 0; i < 2; i++) expect((await ask(aggregated, head, `body${i}`)).status).toBe(200);
    expect(bodies).toEqual(['body0', 'body1']);
  });

  it('are not tried again once a request was sent', async () => {
    const { state, backend, aggregated } = await faulty((socket) => socket.destroy());
    const other = await rawBackend((_head, socket) => socket.write(OK));
    aggregated.addresses = [backend.address, other.address];
    expect((await get(aggregated)).status).toBe(503);
    expect([state.heads.length, other.accepted]).toEqual([1, 0]);
  });

  it('that change are followed by the next request', async () => {
    const servers = await Promise.all([0, 1].map((i) => rawBackend((_head, socket) => socket.write(answerOf(i)))));
    const aggregated = await startAggregated({ addresses: [servers[0]!.address] });
    const seen: string[] = [];
    for (const i of [0, 1, 0, 1]) {
      aggregated.addresses = [servers[i]!.address];
      seen.push((await get(aggregated)).body);
    }
    expect(seen).toEqual(['s0', 's1', 's0', 's1']);
  });
});

function answerOf(i: number): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\ns${i}`;
}

describe('an upgrade request', () => {
  const upgrade = (headers = ''): string => `GET ${PATH}/a/stream HTTP/1.1
    Host: x
    Connection: Upgrade
    Upgrade: websocket
    Sec-WebSocket-Version: 13
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
    ${headers}`;
  const asAda = `Authorization: Bearer ${TOKEN}`;

  it('becomes a tunnel in both directions, without the credentials of the client', async () => {
    const { state, backend, aggregated } = await faulty((socket) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-A: 1\r\n\r\nhello',
      );
      socket.on('data', (chunk) => socket.write(`echo ${chunk}`));
    });
    const token = Buffer.from(TOKEN).toString('base64url');
    const client = await openClient(aggregated.listener);
    const protocols = `Sec-WebSocket-Protocol: v4, base64url.bearer.authorization.k8s.io.${token}, v5`;
    client.write(
      `${upgrade(protocols)
        .split('\n')
        .map((line) => line.trim())
        .join('\r\n')}\r\n\r\n`,
    );
    const answer = await readAnswer(client);
    expect(answer).toMatchObject({ status: 101, headers: { upgrade: ['websocket'], 'x-a': ['1'] } });
    let received = answer.body;
    client.on('data', (chunk: Buffer) => {
      received += chunk.toString();
    });
    client.write('ping');
    await until(() => received === 'helloecho ping');
    expect(state.heads[0]).toContain('sec-websocket-protocol: v4, v5');
    expect(state.heads[0]).toContain('x-remote-user: ada');
    expect(state.heads[0]!.toLowerCase()).not.toMatch(/authorization|x-forwarded-(host|proto|uri)/);
    // Nothing ends it at the deadline of other requests.
    await aggregated.clock.advance(MINUTE + TICK);
    client.write('ping');
    await until(() => received === 'helloecho pingecho ping');
    client.destroy();
    await until(() => backend.sockets.size === 0);
  });

  it.each([
    ['400 Bad Request', 400, 'bad'],
    ['200 OK', 503, 'invalid upgrade response: status code 200'],
    ['302 Found', 503, 'invalid upgrade response: status code 302'],
  ])('that is answered with %s', async (line, status, text) => {
    const { backend, aggregated } = await faulty((socket) =>
      socket.write(`HTTP/1.1 ${line}\r\nLocation: /x\r\nContent-Length: 3\r\n\r\nbad`),
    );
    const answer = await ask(aggregated, upgrade(asAda));
    expect([answer.status, status === 400 ? answer.body : messageOf(answer)]).toEqual([status, text]);
    await until(() => backend.sockets.size === 0);
  });

  it('is answered with 503 if the server cannot be reached or does not answer', async () => {
    const { backend, aggregated } = await faulty((socket) => socket.end());
    const closed = await ask(aggregated, upgrade(asAda));
    expect([closed.status, messageOf(closed)]).toEqual([503, 'EOF']);
    backend.stop();
    const refused = await ask(aggregated, upgrade(asAda));
    const { port } = backend.address;
    expect([refused.status, messageOf(refused)]).toEqual([
      503,
      `error dialing backend: dial tcp 127.0.0.1:${port}: connect: connection refused`,
    ]);
  });
});
