/** The parts that both webhook plugins share: their options, the call with its failure policy, and annotations. */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { Authorizer } from '../../server/authorizer.ts';
import type { Lister } from '../../server/own/lister.ts';
import type { HookMetrics } from '../hook-metrics.ts';
import type { ManifestObjects } from '../manifests/manifest-objects.ts';
import { compiledOnce, HookDispatcher, type HookDispatcherOptions } from '../matching/hook-dispatcher.ts';
import type { WebhookHost } from '../post-review.ts';
import type { WebhookCredentials } from '../webhook-credentials.ts';
import type { AdmissionResponse } from './admission-review.ts';
import type { CallRecord } from './call-record.ts';
import { CallFailure, callWebhook } from './call-webhook.ts';
import { exemptionOf, type Invocation } from './match-webhook.ts';
import { dryRunRefusal, failureRefusal, refusalOf, timeoutRefusal } from './refusal-status.ts';
import { type Webhook, webhooksOf } from './webhook.ts';

export interface WebhookPluginOptions extends WebhookHost {
  readonly clock: Clock;
  /** The configurations of the plugin's kind. */
  readonly configurations: Lister;
  /** The configurations of manifest files, whose webhooks are called first. Default: there are none. */
  readonly manifests?: ManifestObjects | undefined;
  /** Decides the checks of match conditions. */
  readonly authorizer: Authorizer;
  readonly logger: Logger;
  /** Default: nothing is counted. */
  readonly metrics?: HookMetrics | undefined;
  /** Default: webhooks are called without credentials. */
  readonly credentials?: WebhookCredentials | undefined;
}

/** Webhooks are ordered by the name of their configuration, then as it lists them. */
export function webhookDispatcher(
  { configurations, manifests }: WebhookPluginOptions,
  kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration',
  dispatch: HookDispatcherOptions<Webhook>['dispatch'],
): HookDispatcher<Webhook> {
  const compiled = compiledOnce((configuration) => webhooksOf(configuration));
  const compiledManifest = compiledOnce((configuration) => webhooksOf(configuration, 'manifest/'));
  return new HookDispatcher({
    listers: [configurations],
    hooks: () => configurations.list().flatMap(compiled),
    manifests: manifests && {
      hooks: () => manifests.list(kind).flatMap(compiledManifest),
      onChange: (listener) => manifests.onChange(listener),
    },
    exemptionOf,
    dispatch,
  });
}

export interface CallOptions {
  readonly mutating: boolean;
  /** The key of the annotation for a failure that is ignored. */
  readonly failedOpenKey: string;
  /** The caller ends it if the call succeeds. */
  readonly record: CallRecord;
}

/**
 * Calls a webhook. Returns its answer, which admits the request; undefined if the call failed and the failure is
 * ignored. Throws a StatusError if the request is refused.
 */
export async function callWithPolicy(
  options: WebhookPluginOptions,
  attributes: AdmissionAttributes,
  { webhook, view, objects }: Invocation,
  { mutating, failedOpenKey, record }: CallOptions,
): Promise<AdmissionResponse | undefined> {
  if (attributes.dryRun && !webhook.takesDryRuns) {
    record.internalError();
    throw dryRunRefusal(webhook.name);
  }
  let response: AdmissionResponse;
  try {
    response = await callWebhook(options, attributes, { webhook, view, objects, mutating });
  } catch (caught) {
    if (!(caught instanceof CallFailure)) throw caught;
    takeFailure(options, attributes, webhook, { failure: caught, failedOpenKey, record });
    return undefined;
  }
  for (const [key, value] of Object.entries(response.auditAnnotations))
    attributes.annotate(`${webhook.name}/${key}`, value);
  for (const warning of response.warnings) attributes.warn(warning);
  if (response.allowed) return response;
  const refusal = refusalOf(webhook.name, response.result);
  record.refused(refusal.status.code ?? 400);
  throw refusal;
}

export interface FailedCall extends Pick<CallOptions, 'failedOpenKey' | 'record'> {
  readonly failure: CallFailure;
}

/** Throws the refusal, or records that the failure is ignored. */
export function takeFailure(
  { clock, logger }: WebhookPluginOptions,
  attributes: AdmissionAttributes,
  webhook: Webhook,
  { failure, failedOpenKey, record }: FailedCall,
): void {
  const { message } = failure;
  record.failed(failure.code);
  if (!webhook.ignoresFailures) {
    logger.warn('a webhook failed, the request is refused', { webhook: webhook.name, failure: message });
    throw failureRefusal(failure);
  }
  logger.warn('a webhook failed, the request goes on without it', { webhook: webhook.name, failure: message });
  attributes.annotate(failedOpenKey, webhook.name);
  if (clock.monotonic() >= attributes.deadline) throw timeoutRefusal();
}
