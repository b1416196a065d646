/** The metrics of one call of a webhook. */
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { HookMetrics, WebhookOutcome, WebhookType } from '../hook-metrics.ts';
import type { Webhook } from './webhook.ts';

/** Made when the call begins. Exactly one of its methods is called when the call ends. */
export class CallRecord {
  readonly #metrics: HookMetrics | undefined;
  readonly #webhook: Webhook;
  readonly #attributes: AdmissionAttributes;
  readonly #type: WebhookType;
  readonly #start: number;

  constructor(
    metrics: HookMetrics | undefined,
    webhook: Webhook,
    attributes: AdmissionAttributes,
    { mutating }: { readonly mutating: boolean },
  ) {
    this.#metrics = metrics;
    this.#webhook = webhook;
    this.#attributes = attributes;
    this.#type = mutating ? 'admit' : 'validating';
    this.#start = metrics === undefined ? 0 : metrics.now();
  }

  admitted(): void {
    this.#end(200, undefined);
  }

  /** The webhook refused the request with this HTTP code. */
  refused(code: number): void {
    this.#end(code, 'no_error');
  }

  /**
   * This server refuses the request: a dry run that the webhook does not support, or a patch that cannot be applied.
   */
  internalError(): void {
    this.#end(0, 'apiserver_internal_error');
  }

  /** The call failed, and the failure policy of the webhook decided. */
  failed(code: number): void {
    const { ignoresFailures, name } = this.#webhook;
    this.#end(code, ignoresFailures ? undefined : 'calling_webhook_error');
    if (ignoresFailures) this.#metrics?.webhookFailedOpen(name, this.#type);
  }

  #end(code: number, rejection: WebhookOutcome['rejection']): void {
    const metrics = this.#metrics;
    if (metrics === undefined) return;
    const milliseconds = metrics.now() - this.#start;
    metrics.webhookCalled(this.#webhook.name, this.#type, this.#attributes.operation, {
      milliseconds,
      code,
      rejection,
    });
  }
}
