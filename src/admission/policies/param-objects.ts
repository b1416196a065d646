/** The objects of one kind as parameters of admission policies, read through a client. */
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { formatLabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import {
  type LabelSelectorObject,
  labelSelectorFromObject,
} from '../../apimachinery/selectors/label-selector-object.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { internalError } from '../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Api, Client } from '../../client/api.ts';
import type { UntypedObject } from '../../client/object-types.ts';
import { type UntypedKindNames, untypedKind } from '../../client/untyped-kind.ts';
import type { ParamObjects } from './params.ts';

/** Sends a request per read. Reads reject as those of the client do. */
export function paramObjects(client: Client, names: UntypedKindNames<'Namespaced' | 'Cluster'>): ParamObjects {
  const { scope } = names;
  const apiOf = (namespace: string): Api<UntypedObject> =>
    scope === 'Namespaced'
      ? client.api(untypedKind({ ...names, scope }), namespace)
      : client.api(untypedKind({ ...names, scope }));
  return {
    namespaced: scope === 'Namespaced',
    get: async (namespace, name) => (await apiOf(namespace).find(name)) as JsonObject | undefined,
    list: async (namespace, selector) => {
      const converted = labelSelectorFromObject(selector as LabelSelectorObject);
      if (!converted.ok) throw new StatusError(internalError(converted.message));
      const labelSelector = formatLabelSelector(converted.selector);
      const objects = await apiOf(namespace).list({ labelSelector }).toArray();
      // Items of lists of built-in kinds have no type.
      const type = { apiVersion: formatGroupVersion(names), kind: names.kind };
      return objects.map((object) => ({ ...type, ...(object as unknown as JsonObject) }));
    },
  };
}
