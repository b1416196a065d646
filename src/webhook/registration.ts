/** The registration of a program with one API server. */
import { isConflict, isNotFound } from '../apimachinery/status/status.ts';
import type { Clock } from '../base/clock.ts';
import { ConfigError } from '../base/errors.ts';
import type { Api, ApplyOptions, Client } from '../client/api.ts';
import type { Applied, Stored } from '../client/object-types.ts';
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from '../kinds/api/admissionregistration/v1.ts';
import { CustomResourceDefinition } from '../kinds/api/apiextensions/v1.ts';
import { bundlesFor, mergeCas } from './trusted-cas.ts';
import { type WebhookConfigurations, type WebhookEndpoint, webhookConfigurations } from './webhook-configurations.ts';
import type { RegisterOptions, Registration, Webhooks } from './webhook-server.ts';

type CallOptions = Pick<RegisterOptions, 'signal'>;

/** A configuration object that contains the CAs which the API server trusts. */
interface TrustingObject<T> extends CallOptions {
  readonly api: Api<T>;
  readonly name: string;
  /** Returns the addresses and CAs of the object as the API server has it. */
  configsOf(found: Stored<T>): readonly WebhookClientConfig[];
  /** Returns the object to apply. */
  pick(own: WebhookConfigurations): Applied<T>;
}

/** How often an object is read and applied while other replicas change it. */
const ATTEMPTS = 10;

export class WebhookRegistration implements Registration {
  readonly #webhooks: Webhooks;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #onRemoved: () => void;
  #removed = false;

  constructor(webhooks: Webhooks, client: Client, clock: Clock, onRemoved: () => void) {
    this.#webhooks = webhooks;
    this.#client = client;
    this.#clock = clock;
    this.#onRemoved = onRemoved;
  }

  /**
   * Applies the configurations, with the CA of the endpoint beside those of other replicas. Conversion comes first:
   * admission of a custom resource may need it. A configuration without webhooks is applied only if it exists, to
   * remove those of an earlier version of the program.
   */
  async apply(endpoint: WebhookEndpoint, options: CallOptions = {}): Promise<void> {
    if (this.#removed) return;
    const { mutating, validating, definitions } = webhookConfigurations(this.#webhooks, endpoint);
    const crds = this.#client.api(CustomResourceDefinition);
    for (const { metadata } of definitions) {
      const { name } = metadata;
      if ((await crds.find(name, options)) === undefined)
        throw new ConfigError(`the CustomResourceDefinition ${name} does not exist: create it before register()`);
      await this.#applyTrusting(endpoint, {
        ...options,
        api: crds,
        name,
        configsOf: ({ spec }) => (spec.conversion?.webhook?.clientConfig ? [spec.conversion.webhook.clientConfig] : []),
        pick: (own) => own.definitions.find((one) => one.metadata.name === name) as Applied<CustomResourceDefinition>,
      });
    }
    const { name } = this.#webhooks;
    const mutatingApi = this.#client.api(MutatingWebhookConfiguration);
    if (mutating.webhooks?.length !== 0 || (await mutatingApi.find(name, options)) !== undefined)
      await this.#applyTrusting(endpoint, {
        ...options,
        api: mutatingApi,
        name,
        configsOf: ({ webhooks = [] }) => webhooks.map(({ clientConfig }) => clientConfig),
        pick: (own) => own.mutating,
      });
    const validatingApi = this.#client.api(ValidatingWebhookConfiguration);
    if (validating.webhooks?.length !== 0 || (await validatingApi.find(name, options)) !== undefined)
      await this.#applyTrusting(endpoint, {
        ...options,
        api: validatingApi,
        name,
        configsOf: ({ webhooks = [] }) => webhooks.map(({ clientConfig }) => clientConfig),
        pick: (own) => own.validating,
      });
  }

  /**
   * Applies one object with our CA beside the CAs that it has. The resourceVersion in the applied object turns a
   * replica that registers at the same time into a Conflict, after which the object is read again.
   */
  async #applyTrusting<T>(
    { address, ca }: WebhookEndpoint,
    { api, name, configsOf, pick, signal }: TrustingObject<T>,
  ): Promise<void> {
    const options = { fieldManager: this.#webhooks.name, force: true, ...(signal && { signal }) };
    for (let attempt = 1; ; attempt++) {
      const found = (await api.find(name, options)) ?? (await this.#create(api, name, options));
      const trusted = mergeCas(ca, bundlesFor(address, configsOf(found)), this.#clock.now());
      const applied = pick(webhookConfigurations(this.#webhooks, { address, ca: trusted }));
      const { resourceVersion } = found.metadata;
      try {
        const metadata = { ...applied.metadata, resourceVersion };
        await api.apply({ ...(applied as object), metadata } as Applied<T>, options);
        return;
      } catch (caught) {
        if (!isConflict(caught) || attempt === ATTEMPTS) throw caught;
      }
    }
  }

  /**
   * Creates the configuration without webhooks. The apply has another field manager and no fields: it leaves the
   * webhooks alone that another replica applies at the same time.
   */
  #create<T>(api: Api<T>, name: string, options: ApplyOptions): Promise<Stored<T>> {
    return api.apply({ metadata: { name } } as Applied<T>, { ...options, fieldManager: `${name}-create` });
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
