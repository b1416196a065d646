import { afterEach, describe, expect, it } from 'vitest';
import {
  ask,
  cleanUp,
  get,
  headersOf,
  httpBackend,
  PATH,
  rawBackend,
  startAggregated,
  TOKEN,
} from './proxy.fixtures.ts';

afterEach(cleanUp);

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';

/** A server that records the heads of its requests. */
async function recorder(response = OK) {
  const heads: string[] = [];
  const names: unknown[] = [];
  const backend = await rawBackend((head, socket) => {
    heads.push(head);
    names.push([socket.servername, socket.getPeerCertificate().subject?.CN, socket.authorized]);
    socket.write(response);
  });
  return { backend, heads, names };
}

describe('a proxied request', () => {
  it('names the user, the client and the server as in the reference', async () => {
    const { backend, heads, names } = await recorder();
    const aggregated = await startAggregated({ addresses: [backend.address] });
    const { status, body } = await get(aggregated, `${PATH}?a=b`, 'Accept: application/json\nUser-Agent: me/1');
    expect([status, body]).toEqual([200, '{}']);
    const host = `127.0.0.1:${backend.address.port}`;
    expect(heads[0]?.split('\r\n')[0]).toBe(`GET ${PATH}?a=b HTTP/1.1`);
    const { connection: _connection, ...headers } = headersOf(heads[0]!);
    expect(headers).toEqual({
      host: [host],
      accept: ['application/json'],
      'user-agent': ['me/1'],
      'audit-id': ['audit-1'],
      'x-forwarded-for': ['127.0.0.1'],
      'x-forwarded-host': [host],
      'x-forwarded-proto': ['https'],
      'x-forwarded-uri': [PATH],
      'x-remote-user': ['ada'],
      'x-remote-uid': ['u-1'],
      'x-remote-group': ['dev', 'system:authenticated'],
      'x-remote-extra-example.com%2fscope%25': ['a', 'b'],
    });
    expect(names).toEqual([['rec.x.svc', 'front-proxy-client', true]]);
  });

  it('has no credential of the client, and no header that passes for one of the proxy', async () => {
    const { backend, heads } = await recorder();
    const aggregated = await startAggregated({ addresses: [backend.address] });
    await ask(
      aggregated,
      `POST ${PATH} HTTP/1.1
      Host: api.example.com
      Authorization: Bearer ${TOKEN}
      X-Remote-User: evil
      x_remote_user: evil
      X_Remote-Group: system:masters
      X-REMOTE-GROUP: system:masters
      X-Remote-Uid: 7
      x-remote_uid: 7
      X-Remote-Extra-Foo: x
      X_Remote_Extra_Foo: x
      Impersonate-User: bob
      Impersonate-Group: g1
      Proxy-Authorization: Basic x
      Audit-Id: mine
      X-Forwarded-For: 1.2.3.4
      X-Forwarded-Host: spoof
      X-Forwarded-Proto: http
      X-Forwarded-Uri: /spoof
      Connection: X-Listed, Audit-Id, X-Remote-User, X-Forwarded-For
      X-Listed: 1
      X-Twice: 1
      X-Twice: 2
      Via: 1.0 fred
      Content-Type: application/json
      Content-Length: 2`,
      '{}',
    );
    const { host, 'x-forwarded-host': forwardedHost, connection: _connection, ...headers } = headersOf(heads[0]!);
    expect(forwardedHost).toEqual(host);
    expect(headers).toEqual({
      'audit-id': ['mine'],
      'content-type': ['application/json'],
      'content-length': ['2'],
      via: ['1.0 fred'],
      'x-twice': ['1', '2'],
      'x-forwarded-for': ['1.2.3.4, 127.0.0.1'],
      'x-forwarded-proto': ['https'],
      'x-forwarded-uri': [PATH],
      'x-remote-user': ['bob'],
      'x-remote-group': ['g1', 'system:authenticated'],
    });
  });

  it('has the same headers over HTTP/2, over one kept connection', async () => {
    const seen: unknown[] = [];
    const backend = await httpBackend('h2', (request, response) => {
      seen.push([request.method, request.url, request.headers[':authority'], request.headers['x-remote-group']]);
      response.end('{}');
    });
    const aggregated = await startAggregated({ addresses: [backend.address] });
    for (let i = 0; i < 3; i++) expect((await get(aggregated)).body).toBe('{}');
    const authority = `127.0.0.1:${backend.address.port}`;
    expect(seen).toEqual(Array(3).fill(['GET', PATH, authority, 'dev, system:authenticated']));
    expect(backend.accepted).toBe(1);
  });

  it('presents a renewed certificate to the next request', async () => {
    const { backend, names } = await recorder();
    const aggregated = await startAggregated({ addresses: [backend.address] });
    await get(aggregated);
    aggregated.certificate = undefined;
    await get(aggregated);
    expect(names).toEqual([
      ['rec.x.svc', 'front-proxy-client', true],
      ['rec.x.svc', undefined, false],
    ]);
  });
});

describe('the answer to a proxied request', () => {
  it("has this server's own values first, and no permission for other origins", async () => {
    const { backend } = await recorder(
      [
        'HTTP/1.1 200 OK',
        'Audit-Id: spoofed',
        'X-Kubernetes-Pf-Flowschema-Uid: spoofed',
        'X-Kubernetes-Pf-Prioritylevel-Uid: spoofed',
        'Cache-Control: max-age=5',
        'Strict-Transport-Security: max-age=0',
        'Warning: 299 - "a, b"',
        'Warning: 299 - "c"',
        'X-Remote-User: evil',
        'Access-Control-Allow-Origin: *',
        'Access-Control-Allow-Credentials: true',
        'Connection: X-Hop',
        'X-Hop: 1',
        'Date: Mon, 01 Jan 2001 00:00:00 GMT',
        'Content-Length: 2',
        '',
        '{}',
      ].join('\r\n'),
    );
    const aggregated = await startAggregated({ addresses: [backend.address], strictTransportSecurity: 'max-age=9' });
    const { headers } = await get(aggregated);
    expect(headers).toEqual({
      'audit-id': ['audit-1', 'spoofed'],
      'x-kubernetes-pf-flowschema-uid': ['schema-1', 'spoofed'],
      'x-kubernetes-pf-prioritylevel-uid': ['level-1', 'spoofed'],
      'cache-control': ['no-cache, private', 'max-age=5'],
      'strict-transport-security': ['max-age=9', 'max-age=0'],
      warning: ['299 - "a, b"', '299 - "c"'],
      'x-remote-user': ['evil'],
      date: ['Mon, 01 Jan 2001 00:00:00 GMT'],
      'content-length': ['2'],
      connection: ['keep-alive'],
    });
  });

  it('is 502 for a redirect, unless redirects are passed on', async () => {
    const { backend } = await recorder('HTTP/1.1 302 Found\r\nLocation: https://other/\r\nContent-Length: 0\r\n\r\n');
    const aggregated = await startAggregated({ addresses: [backend.address] });
    const { status, body } = await get(aggregated);
    expect(status).toBe(502);
    expect(JSON.parse(body)).toMatchObject({
      kind: 'Status',
      code: 502,
      message: 'the backend attempted to redirect this request, which is not permitted',
    });
    const passing = await startAggregated({ addresses: [backend.address], rejectsRedirects: false });
    expect(await get(passing)).toMatchObject({ status: 302, headers: { location: ['https://other/'] } });
  });

  it('is passed on without a body for 304', async () => {
    const { backend } = await recorder('HTTP/1.1 304 Not Modified\r\nEtag: "x"\r\n\r\n');
    const aggregated = await startAggregated({ addresses: [backend.address] });
    expect(await get(aggregated)).toMatchObject({ status: 304, headers: { etag: ['"x"'] }, body: '' });
  });
});
