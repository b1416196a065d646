/** A webhook of a configuration, compiled for matching and calling. */
import { nameOf } from '../../apimachinery/meta/meta.ts';
import { numberAt, objectAt, objectsAt, textAt, textsAt } from '../../apimachinery/meta/object-fields.ts';
import { decodeBase64 } from '../../base/base64.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { ExpressionScope } from '../expression-compiler.ts';
import { compileConditions, type MatchCondition } from '../matching/match-conditions.ts';
import type { IndexedHook } from '../matching/match-index.ts';
import { matchRulesAt } from '../matching/match-rules.ts';
import { compileSelector, type LabelTest } from '../matching/match-selectors.ts';
import type { WebhookService } from '../post-review.ts';
import { webhookServiceOf } from '../webhook-address.ts';

export interface Webhook extends IndexedHook {
  readonly name: string;
  /** The name of its configuration. */
  readonly configuration: string;
  /** Distinguishes webhooks of one name in one configuration. */
  readonly id: string;
  /** A URL without a query, or a Service. */
  readonly address: string | WebhookService;
  /** PEM; '' for the authorities that the system trusts. Undefined if the bundle is not base64. */
  readonly ca: string | undefined;
  /** The first version of AdmissionReview that both sides know; undefined if there is none. */
  readonly reviewVersion: ReviewVersion | undefined;
  /** Whether a request is admitted although the webhook cannot be called: `failurePolicy: Ignore`. */
  readonly ignoresFailures: boolean;
  /** Whether a dry run may call it: `sideEffects` None or NoneOnDryRun. */
  readonly takesDryRuns: boolean;
  readonly timeoutSeconds: number;
  /** Whether it is called again if the object is changed after it: `reinvocationPolicy: IfNeeded`. */
  readonly reinvocable: boolean;
  readonly namespaces: LabelTest;
  readonly objects: LabelTest;
  readonly conditions: readonly MatchCondition[];
}

export type ReviewVersion = 'v1' | 'v1beta1';

/** The variables of match conditions of webhooks. */
export const CONDITION_SCOPE: ExpressionScope = { params: false, authorizer: true };

const DEFAULT_TIMEOUT_SECONDS = 10;

/**
 * Compiles the webhooks of a MutatingWebhookConfiguration or ValidatingWebhookConfiguration. `source` distinguishes the
 * identifiers of configurations with one name: one in the API and one in a manifest file.
 */
export function webhooksOf(configuration: JsonObject, source = ''): readonly Webhook[] {
  const seen = new Map<string, number>();
  return objectsAt(configuration, 'webhooks').map((webhook) => {
    const name = textAt(webhook, 'name');
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return compileWebhook(webhook, name, nameOf(configuration), `${source}${nameOf(configuration)}/${name}/${count}`);
  });
}

function compileWebhook(webhook: JsonObject, name: string, configuration: string, id: string): Webhook {
  return {
    name,
    configuration,
    id,
    address: addressOf(webhook),
    ca: caOf(webhook),
    reviewVersion: textsAt(webhook, 'admissionReviewVersions').find(isReviewVersion),
    ignoresFailures: textAt(webhook, 'failurePolicy') === 'Ignore',
    takesDryRuns: ['None', 'NoneOnDryRun'].includes(textAt(webhook, 'sideEffects')),
    timeoutSeconds: Number(numberAt(webhook, 'timeoutSeconds')) || DEFAULT_TIMEOUT_SECONDS,
    reinvocable: textAt(webhook, 'reinvocationPolicy') === 'IfNeeded',
    rules: matchRulesAt(webhook, 'rules'),
    excluded: [],
    equivalent: textAt(webhook, 'matchPolicy') === 'Equivalent',
    matchesWithoutRules: false,
    namespaces: compileSelector(objectAt(webhook, 'namespaceSelector')),
    objects: compileSelector(objectAt(webhook, 'objectSelector')),
    conditions: compileConditions(objectsAt(webhook, 'matchConditions'), CONDITION_SCOPE),
  };
}

function isReviewVersion(version: string): version is ReviewVersion {
  return version === 'v1' || version === 'v1beta1';
}

function addressOf(webhook: JsonObject): string | WebhookService {
  const config = objectAt(webhook, 'clientConfig') ?? {};
  return webhookServiceOf(config) ?? textAt(config, 'url');
}

function caOf(webhook: JsonObject): string | undefined {
  const bytes = decodeBase64(textAt(webhook, 'clientConfig', 'caBundle'));
  return bytes === undefined ? undefined : decodeUtf8(bytes);
}
