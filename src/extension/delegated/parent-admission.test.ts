import { describe, expect, it } from 'vitest';
import { attributesFor } from '../../admission/attributes.fixtures.ts';
import type { Transport } from '../../apimachinery/http/transport.ts';
import { SILENT } from '../../base/logger.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createClient } from '../../client/create-client.ts';
import { createInformerSet } from '../../client/informer-set.ts';
import type { AdmissionPlugin } from '../../server/admission.ts';
import { fakeParent } from './parent.fixtures.ts';
import { parentAdmission } from './parent-admission.ts';

function admissionOf(transport: Transport): {
  readonly plugins: readonly AdmissionPlugin[];
  readonly clock: VirtualClock;
} {
  const clock = new VirtualClock();
  const informers = createInformerSet({ transport, clock, random: () => 0.5 });
  const plugins = parentAdmission({
    client: createClient(transport),
    informers,
    webhooks: { post: () => Promise.reject(new Error('no webhook is called')) },
    authorizer: { authorize: () => ({ decision: 'allow', reason: '', error: '' }) },
    clock,
    logger: SILENT,
  });
  informers.start();
  return { plugins, clock };
}

const request = () => attributesFor('CREATE', 'accounts.bank.example.com', { metadata: { name: 'a' } });
const named = (plugins: readonly AdmissionPlugin[], name: string): AdmissionPlugin =>
  plugins.find((plugin) => plugin.name === name) as AdmissionPlugin;

describe('admission by the configurations of the parent', () => {
  it('has the plugins that k8s.io/apiserver has', () => {
    const { plugins } = admissionOf(fakeParent({}).transport);
    expect(plugins.map(({ name }) => name)).toEqual([
      'MutatingAdmissionPolicy',
      'MutatingAdmissionWebhook',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionWebhook',
    ]);
  });

  it('refuses requests that have waited for an unreachable parent for 10 s', async () => {
    const { plugins, clock } = admissionOf(() => new Promise(() => undefined));
    const refused = Promise.resolve(named(plugins, 'ValidatingAdmissionPolicy').validate?.(request()));
    const outcome = expect(refused).rejects.toThrow(
      'accounts.bank.example.com "a" is forbidden: not yet ready to handle request',
    );
    await clock.advance(9_900);
    await clock.advance(200);
    await outcome;
  });

  it('admits once a parent without these kinds has said so, and makes no promise then', async () => {
    const { plugins, clock } = admissionOf(fakeParent({}).transport);
    await clock.advance(100);
    expect(named(plugins, 'MutatingAdmissionPolicy').admit?.(request())).toBeUndefined();
    expect(named(plugins, 'MutatingAdmissionWebhook').admit?.(request())).toBeUndefined();
    expect(named(plugins, 'ValidatingAdmissionPolicy').validate?.(request())).toBeUndefined();
    expect(named(plugins, 'ValidatingAdmissionWebhook').validate?.(request())).toBeUndefined();
  });

  it('calls a webhook that the parent has, and none before it has one', async () => {
    const items: unknown[] = [];
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const { plugins, clock } = admissionOf(
      fakeParent({ [`GET ${path}`]: () => ({ metadata: { resourceVersion: `${items.length + 1}` }, items }) })
        .transport,
    );
    const plugin = named(plugins, 'ValidatingAdmissionWebhook');
    await clock.advance(100);
    expect(plugin.validate?.(request())).toBeUndefined();
    const rule = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] };
    items.push({
      metadata: { name: 'hooks', resourceVersion: '2' },
      webhooks: [
        {
          name: 'hook.example.com',
          clientConfig: { url: 'https://hook.example.com' },
          rules: [rule],
          failurePolicy: 'Fail',
          matchPolicy: 'Exact',
          sideEffects: 'None',
          timeoutSeconds: 1,
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    await clock.advance(120_000);
    const outcome = plugin.validate?.(request());
    expect(outcome).toBeInstanceOf(Promise);
    await expect(outcome).rejects.toThrow('no webhook is called');
  });
});
