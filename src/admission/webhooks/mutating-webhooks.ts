/**
 * The plugin MutatingAdmissionWebhook. Webhooks are called one after the other, by the name of their configuration and
 * then in its order. Each webhook sees the changes of those before it.
 *
 * When a webhook changes the object, the whole chain runs once more. In that second run a webhook is called only if it
 * was called before, has `reinvocationPolicy: IfNeeded`, and the object was changed after its call.
 */
import type { JsonObject } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { convertObject } from '../matching/expression-input.ts';
import type { Candidate } from '../matching/match-index.ts';
import { Reinvocation } from '../reinvocation.ts';
import { CallRecord } from './call-record.ts';
import { CallFailure } from './call-webhook.ts';
import { type Invocation, WebhookMatcher } from './match-webhook.ts';
import { applyWebhookPatch, type PatchedObject } from './patch-object.ts';
import type { Webhook } from './webhook.ts';
import { callWithPolicy, takeFailure, type WebhookPluginOptions, webhookDispatcher } from './webhook-plugin.ts';

const MUTATION = 'mutation.webhook.admission.k8s.io/';
const PATCH = 'patch.webhook.admission.k8s.io/';

export function mutatingAdmissionWebhook(options: WebhookPluginOptions): AdmissionPlugin {
  const dispatcher = webhookDispatcher(options, 'MutatingWebhookConfiguration', (attributes, candidates) =>
    new MutatingRun(options, attributes).run(candidates),
  );
  return {
    name: 'MutatingAdmissionWebhook',
    handles: () => true,
    admit: (attributes) => dispatcher.run(attributes),
  };
}

/** The key of the state in attributes. */
const REINVOCATION = {};

/** One run over the webhooks of one request. */
class MutatingRun {
  readonly #options: WebhookPluginOptions;
  readonly #attributes: AdmissionAttributes;
  readonly #reinvocation: Reinvocation;
  readonly #isSecond: boolean;

  constructor(options: WebhookPluginOptions, attributes: AdmissionAttributes) {
    this.#options = options;
    this.#attributes = attributes;
    this.#reinvocation = attributes.state(REINVOCATION, () => new Reinvocation());
    this.#isSecond = attributes.reinvocation === 'running';
  }

  async run(candidates: readonly Candidate<Webhook>[]): Promise<void> {
    const attributes = this.#attributes;
    const reinvocation = this.#reinvocation;
    if (this.#isSecond) reinvocation.beginSecondRun(attributes.object);
    const matcher = new WebhookMatcher(attributes, this.#options, 'admit');
    for (const candidate of candidates) {
      const invocation = await matcher.match(candidate);
      if (invocation === undefined) continue;
      if (this.#isSecond && !reinvocation.isRequired(candidate.hook.id)) continue;
      await this.#call(invocation, `round_${this.#isSecond ? 1 : 0}_index_${candidate.position}`);
    }
    if (!this.#isSecond) reinvocation.endFirstRun(attributes.object);
  }

  async #call(invocation: Invocation, place: string): Promise<void> {
    const { webhook } = invocation;
    const attributes = this.#attributes;
    let changed = false;
    try {
      const patched = await this.#patched(invocation, `failed-open.${MUTATION}${place}`);
      if (patched === undefined) return;
      changed = patched.changed;
      this.#annotatePatch(webhook, patched, place);
      await this.#replaceObject(invocation, patched.object);
    } finally {
      attributes.annotate(`${MUTATION}${place}`, writeJson({ ...sourceOf(webhook), mutated: changed }));
      if (changed) {
        this.#reinvocation.objectChanged();
        if (!this.#isSecond) attributes.reinvocation = 'wanted';
      }
      if (webhook.reinvocable) this.#reinvocation.wasInvoked(webhook.id);
    }
  }

  /** Calls the webhook and applies its patch. Returns undefined if there is none, or a failure is ignored. */
  async #patched(invocation: Invocation, failedOpenKey: string): Promise<PatchedObject | undefined> {
    const { webhook, view, objects } = invocation;
    const attributes = this.#attributes;
    const record = new CallRecord(this.#options.metrics, webhook, attributes, { mutating: true });
    const call = { mutating: true, failedOpenKey, record };
    const response = await callWithPolicy(this.#options, attributes, invocation, call);
    if (response === undefined) return undefined;
    try {
      const patched = applyWebhookPatch(webhook, response, objects.object, view.version ?? attributes.version);
      record.admitted();
      return patched;
    } catch (caught) {
      if (!(caught instanceof CallFailure)) {
        record.internalError();
        throw caught;
      }
      takeFailure(this.#options, attributes, webhook, { failure: caught, failedOpenKey, record });
      return undefined;
    }
  }

  async #replaceObject({ view }: Invocation, object: JsonObject): Promise<void> {
    const attributes = this.#attributes;
    const conversion = view.version && { from: view.version, to: attributes.version };
    attributes.object = conversion === undefined ? object : await convertObject(attributes, object, conversion);
  }

  #annotatePatch(webhook: Webhook, { patch }: PatchedObject, place: string): void {
    const value = (): string => writeJson({ ...sourceOf(webhook), patch, patchType: 'JSONPatch' });
    this.#attributes.annotateRequest(`${PATCH}${place}`, value);
  }
}

function sourceOf({ configuration, name }: Webhook): { readonly configuration: string; readonly webhook: string } {
  return { configuration, webhook: name };
}
