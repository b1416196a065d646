/**
 * An admission plugin that records which webhooks and policies match a write, and admits every write. Mutating policies
 * change the object, so that validating policies judge the result.
 */

import { compileSelector } from '../../admission/matching/match-selectors.ts';
import { explainPolicy, type PolicyExplanation } from '../../admission/policies/explain-policy.ts';
import { type CompiledMutatingPolicy, compileMutatingPolicy } from '../../admission/policies/mutating-policy.ts';
import type { ParamObjects } from '../../admission/policies/params.ts';
import {
  type CompiledPolicy,
  compileBinding,
  compilePolicy,
  type PolicyBinding,
  type PolicyParts,
  policyNameOf,
} from '../../admission/policies/policy.ts';
import { ViewedObject } from '../../admission/policies/viewed-object.ts';
import { explainWebhook } from '../../admission/webhooks/explain-webhook.ts';
import { type Webhook, webhooksOf } from '../../admission/webhooks/webhook.ts';
import { formatGvk, gvkOf } from '../../apimachinery/meta/gvk.ts';
import { nameOf, namespaceOf } from '../../apimachinery/meta/meta.ts';
import { flagAt, objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { LabelRecord } from '../../apimachinery/selectors/label-selector-match.ts';
import { isNotFound, isStatusError } from '../../apimachinery/status/status.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Client } from '../../client/api.ts';
import type { Discovery } from '../../client/discovery.ts';
import { SubjectAccessReview } from '../../kinds/api/authorization/v1.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import type { AuthorizationResult, Authorizer, RequestAttributes } from '../../server/authorizer.ts';

export interface WebhookExplanation {
  readonly configuration: string;
  readonly webhook: string;
  readonly isMutating: boolean;
  /** Why the webhook is not called; undefined if it is called. */
  readonly because: string | undefined;
}

export interface ExplainedPolicy extends PolicyExplanation {
  readonly isMutating: boolean;
}

export interface Explanation {
  readonly webhooks: readonly WebhookExplanation[];
  readonly policies: readonly ExplainedPolicy[];
}

type Stage = 'mutating' | 'validating';

interface Configurations {
  readonly webhooks: Webhook[];
  readonly policies: (CompiledPolicy | CompiledMutatingPolicy)[];
  readonly bindings: Map<string, PolicyBinding[]>;
}

export class PolicyReporter {
  readonly plugin: AdmissionPlugin = {
    name: 'PolicyReport',
    handles: () => true,
    admit: (attributes) => this.#explain(attributes, 'mutating'),
    validate: (attributes) => this.#explain(attributes, 'validating'),
  };
  readonly #configurations: Readonly<Record<Stage, Configurations>> = { mutating: empty(), validating: empty() };
  /** The kinds of parameters, by `formatGvk`. */
  readonly #params = new Map<string, { readonly namespaced: boolean; readonly objects: JsonObject[] }>();
  /** Objects that do not configure admission. */
  readonly #others: JsonObject[] = [];
  readonly #webhooks: WebhookExplanation[] = [];
  readonly #policies: ExplainedPolicy[] = [];
  #client: Client | undefined;
  #isRecording = false;

  /** Sets the client for access reviews. Called once. */
  connect(client: Client): void {
    this.#client = client;
  }

  /** Registers a stored object. Any object that does not configure admission may be a parameter of a policy. */
  async add(object: JsonObject, discovery: Discovery): Promise<void> {
    const kind = textAt(object, 'kind');
    const { webhooks, policies, bindings } =
      this.#configurations[kind.startsWith('Mutating') ? 'mutating' : 'validating'];
    switch (kind) {
      case 'MutatingWebhookConfiguration':
      case 'ValidatingWebhookConfiguration':
        webhooks.push(...webhooksOf(object));
        break;
      case 'MutatingAdmissionPolicy':
      case 'ValidatingAdmissionPolicy': {
        const policy = kind === 'MutatingAdmissionPolicy' ? compileMutatingPolicy(object) : compilePolicy(object);
        policies.push(policy);
        if (policy.paramKind !== undefined) await this.#addParamKind(policy.paramKind, discovery);
        break;
      }
      case 'MutatingAdmissionPolicyBinding':
      case 'ValidatingAdmissionPolicyBinding': {
        const name = policyNameOf(object);
        bindings.set(name, [...(bindings.get(name) ?? []), compileBinding(object)]);
        break;
      }
      default:
        this.#others.push(object);
    }
  }

  /**
   * Calls `write`, which sends one request, and returns the explanation of that request. Rejects with the error of
   * `write` if the server refuses the request.
   */
  async record(write: () => Promise<unknown>): Promise<Explanation> {
    this.#webhooks.length = 0;
    this.#policies.length = 0;
    this.#isRecording = true;
    try {
      await write();
    } finally {
      this.#isRecording = false;
    }
    return { webhooks: [...this.#webhooks], policies: [...this.#policies] };
  }

  async #explain(attributes: AdmissionAttributes, stage: Stage): Promise<void> {
    if (!this.#isRecording) return;
    const { webhooks, policies, bindings } = this.#configurations[stage];
    const isMutating = stage === 'mutating';
    const authorizer = this.#authorizer;
    const params = (kind: PolicyParts['paramKind'] & object): ParamObjects | undefined =>
      this.#paramsOf(formatGvk(kind));
    const object = new ViewedObject(attributes);
    for (const policy of policies) {
      const bound = { ...policy, bindings: bindings.get(policy.name) ?? [] };
      this.#policies.push({ ...(await explainPolicy(bound, attributes, { object, params, authorizer })), isMutating });
    }
    // All policies of a stage match the object of the request, so changes are stored after the last policy.
    await object.store();
    for (const webhook of webhooks) {
      const explained = await explainWebhook(webhook, attributes, authorizer);
      const because = explained.matches ? undefined : explained.because;
      this.#webhooks.push({ configuration: webhook.configuration, webhook: webhook.name, isMutating, because });
    }
  }

  async #addParamKind(kind: NonNullable<PolicyParts['paramKind']>, discovery: Discovery): Promise<void> {
    const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
    try {
      const resource = await discovery.kindOf(apiVersion, kind.kind);
      this.#params.set(formatGvk(kind), { namespaced: resource.scope === 'Namespaced', objects: this.#others });
    } catch (caught) {
      if (!isStatusError(caught) || !isNotFound(caught)) throw caught;
    }
  }

  #paramsOf(kind: string): ParamObjects | undefined {
    const known = this.#params.get(kind);
    if (known === undefined) return undefined;
    const { namespaced, objects } = known;
    const inNamespace = (namespace: string): readonly JsonObject[] =>
      objects
        .filter((object) => formatGvk(gvkOf(textAt(object, 'apiVersion'), textAt(object, 'kind'))) === kind)
        .filter((object) => !namespaced || namespaceOf(object) === namespace)
        .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    return {
      namespaced,
      get: (namespace, name) => inNamespace(namespace).find((object) => nameOf(object) === name),
      list: (namespace, selector) => {
        const test = compileSelector(selector);
        return inNamespace(namespace).filter(
          (object) => test === undefined || test(objectAt(object, 'metadata', 'labels') as LabelRecord | undefined),
        );
      },
    };
  }

  /** Sends a SubjectAccessReview to the sandbox server, which has the roles of the files. */
  readonly #authorizer: Authorizer = {
    authorize: async (request): Promise<AuthorizationResult> => {
      const review = await (this.#client as Client).api(SubjectAccessReview).create(reviewOf(request) as never);
      const status = objectAt(review as unknown as JsonObject, 'status') ?? {};
      const decision = flagAt(status, 'allowed') ? 'allow' : 'no-opinion';
      return { decision, reason: textAt(status, 'reason'), error: textAt(status, 'evaluationError') };
    },
  };
}

function empty(): Configurations {
  return { webhooks: [], policies: [], bindings: new Map() };
}

function reviewOf(request: RequestAttributes): object {
  const { user, verb, namespace, apiGroup, resource, subresource, name, path, isResourceRequest } = request;
  const attributes = isResourceRequest
    ? { resourceAttributes: { verb, namespace, group: apiGroup, version: '*', resource, subresource, name } }
    : { nonResourceAttributes: { verb, path } };
  const spec = { user: user.name, uid: user.uid, groups: user.groups, extra: user.extra, ...attributes };
  return { spec };
}
