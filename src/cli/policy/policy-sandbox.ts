/**
 * A server in memory that judges objects by webhooks and policies without calling or enforcing them. Invariant: objects
 * pass the decoding, defaulting, conversion and validation of the server, and matching and evaluation are the code of
 * its plugins, so that the results are those of a server with the same configurations.
 */
import { nameOf, namespaceOf } from '../../apimachinery/meta/meta.ts';
import { objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { isAlreadyExists, isStatusError, type StatusError } from '../../apimachinery/status/status.ts';
import { cloneJson, type JsonObject } from '../../base/json-value.ts';
import type { Api, Client } from '../../client/api.ts';
import { createClient } from '../../client/create-client.ts';
import type { DiscoveredResource } from '../../client/discovered.ts';
import { createDiscovery, type Discovery } from '../../client/discovery.ts';
import type { UntypedObject } from '../../client/object-types.ts';
import type { ControlPlane } from '../../controlplane/control-plane.ts';
import { startOnNode } from '../../controlplane/node/start-on-node.ts';
import { type Explanation, PolicyReporter } from './policy-reporter.ts';

export type SandboxOperation = 'CREATE' | 'UPDATE' | 'DELETE';

/** The result for one object. `refused`: the server refuses the object before policies see it. */
export type Judgement = { readonly explanation: Explanation } | { readonly refused: StatusError };

/** Plugins that call or enforce configurations, and those that need objects which only a cluster has. */
const DISABLED = [
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'LimitRanger',
  'PodSecurity',
  'Priority',
  'ResourceQuota',
  'RuntimeClass',
  'ServiceAccount',
];
const DEFAULT_NAMESPACE = 'default';
/** Fields of metadata that servers set. */
const SERVER_FIELDS = ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields', 'selfLink'];

export class PolicySandbox {
  readonly #plane: ControlPlane;
  readonly #client: Client;
  readonly #discovery: Discovery;
  readonly #reporter: PolicyReporter;

  private constructor(plane: ControlPlane, reporter: PolicyReporter) {
    this.#plane = plane;
    this.#reporter = reporter;
    this.#client = createClient(plane.transport);
    this.#discovery = createDiscovery(this.#client);
  }

  static async start(): Promise<PolicySandbox> {
    const reporter = new PolicyReporter();
    const plane = await startOnNode({
      storage: 'memory',
      controllers: [],
      disableAdmission: DISABLED,
      admissionPlugins: [reporter.plugin],
    });
    const sandbox = new PolicySandbox(plane, reporter);
    reporter.connect(sandbox.#client);
    return sandbox;
  }

  async stop(): Promise<void> {
    await this.#plane.stop();
  }

  /**
   * Creates a configuration, a parameter, a definition or a namespace. Returns the error of the server if it refuses
   * the object.
   */
  async add(object: JsonObject): Promise<StatusError | undefined> {
    return refusalOf(async () => {
      const api = await this.#apiOf(object);
      let stored: JsonObject;
      try {
        stored = (await api.create(withoutServerFields(object))) as unknown as JsonObject;
      } catch (caught) {
        // The server has its own namespaces, such as default, and roles.
        if (!isAlreadyExists(caught)) throw caught;
        stored = (await api.update(withoutServerFields(object))) as unknown as JsonObject;
      }
      await this.#reporter.add(stored, this.#discovery);
    });
  }

  /** Judges a write of the object. An object that is stored for an update or a deletion is removed again. */
  async judge(object: JsonObject, operation: SandboxOperation): Promise<Judgement> {
    let explanation: Explanation | undefined;
    const refused = await refusalOf(async () => {
      const given = withoutServerFields(object);
      await this.#addNamespace(given);
      const api = await this.#apiOf(given);
      if (operation === 'CREATE') explanation = await this.#reporter.record(() => api.create(given, { dryRun: true }));
      else explanation = await this.#judgeStored(api, given, operation);
    });
    if (explanation !== undefined) return { explanation };
    return { refused: refused as StatusError };
  }

  async #judgeStored(api: Api<UntypedObject>, given: JsonObject, operation: 'UPDATE' | 'DELETE'): Promise<Explanation> {
    const stored = await api.create(given);
    const name = nameOf(stored as unknown as JsonObject);
    try {
      return await this.#reporter.record(async () => {
        if (operation === 'DELETE') await api.delete(name, { dryRun: true });
        else await api.update(stored as never, { dryRun: true });
      });
    } finally {
      await api.delete(name, { gracePeriodSeconds: 0 });
    }
  }

  async #apiOf(object: JsonObject): Promise<Api<UntypedObject>> {
    const resource: DiscoveredResource = await this.#discovery.kindOf(
      textAt(object, 'apiVersion'),
      textAt(object, 'kind'),
    );
    const namespace = resource.scope === 'Namespaced' ? namespaceOf(object) || DEFAULT_NAMESPACE : undefined;
    return this.#client.api(resource, namespace);
  }

  /** Creates the namespace of an object, because examples may come without it. An existing namespace is kept. */
  async #addNamespace(object: JsonObject): Promise<void> {
    const name = namespaceOf(object);
    if (name === '') return;
    const namespaces = await this.#apiOf({ apiVersion: 'v1', kind: 'Namespace' });
    await refusalOf(() => namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } } as never));
  }
}

async function refusalOf(work: () => Promise<unknown>): Promise<StatusError | undefined> {
  try {
    await work();
    return undefined;
  } catch (caught) {
    if (isStatusError(caught)) return caught;
    throw caught;
  }
}

function withoutServerFields(object: JsonObject): JsonObject & UntypedObject {
  const copy = cloneJson(object);
  const metadata = objectAt(copy, 'metadata') as Record<string, unknown> | undefined;
  for (const field of SERVER_FIELDS) delete metadata?.[field];
  return copy as JsonObject & UntypedObject;
}
