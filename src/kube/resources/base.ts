/** The kinds that every server needs: namespaces, configuration, accounts, events, leases. Invariant: how they work is in `rules/`. */
import type { ResourceDefinition } from '../../server/resource/resource-definition.ts';
import {
  leaseTable,
  prepareLeaseForCreate,
  prepareLeaseForUpdate,
  validateLease,
  validateLeaseUpdate,
} from '../groups/coordination/lease.ts';
import type { KubeResource } from '../kube-context.ts';
import { builtInStrategy, builtInVersion, storedResource } from '../shared/built-in.ts';

export function baseResources(): readonly KubeResource[] {
  return [{ definition: LEASES }];
}

const LEASES: ResourceDefinition = storedResource({
  plural: 'leases',
  scope: 'Namespaced',
  versions: [builtInVersion({ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', table: leaseTable })],
  strategy: builtInStrategy({
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: true,
    prepareForCreate: prepareLeaseForCreate,
    validate: validateLease,
    prepareForUpdate: prepareLeaseForUpdate,
    validateUpdate: validateLeaseUpdate,
  }),
});
