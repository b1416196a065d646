import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../base/json-value.ts';
import { MetricRegistry } from '../base/metrics/metric-registry.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import type { AdmissionPlugin } from '../server/admission.ts';
import { attributesFor } from './attributes.fixtures.ts';
import { createHookMetrics, type HookMetrics } from './hook-metrics.ts';
import { validatingAdmissionPolicy } from './policies/validating-policies.ts';
import { mutatingAdmissionWebhook } from './webhooks/mutating-webhooks.ts';
import { validatingAdmissionWebhook } from './webhooks/validating-webhooks.ts';
import { changingLister, configuration, patching, testWebhooks } from './webhooks/webhooks.fixtures.ts';

function metricsOf(): { readonly metrics: HookMetrics; samples(): readonly string[] } {
  const registry = new MetricRegistry();
  return {
    metrics: createHookMetrics(registry, new VirtualClock()),
    samples: () =>
      registry
        .print()
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#') && !/_bucket|_sum/.test(line)),
  };
}

/** Sends a create of a pod to the plugin. Refusals are ignored. */
async function send(plugin: AdmissionPlugin): Promise<void> {
  const attributes = attributesFor('CREATE', 'pods', { metadata: { name: 'p' } });
  const run = async (): Promise<void> => {
    await plugin.admit?.(attributes);
    await plugin.validate?.(attributes);
  };
  await run().catch(() => undefined);
}

describe('metrics of webhooks', () => {
  it('count calls, refusals and failures', async () => {
    const { metrics, samples } = metricsOf();
    const hooks = testWebhooks({
      '/yes': () => ({ allowed: true }),
      '/no': () => ({ allowed: false, status: { code: 999 } }),
    });
    const plugin = validatingAdmissionWebhook({ ...hooks.options, metrics });
    hooks.configure(configuration('a', ['/yes', '/no']), configuration('b', ['/gone'], { failurePolicy: 'Ignore' }));
    await send(plugin);
    const [yes, no, gone] = ['yes', 'no', 'gone'].map((name) => `name="${name}.example.com",operation="CREATE"`);
    expect(samples()).toEqual(
      expect.arrayContaining([
        `apiserver_admission_webhook_admission_duration_seconds_count{${yes},rejected="false",type="validating"} 1`,
        `apiserver_admission_webhook_request_total{code="200",${yes},rejected="false",type="validating"} 1`,
        `apiserver_admission_webhook_request_total{code="600",${no},rejected="true",type="validating"} 1`,
        `apiserver_admission_webhook_rejection_count{error_type="no_error",${no},rejection_code="600",type="validating"} 1`,
        `apiserver_admission_webhook_request_total{code="503",${gone},rejected="false",type="validating"} 1`,
        'apiserver_admission_webhook_fail_open_count{name="gone.example.com",type="validating"} 1',
      ]),
    );
  });

  it('count a patch that cannot be applied as an error of the server', async () => {
    const { metrics, samples } = metricsOf();
    const hooks = testWebhooks({ '/a': () => patching({ op: 'remove', path: '/nothing' }) });
    hooks.configure(configuration('a', ['/a']));
    await send(mutatingAdmissionWebhook({ ...hooks.options, metrics }));
    expect(samples()).toContain(
      'apiserver_admission_webhook_request_total{code="0",name="a.example.com",operation="CREATE",rejected="true",type="admit"} 1',
    );
  });

  it('count match conditions that exclude and fail', async () => {
    const { metrics, samples } = metricsOf();
    const hooks = testWebhooks({});
    const matchConditions = [
      { name: 'a', expression: 'object.nothing == 1' },
      { name: 'b', expression: 'false' },
    ];
    hooks.configure(configuration('a', ['/a'], { matchConditions }));
    await send(validatingAdmissionWebhook({ ...hooks.options, metrics }));
    const labels = (type: string): string =>
      `{kind="webhook",name="a.example.com",operation="CREATE",type="${type}"} 1`;
    expect(samples()).toEqual([
      `apiserver_admission_match_condition_evaluation_errors_total${labels('validating')}`,
      `apiserver_admission_match_condition_evaluation_seconds_count${labels('validating')}`,
      `apiserver_admission_match_condition_exclusions_total${labels('validate')}`,
    ]);
  });

  it('have no series for match conditions that hold', async () => {
    const { metrics, samples } = metricsOf();
    const hooks = testWebhooks({ '/a': () => ({ allowed: true }) });
    hooks.configure(configuration('a', ['/a'], { matchConditions: [{ name: 'a', expression: 'true' }] }));
    await send(validatingAdmissionWebhook({ ...hooks.options, metrics }));
    expect(samples().filter((line) => line.includes('match_condition'))).toEqual([]);
  });

  it('have no series for a request that nothing matches', async () => {
    const { metrics, samples } = metricsOf();
    const hooks = testWebhooks({});
    hooks.configure(configuration('a', ['/a'], { rules: [] }));
    await send(validatingAdmissionWebhook({ ...hooks.options, metrics }));
    expect(samples()).toEqual([]);
  });
});

describe('metrics of validating policies', () => {
  const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }];

  async function check(spec: JsonObject, actions: readonly string[]): Promise<readonly string[]> {
    const { metrics, samples } = metricsOf();
    const [policies, bindings] = [changingLister(), changingLister()];
    const plugin = validatingAdmissionPolicy({
      policies,
      bindings,
      params: () => undefined,
      authorizer: { authorize: () => ({ decision: 'allow', reason: '', error: '' }) },
      metrics,
    });
    policies.set([{ metadata: { name: 'p' }, spec: { matchConstraints: { resourceRules: rules }, ...spec } }]);
    bindings.set([{ metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: [...actions] } }]);
    await send(plugin);
    return samples().filter((line) => line.includes('check_total'));
  }

  const sample = (error: string, action: string): string =>
    `apiserver_validating_admission_policy_check_total{enforcement_action="${action}",error_type="${error}",policy="p",policy_binding="b"} 1`;

  it('count each action of a validation that does not hold', async () => {
    expect(await check({ validations: [{ expression: 'true' }, { expression: 'false' }] }, ['Deny', 'Audit'])).toEqual([
      sample('invalid_error', 'audit'),
      sample('invalid_error', 'deny'),
    ]);
  });

  it('count errors that are ignored as allowed', async () => {
    const spec = { failurePolicy: 'Ignore', validations: [{ expression: 'object.nothing == 1' }] };
    expect(await check(spec, ['Deny'])).toEqual([sample('invalid_error', 'allow')]);
  });
});
