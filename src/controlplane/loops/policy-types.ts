/**
 * The types against which ValidatingAdmissionPolicies are checked, from discovery and OpenAPI v3 of the whole chain of
 * servers. They are read once per check and not cached, because policies change rarely.
 */
import { checkPolicyTypes, type KindTypes } from '../../admission/policies/type-check/check-policy-types.ts';
import { type FoundType, typeOfKind } from '../../admission/policies/type-check/openapi-types.ts';
import type { Transport } from '../../apimachinery/http/transport.ts';
import { formatGroupVersion, type GroupVersionKind } from '../../apimachinery/meta/gvk.ts';
import { isNotFound } from '../../apimachinery/status/status.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { type DiscoverySnapshot, resourcesOf } from '../../client/discovered.ts';
import { createDiscovery } from '../../client/discovery.ts';
import { sendForObject } from '../../client/response.ts';
import type { PolicyTypes } from '../../loops/policy-types.ts';

/** `transport` must be allowed to read discovery and OpenAPI. */
export function createPolicyTypes(transport: Transport): PolicyTypes {
  const discovery = createDiscovery(transport);
  return {
    check: async (policy) =>
      checkPolicyTypes(policy as unknown as JsonObject, new PublishedTypes(await discovery.refresh(), transport)),
  };
}

class PublishedTypes implements KindTypes {
  readonly #snapshot: DiscoverySnapshot;
  readonly #transport: Transport;
  readonly #documents = new Map<string, Promise<JsonObject | undefined>>();

  constructor(snapshot: DiscoverySnapshot, transport: Transport) {
    this.#snapshot = snapshot;
    this.#transport = transport;
  }

  kindsOf(group: string, version: string, resource: string): readonly GroupVersionKind[] {
    return resourcesOf(this.#snapshot)
      .filter((one) => (group === '' || one.group === group) && one.version === version)
      .filter((one) => one.plural === resource || one.singular === resource)
      .map((one) => ({ group: one.group, version: one.version, kind: one.kind }));
  }

  async typeOf(kind: GroupVersionKind): Promise<FoundType | undefined> {
    const document = await this.#document(
      kind.group === '' ? `api/${kind.version}` : `apis/${formatGroupVersion(kind)}`,
    );
    return document && typeOfKind(document, kind);
  }

  #document(path: string): Promise<JsonObject | undefined> {
    let document = this.#documents.get(path);
    if (document === undefined) {
      document = this.#read(path);
      this.#documents.set(path, document);
    }
    return document;
  }

  async #read(path: string): Promise<JsonObject | undefined> {
    try {
      const headers = { accept: 'application/json' };
      return await sendForObject(this.#transport, { method: 'GET', target: `/openapi/v3/${path}`, headers });
    } catch (caught) {
      if (isNotFound(caught)) return undefined;
      throw caught;
    }
  }
}
