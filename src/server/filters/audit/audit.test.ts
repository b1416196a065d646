import { describe, expect, it } from 'vitest';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { notFound } from '../../../apimachinery/status/status-catalogue.ts';
import { decodeUtf8, encodeUtf8 } from '../../../base/bytes.ts';
import { MetricRegistry } from '../../../base/metrics/metric-registry.ts';
import { chunksOf } from '../../http/chunk-source.ts';
import type { Answer } from '../../http/exchange.ts';
import { registerServerMetrics } from '../../metrics/server-metrics.ts';
import type { ChainConfig } from '../filter-chain.ts';
import {
  authorizerOf,
  FakeIncoming,
  type FakeRequest,
  FakeSink,
  OK_ANSWER,
  testChain,
  userNamed,
} from '../filters.fixtures.ts';
import type { AuditOptions } from './audit.ts';
import { parseAuditPolicy } from './audit-policy.ts';

const admin = { ...userNamed('admin', ['system:masters', 'system:authenticated']), uid: '1' };

interface Options extends Partial<ChainConfig> {
  readonly rules?: string;
  readonly withholdBodies?: AuditOptions['withholdBodies'];
}

function auditChain({ rules = '[{level: RequestResponse}]', withholdBodies, ...changes }: Options = {}) {
  const lines: string[] = [];
  const { policy } = parseAuditPolicy(`{"apiVersion":"audit.k8s.io/v1","rules":${toJson(rules)}}`, 'p');
  const chain = testChain({
    authenticate: () => ({ outcome: 'ok', user: admin }),
    audit: {
      policy,
      sink: { write: (line) => void lines.push(decodeUtf8(line)) },
      ...(withholdBodies === undefined ? {} : { withholdBodies }),
    },
    ...changes,
  });
  const ask = async (request: FakeRequest = {}): Promise<Answer> =>
    chain.handler(
      new FakeIncoming({ ...request, headers: { 'audit-id': 'id', 'user-agent': 'curl/7.88.1', ...request.headers } }),
    );
  return { ...chain, lines, ask };
}

/** Flow YAML without quotes, for short rules. */
function toJson(rules: string): string {
  return rules.replace(/([A-Za-z]+)/g, '"$1"');
}

const json = (status: number, value: unknown): Answer => ({
  kind: 'bytes',
  status,
  headers: { 'content-type': 'application/json' },
  body: encodeUtf8(`${JSON.stringify(value)}\n`),
});

const stagesOf = (lines: readonly string[]): string[] => lines.map((line) => JSON.parse(line).stage);

describe('the audit log', () => {
  // The lines are those of kube-apiserver 1.36.3, times and ids aside.
  it('has a line when a request arrives and one when it is answered', async () => {
    const status = notFound({ group: '', resource: 'configmaps' }, 'none');
    const { ask, lines } = auditChain({
      authorizer: authorizerOf(() => true),
      dispatch: () => {
        throw new StatusError(status);
      },
    });
    await ask({
      target: '/api/v1/namespaces/default/configmaps/none',
      headers: { 'x-forwarded-for': '10.1.1.1, foo, 10.2.2.2', 'x-real-ip': '10.3.3.3' },
    });
    const common =
      '"requestURI":"/api/v1/namespaces/default/configmaps/none","verb":"get","user":{"username":"admin","uid":"1","groups":["system:masters","system:authenticated"]},"sourceIPs":["10.1.1.1","10.2.2.2","10.3.3.3","127.0.0.1"],"userAgent":"curl/7.88.1","objectRef":{"resource":"configmaps","namespace":"default","name":"none","apiVersion":"v1"},';
    const times =
      '"requestReceivedTimestamp":"2030-01-01T00:00:00.000000Z","stageTimestamp":"2030-01-01T00:00:00.000000Z"';
    const failure =
      '"metadata":{},"status":"Failure","message":"configmaps \\"none\\" not found","reason":"NotFound","details":{"name":"none","kind":"configmaps"},"code":404';
    expect(lines).toEqual([
      `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id","stage":"RequestReceived",${common}${times}}\n`,
      `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id","stage":"ResponseComplete",${common}"responseStatus":{${failure}},"responseObject":{"kind":"Status","apiVersion":"v1",${failure}},${times},"annotations":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":""}}\n`,
    ]);
  });

  it('has the decoded bodies of a create', async () => {
    const made = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x-1', managedFields: [{}] } };
    const { ask, lines } = auditChain({
      dispatch: (request) => {
        const body = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { generateName: 'x-', uid: 'u' } };
        request.audit!.requestObject = body;
        body.metadata.uid = 'changed';
        request.audit!.objectName = 'x-1';
        return json(201, made);
      },
    });
    await ask({ method: 'POST', target: '/api/v1/namespaces/default/configmaps' });
    expect(JSON.parse(lines[1]!)).toMatchObject({
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'x-1', uid: 'u', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
      requestObject: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { generateName: 'x-', uid: 'u' } },
      responseObject: made,
    });
  });

  it('has a line when a watch starts and one when it ends', async () => {
    const { ask, lines, clock } = auditChain({
      dispatch: () => ({ kind: 'stream', status: 200, headers: {}, start: () => undefined }),
    });
    const answer = await ask({ target: '/api/v1/configmaps?watch=1' });
    expect(stagesOf(lines)).toEqual(['RequestReceived']);
    const sink = new FakeSink();
    if (answer.kind === 'stream') answer.start(sink);
    await clock.advance(1500);
    sink.leave();
    expect(stagesOf(lines)).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
    expect(JSON.parse(lines[2]!)).toMatchObject({
      requestURI: '/api/v1/configmaps?watch=1',
      responseStatus: { metadata: {}, code: 200 },
      stageTimestamp: '2030-01-01T00:00:01.500000Z',
    });
  });

  it('has both users of an impersonation and its constraint', async () => {
    const { ask, lines } = auditChain();
    await ask({
      headers: { 'impersonate-user': 'eve', 'impersonate-extra-k.io%2fb': 'v', 'impersonate-extra-k.io%2fa': 'w' },
    });
    expect(lines[1]).toContain(
      '"user":{"username":"admin","uid":"1","groups":["system:masters","system:authenticated"]},"impersonatedUser":{"username":"eve","groups":["system:authenticated"],"extra":{"k.io/a":["w"],"k.io/b":["v"]}},"authenticationMetadata":{"impersonationConstraint":"impersonate:user-info"},"sourceIPs"',
    );
  });

  it('has the authenticated user for refused impersonations and requests', async () => {
    const { ask, lines } = auditChain({
      authenticate: () => ({ outcome: 'ok', user: userNamed('bob') }),
      authorizer: authorizerOf(() => 'no rule'),
    });
    await ask({ headers: { 'impersonate-user': 'eve' } });
    await ask();
    expect(JSON.parse(lines[1]!)).toMatchObject({ user: { username: 'bob' }, responseStatus: { code: 403 } });
    expect(JSON.parse(lines[1]!).annotations).toBeUndefined();
    expect(JSON.parse(lines[3]!)).toMatchObject({
      responseStatus: { status: 'Failure', reason: 'Forbidden', code: 403 },
      annotations: { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': 'no rule' },
    });
  });

  it('has unauthenticated requests and malformed timeouts', async () => {
    const { ask, lines } = auditChain({ authenticate: () => ({ outcome: 'none' }) });
    await ask({ headers: { authorization: 'Bearer secret' } });
    await ask({ target: '/version?timeout=x' });
    expect(stagesOf(lines)).toEqual(['ResponseStarted', 'ResponseStarted']);
    expect(lines[0]).toContain(
      '"user":{},"sourceIPs":["127.0.0.1"],"userAgent":"curl/7.88.1","objectRef":{"resource":"configmaps","namespace":"default","name":"x","apiVersion":"v1"},"responseStatus":{"metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401},"responseObject":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401},',
    );
    expect(lines[1]).toContain('invalid timeout specified in the request URL');
    expect(lines.join('')).not.toContain('secret');
  });

  it('has the annotations of authentication, and keeps the first value of a key', async () => {
    const { ask, lines } = auditChain({
      authenticate: () => ({ outcome: 'ok', user: admin, annotations: { z: '1', a: '2' } }),
      dispatch: (request) => {
        request.audit!.annotate('z', 'other');
        return OK_ANSWER;
      },
    });
    await ask();
    expect(lines[0]).toMatch(/"annotations":\{"a":"2","z":"1"\}\}\n$/);
    expect(JSON.parse(lines[1]!).annotations).toMatchObject({ a: '2', z: '1' });
  });

  it('has a Panic line for an unexpected error', async () => {
    const { ask, lines } = auditChain({
      dispatch: async () => {
        throw new TypeError('oops');
      },
    });
    await ask();
    expect(JSON.parse(lines[1]!)).toMatchObject({
      stage: 'Panic',
      responseStatus: {
        metadata: {},
        status: 'Failure',
        message: "APIServer panic'd: oops",
        reason: 'InternalError',
        code: 500,
      },
    });
  });

  it.each([
    ['Metadata', false, false],
    ['Request', true, false],
    ['RequestResponse', true, true],
  ])('has the bodies of level %s and no others', async (level, wantsRequest, wantsResponse) => {
    const { ask, lines } = auditChain({
      rules: `[{level: ${level}}]`,
      dispatch: (request) => {
        expect(request.audit).toMatchObject({ wantsRequestObject: wantsRequest, wantsResponseObject: wantsResponse });
        request.audit!.requestObject = { kind: 'Secret' };
        return json(200, { kind: 'Secret', data: {} });
      },
    });
    await ask();
    const event = JSON.parse(lines[1]!);
    expect([event.requestObject !== undefined, event.responseObject !== undefined]).toEqual([
      wantsRequest,
      wantsResponse,
    ]);
  });

  it('has the Status of the answer at every level', async () => {
    const { ask, lines } = auditChain({
      rules: '[{level: Metadata}]',
      dispatch: () =>
        json(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: { name: 'x' } }),
    });
    await ask({ method: 'DELETE' });
    expect(JSON.parse(lines[1]!).responseStatus).toEqual({
      metadata: {},
      status: 'Success',
      details: { name: 'x' },
      code: 200,
    });
  });

  it('has the object that the endpoint recorded, no bodies that are not API objects, and no withheld bodies', async () => {
    const list: Answer = {
      kind: 'chunks',
      status: 200,
      headers: { 'content-type': 'application/json' },
      chunks: chunksOf([encodeUtf8('{"kind":"List",'), encodeUtf8('"items":[]}')]),
    };
    const { ask, lines } = auditChain({
      withholdBodies: ({ subresource }) => subresource === 'token',
      dispatch: ({ info, audit }) => {
        if (info.path === '/version') return json(200, { major: '1' });
        if (info.subresource === 'token') return json(201, { kind: 'T', token: 'secret' });
        if (audit?.wantsResponseObject === true) audit.responseObject = encodeUtf8('{"kind":"List","items":[]}');
        return list;
      },
    });
    await ask({ target: '/api/v1/configmaps' });
    await ask({ target: '/version' });
    await ask({ method: 'POST', target: '/api/v1/namespaces/a/serviceaccounts/b/token' });
    expect([1, 3, 5].map((i) => JSON.parse(lines[i]!).responseObject)).toEqual([
      { kind: 'List', items: [] },
      undefined,
      undefined,
    ]);
  });

  it('omits stages and requests that the policy does not log', async () => {
    const { ask, lines } = auditChain({
      rules: '[{level: None, verbs: [list]}, {level: Metadata, omitStages: [RequestReceived]}]',
      dispatch: (request) => {
        expect(request.audit === undefined).toBe(request.info.verb === 'list');
        return OK_ANSWER;
      },
    });
    await ask({ target: '/api/v1/configmaps' });
    await ask();
    expect(stagesOf(lines)).toEqual(['ResponseComplete']);
  });

  it('does not fail a request if a line cannot be written', async () => {
    const registry = new MetricRegistry();
    const { policy } = parseAuditPolicy('{"apiVersion":"audit.k8s.io/v1","rules":[{"level":"Metadata"}]}', 'p');
    const full = (): void => {
      throw new Error('disk full');
    };
    const { handler, log } = testChain({
      metrics: registerServerMetrics(registry),
      audit: { policy, sink: { write: full } },
    });
    const answer = await handler(new FakeIncoming());
    expect(answer.kind === 'bytes' && answer.status).toBe(200);
    expect(log.lines.map(({ error }) => error?.message)).toEqual(['disk full', 'disk full']);
    expect(registry.print()).toContain('apiserver_audit_error_total{plugin="log"} 2');
    expect(registry.print()).toContain('apiserver_audit_event_total 2');
  });

  it('omits managed fields if the policy says so', async () => {
    const owned = { name: 'x', managedFields: [{ manager: 'm' }] };
    const lines: string[] = [];
    const { policy } = parseAuditPolicy(
      '{"apiVersion":"audit.k8s.io/v1","omitManagedFields":true,"rules":[{"level":"RequestResponse"}]}',
      'p',
    );
    const bodies = [
      { kind: 'A', metadata: owned },
      { kind: 'AList', metadata: {}, items: [{ metadata: owned }] },
      { kind: 'Table', metadata: {}, rows: [{ cells: [], object: { metadata: owned } }] },
    ];
    const { handler } = testChain({
      audit: { policy, sink: { write: (line) => void lines.push(decodeUtf8(line)) } },
      dispatch: () => json(200, bodies.shift()),
    });
    for (let i = 0; i < 3; i++) await handler(new FakeIncoming());
    expect(lines.join('')).not.toContain('managedFields');
    expect(lines[5]).toContain('"rows":[{"cells":[],"object":{"metadata":{"name":"x"}}}]');
  });
});
