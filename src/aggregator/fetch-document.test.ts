import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '../base/bytes.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { remoteOf, type TestAnswer, testBackend } from './backend.fixtures.ts';
import { type DocumentRequest, fetchDocument } from './fetch-document.ts';
import type { BackendRequest } from './remote-version.ts';

const USER = { name: 'system:kube-aggregator', uid: '', groups: ['system:masters'], extra: {} };

function fetchFrom(answer: TestAnswer | Error | undefined, more: Partial<DocumentRequest> = {}) {
  const clock = new VirtualClock();
  const asked: BackendRequest[] = [];
  const client = testBackend((request) => {
    asked.push(request);
    return answer;
  });
  const result = fetchDocument({ client, clock }, remoteOf('a.example', 'v1'), {
    path: '/apis',
    accept: 'application/json',
    user: USER,
    timeoutMs: 5000,
    limitBytes: 10,
    signal: new AbortController().signal,
    ...more,
  });
  const outcome = result.then(
    ({ body, ...rest }) => ({ ...rest, body: decodeUtf8(body) }),
    (error: Error) => error.message,
  );
  return { clock, client, asked, outcome };
}

describe('a document of another server', () => {
  it('is asked for as the given user, with the known ETag', async () => {
    const headers = { 'content-type': 'application/json', etag: '"b"' };
    const { asked, outcome, clock, client } = fetchFrom({ headers, body: ['01234', '56789'] }, { etag: '"a"' });
    expect(await outcome).toEqual({
      status: 200,
      contentType: 'application/json',
      etag: '"b"',
      body: '0123456789',
    });
    expect(asked[0]).toMatchObject({
      method: 'GET',
      target: '/apis',
      headers: { accept: 'application/json', 'if-none-match': '"a"' },
      user: USER,
    });
    expect([clock.pendingTimers, client.open]).toEqual([0, 0]);
  });

  it('is refused beyond the limit, and the request is cancelled', async () => {
    const { outcome, client, clock } = fetchFrom({ body: ['01234', '567890'], ending: 'hang' });
    expect(await outcome).toBe('GET /apis: the answer has more than 10 bytes');
    expect([clock.pendingTimers, client.open]).toEqual([0, 0]);
  });

  it.each([
    ['before its head', undefined],
    ['within its body', { body: ['01'], ending: 'hang' }],
  ] as const)('fails in time if the server hangs %s', async (_, answer) => {
    const { outcome, client, clock } = fetchFrom(answer);
    await clock.advance(5000);
    expect(await outcome).toBe('GET /apis: no complete answer within 5 s');
    expect([clock.pendingTimers, client.open]).toEqual([0, 0]);
  });

  it('fails if the connection breaks, or the caller aborts', async () => {
    expect(await fetchFrom({ body: ['01'], ending: 'abort' }).outcome).toBe(
      'GET /apis: the connection was closed before the end of the answer',
    );
    expect(await fetchFrom(new TypeError('dial tcp: refused')).outcome).toBe('dial tcp: refused');
    const abort = new AbortController();
    const { outcome, client } = fetchFrom({ body: ['01'], ending: 'hang' }, { signal: abort.signal });
    abort.abort(new RangeError('enough'));
    expect(await outcome).toBe('enough');
    expect(client.open).toBe(0);
  });
});
