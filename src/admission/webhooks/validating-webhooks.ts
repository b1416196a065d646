/**
 * The plugin ValidatingAdmissionWebhook. All webhooks of a request are called at the same time, and all are awaited.
 * The first refusal to arrive is the answer.
 */
import { toError } from '../../base/errors.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import type { Candidate } from '../matching/match-index.ts';
import { CallRecord } from './call-record.ts';
import { type Invocation, WebhookMatcher } from './match-webhook.ts';
import type { Webhook } from './webhook.ts';
import { callWithPolicy, type WebhookPluginOptions, webhookDispatcher } from './webhook-plugin.ts';

const FAILED_OPEN = 'failed-open.validating.webhook.admission.k8s.io/round_0_index_';

export function validatingAdmissionWebhook(options: WebhookPluginOptions): AdmissionPlugin {
  const dispatcher = webhookDispatcher(options, 'ValidatingWebhookConfiguration', (attributes, candidates) =>
    validate(options, attributes, candidates),
  );
  return {
    name: 'ValidatingAdmissionWebhook',
    handles: () => true,
    validate: (attributes) => dispatcher.run(attributes),
  };
}

async function validate(
  options: WebhookPluginOptions,
  attributes: AdmissionAttributes,
  candidates: readonly Candidate<Webhook>[],
): Promise<void> {
  const matcher = new WebhookMatcher(attributes, options, 'validating');
  const invocations: Invocation[] = [];
  for (const candidate of candidates) {
    const invocation = await matcher.match(candidate);
    if (invocation !== undefined) invocations.push(invocation);
  }
  let first: Error | undefined;
  await Promise.all(
    invocations.map(async (invocation, index) => {
      try {
        const call = { mutating: false, failedOpenKey: `${FAILED_OPEN}${index}` };
        const record = new CallRecord(options.metrics, invocation.webhook, attributes, call);
        const response = await callWithPolicy(options, attributes, invocation, { ...call, record });
        if (response !== undefined) record.admitted();
      } catch (caught) {
        first ??= toError(caught);
      }
    }),
  );
  if (first !== undefined) throw first;
}
