/** The decision whether a webhook is called for a request. */
import { StatusError } from '../../apimachinery/status/status.ts';
import { forbidden } from '../../apimachinery/status/status-catalogue.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { DeferredAuthorizer } from '../../cel/libraries/deferred-authorizer.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { Authorizer } from '../../server/authorizer.ts';
import type { ConditionOwner, HookMetrics } from '../hook-metrics.ts';
import { ExpressionInput, requestAuthorizer, type ViewedObjects, viewedObjects } from '../matching/expression-input.ts';
import type { Exemption } from '../matching/hook-dispatcher.ts';
import { type ConditionsResult, matchesConditions } from '../matching/match-conditions.ts';
import type { Candidate, HookView } from '../matching/match-index.ts';
import { matchesNamespace, matchesObject } from '../matching/match-selectors.ts';
import { CONDITION_SCOPE, type Webhook } from './webhook.ts';

/** A webhook that is to be called, with the objects in its version. */
export interface Invocation {
  readonly webhook: Webhook;
  readonly view: HookView;
  readonly objects: ViewedObjects;
}

const KINDS = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

/** Webhooks of the API are not called for requests that configure admission: a broken one could not be removed. */
export function exemptionOf({ kind }: AdmissionAttributes): Exemption | undefined {
  return kind.group === 'admissionregistration.k8s.io' && KINDS.has(kind.kind) ? 'api' : undefined;
}

export interface MatcherOptions {
  /** Decides the checks of match conditions. */
  readonly authorizer: Authorizer;
  /** Default: nothing is counted. */
  readonly metrics?: HookMetrics | undefined;
}

/** Decides for the webhooks of one request. The decisions of the authorizer are shared between their conditions. */
export class WebhookMatcher {
  readonly #attributes: AdmissionAttributes;
  readonly #options: MatcherOptions;
  readonly #type: ConditionOwner['type'];
  #checks: DeferredAuthorizer | undefined;

  constructor(attributes: AdmissionAttributes, options: MatcherOptions, type: ConditionOwner['type']) {
    this.#attributes = attributes;
    this.#options = options;
    this.#type = type;
  }

  /**
   * Returns the invocation, or undefined if the webhook is not to be called. Throws the 404 of a namespace that does
   * not exist, and the 403 of conditions that fail.
   */
  async match({ hook: webhook, viewFor }: Candidate<Webhook>): Promise<Invocation | undefined> {
    const attributes = this.#attributes;
    if (!matchesObject(webhook.objects, attributes)) return undefined;
    const selected = matchesNamespace(webhook.namespaces, attributes);
    if (!(isPromise(selected) ? await selected : selected)) return undefined;
    const view = viewFor(attributes.name);
    if (view === undefined) return undefined;
    const objects = await viewedObjects(attributes, view);
    if (webhook.conditions.length > 0 && !(await this.#conditionsHold(webhook, view, objects))) return undefined;
    return { webhook, view, objects };
  }

  async #conditionsHold(webhook: Webhook, view: HookView, objects: ViewedObjects): Promise<boolean> {
    const attributes = this.#attributes;
    const { metrics } = this.#options;
    const started = metrics?.now() ?? 0;
    const result = await this.conditions(webhook, view, objects);
    if (metrics !== undefined && !('matches' in result && result.matches)) {
      const { name } = webhook;
      const owner: ConditionOwner = { name, kind: 'webhook', type: this.#type, operation: attributes.operation };
      metrics.conditionsRefused(owner, metrics.now() - started, result.errors);
      if ('matches' in result) metrics.conditionsExcluded(owner);
    }
    if ('matches' in result) return result.matches;
    if (webhook.ignoresFailures) return false;
    throw new StatusError(forbidden(attributes.resource, attributes.name, result.error));
  }

  /** Evaluates the match conditions of a webhook. */
  conditions(webhook: Webhook, view: HookView, objects: ViewedObjects): MaybePromise<ConditionsResult> {
    const attributes = this.#attributes;
    this.#checks ??= requestAuthorizer(this.#options.authorizer, attributes.user);
    const parts = { authorizer: this.#checks, namespaceObject: undefined };
    const input = new ExpressionInput(attributes, view, objects, parts).forConditions();
    return matchesConditions(webhook.conditions, input, input.variables(CONDITION_SCOPE));
  }
}
