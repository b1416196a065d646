/** Services and EndpointSlices as the service resolver reads them, for webhooks and extension API servers. */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen } from '../../base/maybe-promise.ts';
import type { ServiceObjects } from '../../server/http/service-resolver.ts';
import { findObject } from '../../server/own/find-object.ts';
import type { Lister, ListerChange } from '../../server/own/lister.ts';
import type { KubeContext } from '../kube-context.ts';

const SERVICE_NAME = 'kubernetes.io/service-name';

export function serviceObjects(kube: KubeContext): ServiceObjects {
  let services: Lister | undefined;
  let lister: Lister | undefined;
  const index = new SliceIndex();
  const slices = (): Lister => {
    if (lister === undefined) {
      lister = kube.lister('endpointslices');
      lister.subscribe((changes) => index.apply(changes));
    }
    return lister;
  };
  return {
    // Listers, as the reference has informers here: a read of the storage per proxied request would cost more than the
    // rest of its way through the proxy.
    service: (namespace, name) => {
      services ??= kube.lister('services');
      return findObject(services, namespace, name);
    },
    endpointSlices: (namespace, name) => andThen(slices().fresh(), () => index.of(namespace, name)),
  };
}

const NO_SLICES: readonly JsonObject[] = [];

/** EndpointSlices by their Service. Every proxied request asks for those of one. */
class SliceIndex {
  /** By namespace and name of the Service, then by name of the slice. */
  readonly #slices = new Map<string, Map<string, JsonObject>>();
  /** The Service of a slice, by namespace and name of the slice. */
  readonly #services = new Map<string, string>();
  /** Lists that were asked for, until one of their slices changes. */
  readonly #lists = new Map<string, readonly JsonObject[]>();

  of(namespace: string, service: string): readonly JsonObject[] {
    const key = `${namespace}/${service}`;
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const slices = this.#slices.get(key);
    if (slices === undefined) return NO_SLICES;
    const list = [...slices.values()];
    this.#lists.set(key, list);
    return list;
  }

  apply(changes: readonly ListerChange[]): void {
    for (const { namespace, name, object } of changes) {
      const key = `${namespace}/${name}`;
      this.#remove(key, name);
      const service = object === undefined ? '' : textAt(object, 'metadata', 'labels', SERVICE_NAME);
      if (object !== undefined && service !== '') this.#add(key, name, `${namespace}/${service}`, object);
    }
  }

  #add(key: string, name: string, service: string, slice: JsonObject): void {
    this.#services.set(key, service);
    this.#lists.delete(service);
    const slices = this.#slices.get(service);
    if (slices === undefined) this.#slices.set(service, new Map([[name, slice]]));
    else slices.set(name, slice);
  }

  #remove(key: string, name: string): void {
    const service = this.#services.get(key);
    if (service === undefined) return;
    this.#services.delete(key);
    this.#lists.delete(service);
    const slices = this.#slices.get(service);
    slices?.delete(name);
    if (slices?.size === 0) this.#slices.delete(service);
  }
}
