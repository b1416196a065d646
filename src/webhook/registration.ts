/** The registration of a program with one API server. */
import { isNotFound } from '../apimachinery/status/status.ts';
import { ConfigError } from '../base/errors.ts';
import type { Client } from '../client/api.ts';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '../kinds/api/admissionregistration/v1.ts';
import { CustomResourceDefinition } from '../kinds/api/apiextensions/v1.ts';
import { type WebhookEndpoint, webhookConfigurations } from './webhook-configurations.ts';
import type { RegisterOptions, Registration, Webhooks } from './webhook-server.ts';

type CallOptions = Pick<RegisterOptions, 'signal'>;

export class WebhookRegistration implements Registration {
  readonly #webhooks: Webhooks;
  readonly #client: Client;
  readonly #onRemoved: () => void;
  #removed = false;

  constructor(webhooks: Webhooks, client: Client, onRemoved: () => void) {
    this.#webhooks = webhooks;
    this.#client = client;
    this.#onRemoved = onRemoved;
  }

  /**
   * Applies the configurations. Conversion comes first: admission of a custom resource may need it. A configuration
   * without webhooks is applied only if it exists, to remove those of an earlier version of the program.
   */
  async apply(endpoint: WebhookEndpoint, { signal }: CallOptions = {}): Promise<void> {
    if (this.#removed) return;
    const { mutating, validating, definitions } = webhookConfigurations(this.#webhooks, endpoint);
    const options = { fieldManager: this.#webhooks.name, force: true, ...(signal && { signal }) };
    const crds = this.#client.api(CustomResourceDefinition);
    for (const definition of definitions) {
      const { name } = definition.metadata;
      if ((await crds.find(name, options)) === undefined)
        throw new ConfigError(`the CustomResourceDefinition ${name} does not exist: create it before register()`);
      await crds.apply(definition, options);
    }
    const mutatingApi = this.#client.api(MutatingWebhookConfiguration);
    if (mutating.webhooks?.length !== 0 || (await mutatingApi.find(mutating.metadata.name, options)) !== undefined)
      await mutatingApi.apply(mutating, options);
    const validatingApi = this.#client.api(ValidatingWebhookConfiguration);
    if (
      validating.webhooks?.length !== 0 ||
      (await validatingApi.find(validating.metadata.name, options)) !== undefined
    )
      await validatingApi.apply(validating, options);
  }

  async remove(): Promise<void> {
    this.#removed = true;
    const { name } = this.#webhooks;
    for (const kind of [MutatingWebhookConfiguration, ValidatingWebhookConfiguration])
      await this.#client
        .api<unknown>(kind, undefined)
        .delete(name)
        .catch((caught: unknown) => {
          if (!isNotFound(caught)) throw caught;
        });
    this.#onRemoved();
  }
}
