import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { ISSUER, startTestKube, type TestKube } from '../kube-server.fixtures.ts';

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';

describe('service account tokens', () => {
  let kube: TestKube;
  const request = (body: JsonObject, account = 'robot') => kube.request('POST', `${ACCOUNTS}/${account}/token`, body);
  const tokenOf = async (body: JsonObject = {}, account = 'robot') =>
    textAt((await request(body, account)).body, 'status', 'token');
  const review = async (token: string, audiences: string[] = []) =>
    (await kube.request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, audiences } })).body[
      'status'
    ];
  beforeAll(async () => {
    kube = await startTestKube();
    for (const name of ['robot', 'short']) await kube.request('POST', ACCOUNTS, { metadata: { name } });
    await kube.request('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'bound' } });
  });
  afterAll(() => kube.stop());

  test('are valid for an hour and for this server by default', async () => {
    const { status, body } = await request({});
    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: 'TokenRequest',
      metadata: { name: 'robot', namespace: 'default' },
      spec: { audiences: [ISSUER], expirationSeconds: 3600, boundObjectRef: null },
      status: { expirationTimestamp: '2030-01-01T01:00:00Z' },
    });
  });

  test('are valid for at least ten minutes', async () => {
    expect((await request({ spec: { expirationSeconds: 599 } })).body['message']).toBe(
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    );
  });

  test('are refused for a body with another name or uid than the account', async () => {
    expect((await request({ metadata: { name: 'other' } })).body['message']).toBe(
      'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
    );
    expect((await request({}, 'none')).body['message']).toBe('serviceaccounts "none" not found');
    const { body } = await kube.request('GET', `${ACCOUNTS}/robot`);
    const uid = textAt(body, 'metadata', 'uid');
    expect((await request({ metadata: { uid: 'other' } })).body).toMatchObject({
      code: 409,
      message: `Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": the UID in the token request (other) does not match the UID of the service account (${uid})`,
    });
    expect((await request({ metadata: { uid } })).status).toBe(201);
  });

  test('authenticate their account', async () => {
    expect(await review(await tokenOf())).toMatchObject({
      authenticated: true,
      user: {
        username: 'system:serviceaccount:default:robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      },
      audiences: [ISSUER],
    });
  });

  test('are accepted for their audience only', async () => {
    const token = await tokenOf({ spec: { audiences: ['elsewhere'] } });
    expect(await review(token, ['elsewhere'])).toMatchObject({ authenticated: true, audiences: ['elsewhere'] });
    expect(await review(token)).toEqual({
      user: {},
      error: `[invalid bearer token, token audiences ["elsewhere"] is invalid for the target audiences ["${ISSUER}"]]`,
    });
  });

  test('become invalid with their bound object, and are refused for a missing one', async () => {
    const bind = (kind: string, name: string) => ({ spec: { boundObjectRef: { kind, apiVersion: 'v1', name } } });
    const token = await tokenOf(bind('Secret', 'bound'));
    expect(await review(token)).toMatchObject({ authenticated: true });
    await kube.request('DELETE', '/api/v1/namespaces/default/secrets/bound');
    expect(await review(token)).toMatchObject({
      error: '[invalid bearer token, service account token has been invalidated]',
    });
    expect((await request(bind('Secret', 'none'))).body['message']).toBe('secrets "none" not found');
    expect((await request(bind('Secret', ''))).body).toMatchObject({ code: 400, message: 'Name parameter required.' });
    expect((await request(bind('Pod', 'none'))).body['message']).toBe('pods "none" not found');
    expect((await request(bind('Odd', 'none'))).body['message']).toBe(
      'cannot bind token to object of type /v1, Kind=Odd',
    );
  });

  test('of a pod name its node, become invalid with the pod, and last a year if a kubelet mounts them', async () => {
    const bind = (kind: string, name: string, more: JsonObject = {}) => ({
      spec: { ...more, boundObjectRef: { kind, apiVersion: 'v1', name } },
    });
    const pods = '/api/v1/namespaces/default/pods';
    const container = { name: 'main', image: 'x' };
    const pod = (name: string, serviceAccountName: string): JsonObject => ({
      metadata: { name },
      spec: { serviceAccountName, nodeName: 'one', containers: [container] },
    });
    await kube.request('POST', '/api/v1/nodes', { metadata: { name: 'one' } });
    expect((await kube.request('POST', pods, pod('runs', 'robot'))).status).toBe(201);
    expect((await kube.request('POST', pods, pod('other', 'default'))).status).toBe(201);
    expect((await request(bind('Pod', 'other'))).body).toMatchObject({
      code: 400,
      message: 'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    });
    const token = await tokenOf(bind('Pod', 'runs', { expirationSeconds: 3607 }));
    expect(claimsOf(token)).toMatchObject({ 'kubernetes.io': { pod: { name: 'runs' }, node: { name: 'one' } } });
    const { exp, iat, 'kubernetes.io': own } = claimsOf(token) as Record<string, number & { warnafter: number }>;
    expect([(exp as number) - (iat as number), (own?.warnafter ?? 0) - (iat as number)]).toEqual([31_536_000, 3607]);
    expect(await review(token)).toMatchObject({
      authenticated: true,
      user: { extra: { 'authentication.kubernetes.io/pod-name': ['runs'] } },
    });
    await kube.request('DELETE', `${pods}/runs?gracePeriodSeconds=0`);
    expect(await review(token)).toMatchObject({
      error: '[invalid bearer token, service account token has been invalidated]',
    });
    const ofNode = await tokenOf(bind('Node', 'one'));
    expect(await review(ofNode)).toMatchObject({ authenticated: true });
    await kube.request('DELETE', '/api/v1/nodes/one');
    expect(await review(ofNode)).toMatchObject({
      error: '[invalid bearer token, service account token has been invalidated]',
    });
  });

  test('become invalid when their account is deleted', async () => {
    const token = await tokenOf({}, 'short');
    await kube.request('DELETE', `${ACCOUNTS}/short`);
    expect(await review(token)).toMatchObject({ error: '[invalid bearer token, serviceaccounts "short" not found]' });
  });
});

test('a limit shortens the lifetime of tokens with a warning', async () => {
  const { serviceAccounts } = await limits();
  const kube = await startTestKube({ serviceAccounts });
  await kube.request('POST', ACCOUNTS, { metadata: { name: 'robot' } });
  const { body, warnings } = await kube.request('POST', `${ACCOUNTS}/robot/token`, {
    spec: { expirationSeconds: 5000 },
  });
  expect(body).toMatchObject({ spec: { expirationSeconds: 700 } });
  expect(warnings).toEqual(['299 - "requested expiration of 5000 seconds shortened to 700 seconds"']);
  await kube.stop();
});

async function limits() {
  const { generateKey } = await import('../../pki/keys.ts');
  const key = await generateKey();
  return {
    serviceAccounts: {
      issuers: [ISSUER],
      signingKey: key,
      verifyKeys: [key.publicKey],
      maxExpirationSeconds: 700,
      extendExpiration: true,
      lookup: true,
      jwksUri: '',
    },
  };
}

function claimsOf(token: string): JsonObject {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JsonObject;
}
