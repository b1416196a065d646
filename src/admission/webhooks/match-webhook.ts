/** The decision whether a webhook is called for a request. */
import { StatusError } from '../../apimachinery/status/status.ts';
import { forbidden } from '../../apimachinery/status/status-catalogue.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import type { DeferredAuthorizer } from '../../cel/libraries/deferred-authorizer.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { Authorizer } from '../../server/authorizer.ts';
import { ExpressionInput, requestAuthorizer, type ViewedObjects, viewedObjects } from '../matching/expression-input.ts';
import { matchesConditions } from '../matching/match-conditions.ts';
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

/** Whether a request configures admission. Webhooks are not called for it: a broken one could not be removed. */
export function isExempt({ kind }: AdmissionAttributes): boolean {
  return kind.group === 'admissionregistration.k8s.io' && KINDS.has(kind.kind);
}

/** Decides for the webhooks of one request. The decisions of the authorizer are shared between their conditions. */
export class WebhookMatcher {
  readonly #attributes: AdmissionAttributes;
  readonly #authorizer: Authorizer;
  #checks: DeferredAuthorizer | undefined;

  constructor(attributes: AdmissionAttributes, authorizer: Authorizer) {
    this.#attributes = attributes;
    this.#authorizer = authorizer;
  }

  /**
   * Returns the invocation, or undefined if the webhook is not to be called. Throws the 404 of a namespace that does not
   * exist, and the 403 of conditions that fail.
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
    this.#checks ??= requestAuthorizer(this.#authorizer, attributes.user);
    const parts = { authorizer: this.#checks, namespaceObject: undefined };
    const input = new ExpressionInput(attributes, view, objects, parts);
    const result = await matchesConditions(webhook.conditions, input, input.variables(CONDITION_SCOPE));
    if ('matches' in result) return result.matches;
    if (webhook.ignoresFailures) return false;
    throw new StatusError(forbidden(attributes.resource, attributes.name, result.error));
  }
}
