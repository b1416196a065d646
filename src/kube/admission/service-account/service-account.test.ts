import { describe, expect, test } from 'vitest';
import { objectAt, objectsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { startTestKube, type TestAnswer } from '../../kube-server.fixtures.ts';
import { attributesFor, podWith, readerOf, verdict } from '../admission.fixtures.ts';
import { serviceAccount } from './service-account.ts';

const account = (name: string, more: JsonObject = {}, annotations: JsonObject = {}): JsonObject => ({
  metadata: { name, namespace: 'ns', annotations },
  ...more,
});
const plugin = (...accounts: JsonObject[]) =>
  serviceAccount({ accounts: readerOf(...accounts), clock: new VirtualClock(), random: () => 0 });
const create = (pod: JsonObject, ...accounts: JsonObject[]): string | undefined =>
  verdict(plugin(...accounts), attributesFor('CREATE', 'pods', pod));

describe('ServiceAccount', () => {
  test('sets the default account, mounts its token and adds its pull secrets', () => {
    const pod = podWith({ initContainers: [{ name: 'i' }] });
    expect(create(pod, account('default', { imagePullSecrets: [{ name: 'pull' }] }))).toBeUndefined();
    const mount = {
      name: 'kube-api-access-bbbbb',
      readOnly: true,
      mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
    };
    expect(pod['spec']).toMatchObject({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      imagePullSecrets: [{ name: 'pull' }],
      initContainers: [{ volumeMounts: [mount] }],
      containers: [{ volumeMounts: [mount] }],
    });
    const [volume] = objectsAt(pod, 'spec', 'volumes');
    expect(volume).toMatchObject({ name: 'kube-api-access-bbbbb', projected: { defaultMode: 420 } });
    expect(objectsAt(volume ?? {}, 'projected', 'sources')[0]).toEqual({
      serviceAccountToken: { expirationSeconds: 3607, path: 'token' },
    });
  });

  test('mounts no token if the pod, or else the account, disables it', () => {
    const unwanted = podWith({ automountServiceAccountToken: false });
    create(unwanted, account('default'));
    expect(objectAt(unwanted, 'spec')).not.toHaveProperty('volumes');
    const wanted = podWith({ automountServiceAccountToken: true });
    create(wanted, account('default', { automountServiceAccountToken: false }));
    expect(objectsAt(wanted, 'spec', 'volumes')).toHaveLength(1);
  });

  test('keeps another volume at the path of the token', () => {
    const own = [{ name: 'v', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }];
    const pod = podWith({ containers: [{ name: 'c', volumeMounts: own }] });
    create(pod, account('default'));
    expect(objectAt(pod, 'spec')).not.toHaveProperty('volumes');
  });

  test('refuses a missing account', () => {
    expect(create(podWith({ serviceAccountName: 'nobody' }), account('default'))).toBe(
      'pods "p" is forbidden: error looking up service account ns/nobody: serviceaccount "nobody" not found',
    );
  });

  const mirror = (spec: JsonObject): JsonObject =>
    podWith(spec, { annotations: { 'kubernetes.io/config.mirror': 'x' } });
  test.each([
    [mirror({ serviceAccountName: 'a' }), 'a mirror pod may not reference service accounts'],
    [
      mirror({ containers: [{ name: 'c', envFrom: [{ secretRef: { name: 's' } }] }] }),
      'a mirror pod may not reference secrets',
    ],
    [
      mirror({ volumes: [{ name: 'v', csi: { nodePublishSecretRef: { name: 's' } } }] }),
      'a mirror pod may not reference secrets',
    ],
    [
      mirror({ volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: {} }] } }] }),
      'a mirror pod may not use ServiceAccountToken volume projections',
    ],
  ])('refuses mirror pods with secrets', (pod, because) => {
    expect(create(pod)).toBe(`pods "p" is forbidden: ${because}`);
  });

  const strict = account(
    'default',
    { secrets: [{ name: 'mine' }] },
    { 'kubernetes.io/enforce-mountable-secrets': 'true' },
  );
  const env = (name: string): JsonObject[] => [{ name: 'E', valueFrom: { secretKeyRef: { name } } }];
  test.each([
    [
      { volumes: [{ name: 'v', secret: { secretName: 'x' } }] },
      'volume with secret.secretName="x" is not allowed because service account default does not reference that secret',
    ],
    [
      { containers: [{ name: 'c', env: env('x') }] },
      'container c with envVar E referencing secret.secretName="x" is not allowed because service account default does not reference that secret',
    ],
    [
      { initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 'x' } }] }] },
      'init container i with envFrom referencing secret.secretName="x" is not allowed because service account default does not reference that secret',
    ],
    [
      { imagePullSecrets: [{ name: 'x' }] },
      'imagePullSecrets[0].name="x" is not allowed because service account default does not reference that imagePullSecret',
    ],
  ])('refuses secrets that the account does not list, if it enforces its list', (spec, because) => {
    expect(create(podWith(spec as JsonObject), strict)).toBe(`pods "p" is forbidden: ${because}`);
  });

  test('admits the secrets that such an account lists', () => {
    expect(create(podWith({ containers: [{ name: 'c', env: env('mine') }] }), strict)).toBeUndefined();
  });

  test('checks the secrets of ephemeral containers', () => {
    const pod = podWith({ serviceAccountName: 'default', ephemeralContainers: [{ name: 'e', env: env('x') }] });
    const attributes = attributesFor('UPDATE', 'pods', pod, { subresource: 'ephemeralcontainers' });
    expect(verdict(plugin(strict), attributes)).toBe(
      'ephemeral container e with envVar E referencing secret.secretName="x" is not allowed because service account default does not reference that secret',
    );
  });

  const POD = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const DEFAULT = '/api/v1/namespaces/default';
  const WITH_PLUGIN = { admission: { enable: [], disable: [] } };

  test('on a server: admits a pod at once, because the default account exists', async () => {
    const kube = await startTestKube(WITH_PLUGIN);
    expect((await kube.request('POST', `${DEFAULT}/pods`, POD)).status).toBe(201);
    await kube.stop();
  });

  test('on a server: waits a second for a missing default account, and not for others', async () => {
    const kube = await startTestKube(WITH_PLUGIN);
    await kube.request('DELETE', `${DEFAULT}/serviceaccounts/default`);
    const named = { ...POD, spec: { ...POD.spec, serviceAccountName: 'runner' } };
    expect((await kube.request('POST', `${DEFAULT}/pods`, named)).status).toBe(403);

    // Nine pauses of 100 to 199 ms.
    let refused: TestAnswer | undefined;
    const first = kube.request('POST', `${DEFAULT}/pods`, POD).then((answer) => {
      refused = answer;
    });
    await kube.clock.advance(899);
    expect(refused).toBeUndefined();
    await kube.clock.advance(892);
    await first;
    expect(refused).toMatchObject({
      status: 403,
      body: {
        message:
          'pods "p" is forbidden: error looking up service account default/default: serviceaccount "default" not found',
      },
    });

    const second = kube.request('POST', `${DEFAULT}/pods`, POD);
    await kube.clock.advance(250);
    await kube.request('POST', `${DEFAULT}/serviceaccounts`, { metadata: { name: 'default' } });
    await kube.clock.advance(199);
    expect((await second).status).toBe(201);
    await kube.stop();
  });

  test('on a server: needs no account if the plugin is disabled', async () => {
    const kube = await startTestKube();
    expect((await kube.request('POST', `${DEFAULT}/pods`, POD)).status).toBe(201);
    expect((await kube.request('GET', `${DEFAULT}/serviceaccounts/default`)).status).toBe(404);
    await kube.stop();
  });
});
