/** The system priority classes. A start creates those that are missing and does not change the others. */

import type { EnsuredObject } from '../ensurer/ensured-object.ts';
import { SYSTEM_PRIORITY_CLASSES } from '../groups/scheduling/priority-class.ts';

export function priorityClassObjects(): readonly EnsuredObject[] {
  return SYSTEM_PRIORITY_CLASSES.map(({ name, value, description }) => ({
    plural: 'priorityclasses',
    object: { kind: 'PriorityClass', apiVersion: 'scheduling.k8s.io/v1', metadata: { name }, value, description },
    strategy: 'create',
  }));
}
