/**
 * The plugins NamespaceExists and NamespaceAutoProvision. The first refuses objects in missing namespaces, the second
 * creates a missing namespace, except on dry run. Both are disabled by default.
 */

import { refusal } from '../../admission/refusal.ts';
import { isAlreadyExists, StatusError, statusOf } from '../../apimachinery/status/status.ts';
import { notFound } from '../../apimachinery/status/status-catalogue.ts';
import { andThen } from '../../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import type { Lister } from '../../server/own/lister.ts';

export function namespaceExists(namespaces: Lister): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    handles: (operation) => operation !== 'CONNECT',
    validate: (attributes) => {
      if (!isInNamespace(attributes)) return undefined;
      return andThen(namespaces.fresh(), () => {
        if (namespaces.get('', attributes.namespace) === undefined)
          throw new StatusError(notFound({ group: '', resource: 'namespaces' }, attributes.namespace));
      });
    },
  };
}

/** `create` creates a namespace. It rejects with a StatusError if it cannot. */
export function namespaceAutoProvision(namespaces: Lister, create: (name: string) => Promise<void>): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    handles: (operation) => operation === 'CREATE',
    admit: (attributes) => {
      if (attributes.dryRun || !isInNamespace(attributes)) return undefined;
      return andThen(namespaces.fresh(), () => {
        if (namespaces.get('', attributes.namespace) !== undefined) return undefined;
        return create(attributes.namespace).catch((error: unknown) => {
          if (isAlreadyExists(error)) return;
          const status = statusOf(error);
          if (status === undefined) throw error;
          throw refusal(attributes, status.message ?? '');
        });
      });
    },
  };
}

function isInNamespace({ namespace, kind }: AdmissionAttributes): boolean {
  return namespace !== '' && !(kind.group === '' && kind.kind === 'Namespace');
}
