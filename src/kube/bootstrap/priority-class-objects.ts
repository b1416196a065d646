/** The priority classes of a fresh server. Invariant: one that was deleted comes back with the next start; one that is there is left alone. */

import type { BootstrapObject } from '../ensurer/ensured-object.ts';
import { SYSTEM_PRIORITY_CLASSES } from '../groups/scheduling/priority-class.ts';

export function priorityClassObjects(): readonly BootstrapObject[] {
  return SYSTEM_PRIORITY_CLASSES.map(({ name, value, description }) => ({
    plural: 'priorityclasses',
    object: { kind: 'PriorityClass', apiVersion: 'scheduling.k8s.io/v1', metadata: { name }, value, description },
    mode: 'create',
  }));
}
