import { afterEach, describe, expect, it } from 'vitest';
import { decodeBase64 } from '../../src/base/base64.ts';
import { decodeUtf8 } from '../../src/base/bytes.ts';
import { SILENT } from '../../src/base/logger.ts';
import { VirtualClock } from '../../src/base/virtual-clock.ts';
import type { Api } from '../../src/client/api.ts';
import { createInformerSet } from '../../src/client/informer-set.ts';
import { Pod, Secret, ServiceAccount } from '../../src/kinds/api/core/v1.ts';
import type { LoopContext } from '../../src/loops/loop.ts';
import { legacyTokenCleanerLoop } from '../../src/loops/service-accounts/legacy-token-cleaner.ts';
import { type Plane, startPlane, until } from './plane.fixtures.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';

let plane: Plane;
afterEach(async () => {
  await plane.plane.stop();
});

async function createSecret(secrets: Api<Secret>, name: string, account: string): Promise<void> {
  await secrets.create({
    metadata: { name, annotations: { 'kubernetes.io/service-account.name': account } },
    type: 'kubernetes.io/service-account-token',
  });
}

async function createFilled(name: string): Promise<Api<Secret>> {
  const secrets = plane.client.api(Secret, 'default');
  await createSecret(secrets, name, 'default');
  await until(`${name} has a token`, async () => (await secrets.get(name)).data?.['token'] !== undefined);
  return secrets;
}

/** Lists the Secret in the account, as the controller did that generated such Secrets. */
async function listInAccount(name: string): Promise<void> {
  const accounts = plane.client.api(ServiceAccount, 'default');
  const account = await accounts.get('default');
  await accounts.update({ ...account, secrets: [...(account.secrets ?? []), { name }] });
}

describe('the loop of token Secrets', () => {
  it('fills in a token with which the server knows the ServiceAccount', async () => {
    plane = await startPlane();
    const secret = await (await createFilled('token')).get('token');
    const text = (key: string): string => decodeUtf8(decodeBase64(secret.data?.[key] ?? '') as Uint8Array);
    expect(text('namespace')).toBe('default');
    expect(text('ca.crt')).toContain('BEGIN CERTIFICATE');
    const account = await plane.client.api(ServiceAccount, 'default').get('default');
    expect(secret.metadata.annotations?.['kubernetes.io/service-account.uid']).toBe(account.metadata.uid);
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: text('token') } };
    const { body } = await plane.plane.transport({
      method: 'POST',
      target: '/apis/authentication.k8s.io/v1/tokenreviews',
      headers: { 'content-type': 'application/json' },
      body: new TextEncoder().encode(JSON.stringify(review)),
    });
    const { status } = JSON.parse(decodeUtf8(body as Uint8Array));
    expect([status.authenticated, status.user?.username]).toEqual([true, 'system:serviceaccount:default:default']);
    expect(plane.problems).toEqual([]);
  });

  it('deletes Secrets of an account that does not exist, or that was deleted', async () => {
    plane = await startPlane();
    const secrets = plane.client.api(Secret, 'default');
    const accounts = plane.client.api(ServiceAccount, 'default');
    await createSecret(secrets, 'of-nobody', 'missing');
    await until('it is gone', async () => (await secrets.find('of-nobody')) === undefined);
    await accounts.create({ metadata: { name: 'robot' } });
    await createSecret(secrets, 'of-robot', 'robot');
    await until('it has a token', async () => (await secrets.get('of-robot')).data?.['token'] !== undefined);
    await accounts.delete('robot');
    await until('it is gone', async () => (await secrets.find('of-robot')) === undefined);
    expect(plane.problems).toEqual([]);
  });

  it('removes a deleted Secret from its account', async () => {
    plane = await startPlane();
    const secrets = await createFilled('listed');
    await listInAccount('listed');
    await secrets.delete('listed');
    const accounts = plane.client.api(ServiceAccount, 'default');
    await until('it is not listed', async () => ((await accounts.get('default')).secrets ?? []).length === 0);
    expect(plane.problems).toEqual([]);
  });
});

/** The cleaner with a clock of its own: a day of the server's clock has very many timers. */
async function startCleaner(): Promise<{ passYear(): Promise<void>; stop(): Promise<void> }> {
  const clock = new VirtualClock();
  const { transport } = plane.plane;
  const informers = createInformerSet({ transport, clock, random: () => 0, onFailure: () => undefined });
  informers.start();
  await informers.informer(Secret, { fieldSelector: 'type=kubernetes.io/service-account-token' }).synced;
  const cleaner = legacyTokenCleanerLoop.start({
    client: plane.client,
    informers,
    clock,
    logger: SILENT,
  } as unknown as LoopContext);
  return {
    passYear: async () => {
      clock.setWallClock(367 * DAY_MS);
      await clock.advance(DAY_MS + 1);
    },
    stop: async () => {
      await cleaner.stop();
      await informers.stop();
    },
  };
}

describe('the cleaner of token Secrets', () => {
  it('marks an unused generated Secret after a year, deletes it after another, and keeps the others', async () => {
    plane = await startPlane({ controllers: ['*', '-legacy-serviceaccount-token-cleaner-controller'] });
    const secrets = await createFilled('generated');
    await createFilled('mounted');
    await createFilled('made-by-a-person');
    await listInAccount('generated');
    await listInAccount('mounted');
    await plane.client.api(Pod, 'default').create({
      metadata: { name: 'user' },
      spec: {
        containers: [{ name: 'main', image: 'x', env: [] }],
        volumes: [{ name: 'token', secret: { secretName: 'mounted' } }],
      },
    });
    const cleaner = await startCleaner();
    const mark = async (name: string): Promise<string | undefined> =>
      (await secrets.get(name)).metadata.labels?.[INVALID_SINCE];
    await cleaner.passYear();
    await until('it is marked', async () => (await mark('generated')) !== undefined);
    expect([await mark('mounted'), await mark('made-by-a-person')]).toEqual([undefined, undefined]);
    await cleaner.passYear();
    await until('it is deleted', async () => (await secrets.find('generated')) === undefined);
    expect(await secrets.find('mounted')).toBeDefined();
    expect(await secrets.find('made-by-a-person')).toBeDefined();
    await cleaner.stop();
  });
});
