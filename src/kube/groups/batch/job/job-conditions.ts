/** Access to the conditions of a Job. */
import { objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../../base/json-value.ts';

/** Reports whether a condition of the type has this status. */
export function jobConditionIs(job: JsonObject, type: string, status: string): boolean {
  return objectsAt(job, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === type && textAt(condition, 'status') === status,
  );
}
