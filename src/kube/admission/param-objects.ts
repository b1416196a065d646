/** The parameters of admission policies: objects of any kind that this server serves, read as clients read them. */
import type { ParamKinds, ParamObjects } from '../../admission/policies/params.ts';
import type { Transport } from '../../apimachinery/http/transport.ts';
import { formatGroupVersion, type GroupVersionKind } from '../../apimachinery/meta/gvk.ts';
import { formatLabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import {
  type LabelSelectorObject,
  labelSelectorFromObject,
} from '../../apimachinery/selectors/label-selector-object.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { internalError } from '../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Api } from '../../client/api.ts';
import { createClient } from '../../client/create-client.ts';
import type { UntypedObject } from '../../client/object-types.ts';
import { untypedKind } from '../../client/untyped-kind.ts';
import type { KubeContext } from '../kube-context.ts';

/** `transport` sends requests to the whole chain of servers, as the server's own user. */
export function paramKinds(kube: Pick<KubeContext, 'pluralOf' | 'isNamespaced'>, transport: Transport): ParamKinds {
  const client = createClient(transport);
  return (kind) => {
    const plural = kube.pluralOf(kind);
    if (plural === undefined) return undefined;
    const namespaced = kube.isNamespaced(kind);
    return paramObjects(kind, namespaced, (namespace) =>
      namespaced
        ? client.api(untypedKind({ ...kind, plural, scope: 'Namespaced' }), namespace)
        : client.api(untypedKind({ ...kind, plural, scope: 'Cluster' })),
    );
  };
}

function paramObjects(
  kind: GroupVersionKind,
  namespaced: boolean,
  apiOf: (namespace: string) => Api<UntypedObject>,
): ParamObjects {
  return {
    namespaced,
    get: async (namespace, name) => (await apiOf(namespace).find(name)) as JsonObject | undefined,
    list: async (namespace, selector) => {
      const converted = labelSelectorFromObject(selector as LabelSelectorObject);
      if (!converted.ok) throw new StatusError(internalError(converted.message));
      const labelSelector = formatLabelSelector(converted.selector);
      const objects = await apiOf(namespace).list({ labelSelector }).toArray();
      // Items of lists of built-in kinds have no type.
      const type = { apiVersion: formatGroupVersion(kind), kind: kind.kind };
      return objects.map((object) => ({ ...type, ...(object as unknown as JsonObject) }));
    },
  };
}
