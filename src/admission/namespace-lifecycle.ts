/**
 * The plugin NamespaceLifecycle. It refuses creates in a namespace that is missing or terminating, and the deletion of
 * the namespaces that every server needs. In a control plane the reader is fresh: a namespace counts as soon as its
 * create or delete has been answered. An extension server reads the namespaces of its parent.
 */

import { textAt } from '../apimachinery/meta/object-fields.ts';
import { StatusError } from '../apimachinery/status/status.ts';
import { forbidden, notFound } from '../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../base/json-value.ts';
import { andThen } from '../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../server/admission.ts';
import type { NamespaceReader } from '../server/endpoints/endpoint.ts';
import { subjectName } from './refusal.ts';

export const IMMORTAL_NAMESPACES: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);
const NAMESPACES = { group: '', resource: 'namespaces' };

export function namespaceLifecycle(namespaces: NamespaceReader): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    handles: (operation) => operation !== 'CONNECT',
    admit: (attributes) => {
      if (attributes.kind.group === '' && attributes.kind.kind === 'Namespace') {
        if (attributes.operation === 'DELETE' && IMMORTAL_NAMESPACES.has(attributes.name))
          throw new StatusError(forbidden(NAMESPACES, attributes.name, 'this namespace may not be deleted'));
        return undefined;
      }
      if (attributes.namespace === '' || attributes.operation === 'DELETE' || isAccessReview(attributes))
        return undefined;
      return andThen(namespaces(attributes.namespace), (found) => checkNamespace(found, attributes));
    },
  };
}

function checkNamespace(found: JsonObject | undefined, attributes: AdmissionAttributes): void {
  const { namespace } = attributes;
  if (found === undefined) throw new StatusError(notFound(NAMESPACES, namespace));
  if (attributes.operation !== 'CREATE' || textAt(found, 'status', 'phase') !== 'Terminating') return;
  const { group, resource } = attributes.resource;
  const because = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const status = forbidden({ group, resource }, subjectName(attributes), because);
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  throw new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}

/** Reviews pass, because a refusal would tell whether the namespace exists. */
function isAccessReview({ resource }: AdmissionAttributes): boolean {
  return resource.group === 'authorization.k8s.io' && resource.resource === 'localsubjectaccessreviews';
}
