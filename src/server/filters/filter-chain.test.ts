import { describe, expect, it } from 'vitest';
import { struct } from '../../apimachinery/patch/strategic-merge.fixtures.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { notFound } from '../../apimachinery/status/status-catalogue.ts';
import { Deferred } from '../../base/deferred.ts';
import type { Answer } from '../http/exchange.ts';
import { InFlightGate } from '../in-flight.ts';
import { anonymousAuthenticator } from './authentication/anonymous.ts';
import { createAuthenticator } from './authentication/union.ts';
import { x509Authenticator } from './authentication/x509.ts';
import {
  atOnce,
  authorizerOf,
  bodyJson,
  bodyText,
  FakeIncoming,
  FakeSink,
  OK_ANSWER,
  testChain,
  userNamed,
} from './filters.fixtures.ts';

describe('a request', () => {
  it('with a client certificate and an index of rules passes without a promise', () => {
    const { handler, dispatched } = testChain({
      authenticate: createAuthenticator({ authenticators: [x509Authenticator()], anonymous: anonymousAuthenticator() }),
      authorizer: authorizerOf(({ user }) => user.name === 'carol'),
    });
    const answer = atOnce(handler(new FakeIncoming({ certificate: {} })));
    expect(bodyText(answer)).toBe('ok');
    expect(dispatched[0]?.user.groups).toEqual(['devs', 'system:authenticated']);
  });

  it('keeps its audit id or gets one, and its answer must not be cached', () => {
    const { handler } = testChain();
    const headers = { 'audit-id': 'mine' };
    expect(atOnce(handler(new FakeIncoming({ headers }))).headers).toEqual({
      'audit-id': 'mine',
      'cache-control': 'no-cache, private',
      'content-type': 'text/plain',
    });
    expect(atOnce(handler(new FakeIncoming())).headers['audit-id']).toBe('new-id');
  });

  it('does not change the shared answer of an endpoint, and keeps its cache-control', () => {
    const shared: Answer = { ...OK_ANSWER, headers: { 'cache-control': 'public' } };
    const { handler } = testChain({ dispatch: () => shared });
    expect(atOnce(handler(new FakeIncoming())).headers['cache-control']).toBe('public');
    expect(shared.headers).toEqual({ 'cache-control': 'public' });
  });

  it('gets a Status in protobuf if it accepts protobuf and the chain has the types', () => {
    const dispatch = (): never => {
      throw new StatusError(notFound({ group: '', resource: 'things' }, 'a'));
    };
    const headers = { accept: 'application/vnd.kubernetes.protobuf' };
    const types = { view: () => struct('Status', {}), typeName: () => undefined };
    const typeOf = (answer: Answer): unknown => answer.headers['content-type'];
    expect(typeOf(atOnce(testChain({ dispatch, types }).handler(new FakeIncoming({ headers }))))).toBe(headers.accept);
    expect(typeOf(atOnce(testChain({ dispatch }).handler(new FakeIncoming({ headers }))))).toBe('application/json');
  });

  it('gets warnings with its answer', () => {
    const { handler } = testChain({
      dispatch: (request) => {
        request.warn('old');
        request.warn('older');
        return OK_ANSWER;
      },
    });
    expect(atOnce(handler(new FakeIncoming())).headers['warning']).toEqual(['299 - "old"', '299 - "older"']);
  });

  it('hides its credentials after authentication', () => {
    const headers = {
      authorization: 'Bearer secret',
      'x-remote-user': 'root',
      'x-remote-extra-scopes': 'all',
      'x-proxy-user': 'root',
      accept: 'text/plain',
    };
    const { handler, dispatched } = testChain({
      requestHeaders: { username: ['X-Proxy-User'], uid: [], group: [], extraPrefix: [] },
    });
    atOnce(handler(new FakeIncoming({ headers })));
    const incoming = dispatched[0]!.incoming;
    expect(incoming.headerNames()).toEqual(['accept']);
    for (const name of Object.keys(headers)) {
      const seen = name === 'accept';
      expect(incoming.header(name) !== undefined, name).toBe(seen);
      expect(incoming.headerValues(name).length, name).toBe(seen ? 1 : 0);
    }
  });

  it('whose target cannot be parsed is answered in plain text', () => {
    const { handler, dispatched } = testChain();
    const answer = atOnce(handler(new FakeIncoming({ target: '/api/v1/watch' })));
    expect(bodyText(answer)).toBe(
      'Internal Server Error: "/api/v1/watch": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch\n',
    );
    expect(answer.headers).toEqual({
      'audit-id': 'new-id',
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect(atOnce(handler(new FakeIncoming({ target: '/%zz' }))).headers['audit-id']).toBeUndefined();
    expect(dispatched).toEqual([]);
  });
});

describe('recovery', () => {
  const status = notFound({ group: '', resource: 'configmaps' }, 'x');

  it.each([
    [
      'thrown',
      () => {
        throw new StatusError(status);
      },
    ],
    ['rejected', () => Promise.reject(new StatusError(status))],
  ])('turns an error with a Status that is %s into that Status', async (_, dispatch) => {
    const { handler, log } = testChain({ dispatch });
    const answer = await handler(new FakeIncoming());
    expect(bodyJson(answer)).toEqual(status);
    expect([answer.kind === 'bytes' && answer.status, answer.headers['audit-id']]).toEqual([404, 'new-id']);
    expect(log.lines).toEqual([]);
  });

  it.each([
    [
      'thrown',
      () => {
        throw new TypeError('oops');
      },
    ],
    ['rejected', () => Promise.reject(new TypeError('oops'))],
  ])(
    'logs any other error that is %s, without the query, and tells the client nothing about it',
    async (_, dispatch) => {
      const { handler, log } = testChain({ dispatch });
      const target = '/api/v1/namespaces/a/configmaps?token=secret';
      const headers = { authorization: 'Bearer secret', 'audit-id': 'mine' };
      const answer = await handler(new FakeIncoming({ target, headers }));
      expect(bodyText(answer)).toBe('This request caused apiserver to panic. Look in the logs for details.\n');
      expect(answer.headers).toEqual({
        'audit-id': 'mine',
        'cache-control': 'no-cache, private',
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
      });
      expect(log.lines).toEqual([
        {
          level: 'error',
          message: "apiserver panic'd",
          error: new TypeError('oops'),
          fields: {
            method: 'GET',
            path: '/api/v1/namespaces/a/configmaps',
            code: 500,
            reason: 'InternalError',
            auditId: 'mine',
          },
        },
      ]);
    },
  );
});

describe('logging', () => {
  it('has one line per request if enabled, and an error for a 5xx answer', async () => {
    const { handler, log } = testChain({ logRequests: true });
    atOnce(handler(new FakeIncoming({ target: '/version?x=secret' })));
    expect(log.lines.map(({ level, fields }) => [level, fields])).toEqual([
      [
        'debug',
        {
          method: 'GET',
          path: '/version',
          verb: 'get',
          code: 200,
          milliseconds: 0,
          user: 'alice',
          from: '127.0.0.1',
          auditId: 'new-id',
        },
      ],
    ]);
    const long = new FakeIncoming({ headers: { 'audit-id': 'x'.repeat(60_000) } });
    expect(atOnce(handler(long)).headers['audit-id']).toHaveLength(60_000);
    expect(log.lines.at(-1)?.fields['auditId']).toBe('x'.repeat(64));
    const failing = testChain({ dispatch: () => ({ ...OK_ANSWER, status: 503 }) as Answer });
    atOnce(failing.handler(new FakeIncoming()));
    expect(failing.log.lines.map(({ level, fields }) => [level, fields['code']])).toEqual([['error', 503]]);
  });

  it('is silent by default', () => {
    const { handler, log } = testChain();
    atOnce(handler(new FakeIncoming()));
    expect(log.lines).toEqual([]);
  });
});

describe('a client that is not recognized', () => {
  it('gets a 401, and the reason is logged', () => {
    const { handler, log, dispatched } = testChain({
      authenticate: () => ({ outcome: 'failed', message: 'invalid bearer token' }),
    });
    const answer = atOnce(handler(new FakeIncoming({ headers: { authorization: 'Bearer  secret' } })));
    expect(bodyJson(answer)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    });
    expect(answer.headers['warning']).toHaveLength(1);
    expect(log.lines.map(({ fields }) => fields)).toEqual([{ auditId: 'new-id', reason: 'invalid bearer token' }]);
    expect(dispatched).toEqual([]);
  });

  it('gets a warning about a superfluous space', () => {
    const { handler } = testChain({ authenticate: anonymousAuthenticator() });
    const warning = (authorization: string) =>
      atOnce(handler(new FakeIncoming({ headers: { authorization } }))).headers['warning'];
    expect(warning('Bearer  x')).toEqual([
      '299 - "the provided Authorization header contains extra space before the bearer token, and is ignored"',
    ]);
    expect(warning('Basic  x')).toBeUndefined();
  });
});

describe('flows', () => {
  const flows = {
    match: (user: { readonly name: string }) =>
      user.name === 'carol' ? { schemaUid: 'schema', priorityLevelUid: 'level' } : undefined,
  };
  const carol = () => ({ outcome: 'ok', user: userNamed('carol') }) as const;
  const told = ({ headers }: Answer) => [
    headers['x-kubernetes-pf-flowschema-uid'],
    headers['x-kubernetes-pf-prioritylevel-uid'],
  ];

  it('are named in the answers to their requests, also to watches and refusals', () => {
    const { handler } = testChain({ flows, authenticate: carol });
    expect(told(atOnce(handler(new FakeIncoming())))).toEqual(['schema', 'level']);
    expect(told(atOnce(handler(new FakeIncoming({ target: '/api/v1/pods?watch=1' }))))).toEqual(['schema', 'level']);
    const gate = new InFlightGate({ readOnly: 1 });
    gate.acquire('readOnly', false);
    const full = testChain({ flows, authenticate: carol, gate });
    expect(told(atOnce(full.handler(new FakeIncoming())))).toEqual(['schema', 'level']);
  });

  it('are not named for connects and for requests that the matcher does not know', () => {
    const { handler } = testChain({ flows, authenticate: carol });
    const exec = new FakeIncoming({ method: 'POST', target: '/api/v1/namespaces/n/pods/p/exec' });
    expect(told(atOnce(handler(exec)))).toEqual([undefined, undefined]);
    const other = testChain({ flows, authenticate: () => ({ outcome: 'ok', user: userNamed('dave') }) });
    expect(told(atOnce(other.handler(new FakeIncoming())))).toEqual([undefined, undefined]);
  });
});

describe('limits in flight', () => {
  it('refuse requests until another one has ended, also if that one fails', async () => {
    const first = new Deferred<Answer>();
    const { handler, gate } = testChain({ gate: new InFlightGate({ readOnly: 1 }), dispatch: () => first.promise });
    const pending = handler(new FakeIncoming());
    const refused = atOnce(handler(new FakeIncoming()));
    expect([refused.kind === 'bytes' && refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    first.reject(new Error('x'));
    await pending;
    expect(gate.count('readOnly')).toBe(0);
  });

  it('release a request whose handler throws', () => {
    const { handler, gate } = testChain({
      dispatch: () => {
        throw new Error('x');
      },
    });
    atOnce(handler(new FakeIncoming()));
    expect(gate.count('readOnly')).toBe(0);
  });

  it('never refuse system:masters', () => {
    const gate = new InFlightGate({ readOnly: 1 });
    gate.acquire('readOnly', false);
    const { handler } = testChain({
      gate,
      authenticate: () => ({ outcome: 'ok', user: userNamed('root', ['system:masters']) }),
    });
    expect(bodyText(atOnce(handler(new FakeIncoming())))).toBe('ok');
    expect(gate.count('readOnly')).toBe(1);
  });

  it.each(['end', 'abort', 'leave'] as const)('count a watch from its start to its %s', (how) => {
    const sink = new FakeSink();
    let inner: { end(): void; abort(): void } | undefined;
    const { handler, gate } = testChain({
      dispatch: () => ({
        kind: 'stream',
        status: 200,
        headers: {},
        start: (given) => {
          inner = given;
        },
      }),
    });
    const answer = atOnce(handler(new FakeIncoming({ target: '/api/v1/configmaps?watch=1' })));
    expect([gate.count('longRunning'), gate.count('readOnly')]).toEqual([0, 0]);
    if (answer.kind === 'stream') answer.start(sink);
    expect(gate.count('longRunning')).toBe(1);
    if (how === 'leave') sink.leave();
    else inner?.[how]();
    expect(gate.count('longRunning')).toBe(0);
    sink.leave();
    inner?.end();
    expect(gate.count('longRunning')).toBe(0);
  });
});

describe('a server that stops', () => {
  it('refuses new requests but not its probes', () => {
    const shutdown = { refusing: false };
    const { handler } = testChain({ shutdown });
    expect(bodyText(atOnce(handler(new FakeIncoming())))).toBe('ok');
    shutdown.refusing = true;
    const answer = atOnce(handler(new FakeIncoming()));
    expect(bodyJson(answer)).toMatchObject({ code: 503, message: 'apiserver is shutting down' });
    expect(answer.headers['retry-after']).toBe('1');
    for (const target of ['/livez', '/readyz/ping', '/healthz?verbose', '/metrics'])
      expect(bodyText(atOnce(handler(new FakeIncoming({ target })))), target).toBe('ok');
  });

  it('can ask to retry instead', () => {
    const { handler } = testChain({ shutdown: { refusing: true, sendRetryAfter: true } });
    const old = atOnce(handler(new FakeIncoming({ protocol: 'http/1.1' })));
    expect([bodyText(old), old.headers['retry-after'], old.headers['connection']]).toEqual([
      'The apiserver is shutting down, please try again later.\n',
      '5',
      'close',
    ]);
    expect(atOnce(handler(new FakeIncoming())).headers['connection']).toBeUndefined();
  });
});
