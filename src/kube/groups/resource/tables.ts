/** Columns of resource.k8s.io. */
import { fieldAt, listAt, numberAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, sinceText, tableOf } from '../../../server/resource/columns.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';

export const namedTable: () => TableDefinition = tableOf(NAME, AGE);

export const claimTable: () => TableDefinition = tableOf(
  NAME,
  column('State', 'Pending, allocated, reserved, deleted.', claimState),
  AGE,
);

function claimState(claim: JsonObject): string {
  const deleted = textAt(claim, 'metadata', 'deletionTimestamp') !== '';
  const states = deleted ? ['deleted'] : [];
  if (objectAt(claim, 'status', 'allocation') !== undefined) {
    states.push('allocated');
    if (listAt(claim, 'status', 'reservedFor').length > 0) states.push('reserved');
  } else if (!deleted) states.push('pending');
  return states.join(',');
}

export const sliceTable: () => TableDefinition = tableOf(
  NAME,
  column('Node', 'The node that the devices belong to.', (object) => textAt(object, 'spec', 'nodeName')),
  column('Driver', 'The driver of the devices.', (object) => textAt(object, 'spec', 'driver')),
  column('Pool', 'The pool of the devices.', (object) => textAt(object, 'spec', 'pool', 'name')),
  AGE,
);

export const taintRuleTable: () => TableDefinition = tableOf(
  NAME,
  column('Key', 'The key of the taint.', (object) => textAt(object, 'spec', 'taint', 'key')),
  column('Value', 'The value of the taint.', (object) => textAt(object, 'spec', 'taint', 'value')),
  column('Effect', 'What the taint does.', (object) => textAt(object, 'spec', 'taint', 'effect')),
  column('TimeAdded', 'How long ago the taint was added.', (object, now) => {
    const added = textAt(object, 'spec', 'taint', 'timeAdded');
    return added === '' ? '' : sinceText(added, now);
  }),
  AGE,
);

const count = (name: string, field: string): ReturnType<typeof column> =>
  column(name, 'Devices of all pools.', (object) => sumText(object, (pool) => Number(numberAt(pool, field))));

export const poolStatusRequestTable: () => TableDefinition = tableOf(
  NAME,
  column('Driver', 'The driver whose pools are asked about.', (object) => textAt(object, 'spec', 'driver')),
  count('Total', 'totalDevices'),
  count('Available', 'availableDevices'),
  count('Allocated', 'allocatedDevices'),
  count('Unavailable', 'unavailableDevices'),
  column('Errors', 'Pools that are not valid.', (object) =>
    sumText(object, (pool) => (fieldAt(pool, 'validationError') === undefined ? 0 : 1)),
  ),
  column('Pools', 'How many pools match.', (object) => numberAt(object, 'status', 'poolCount'), { type: 'integer' }),
  column('Status', 'How far the answer is.', poolRequestState),
  column('Completed', 'How long ago it was answered.', (object, now) => {
    const ended = endOf(object);
    return ended?.type === 'Complete' ? sinceText(ended.time, now) : '<none>';
  }),
);

/** The first condition that ends the request. */
function endOf(request: JsonObject): { readonly type: string; readonly time: string } | undefined {
  for (const condition of objectsAt(request, 'status', 'conditions')) {
    const type = textAt(condition, 'type');
    if ((type === 'Complete' || type === 'Failed') && textAt(condition, 'status') === 'True')
      return { type, time: textAt(condition, 'lastTransitionTime') };
  }
  return undefined;
}

function sumText(request: JsonObject, value: (pool: JsonObject) => number): string {
  if (objectAt(request, 'status') === undefined || endOf(request)?.type === 'Failed') return '-';
  return String(objectsAt(request, 'status', 'pools').reduce((sum, pool) => sum + value(pool), 0));
}

function poolRequestState(request: JsonObject): string {
  const type = endOf(request)?.type ?? 'Pending';
  const [shown, all] = [objectsAt(request, 'status', 'pools').length, Number(numberAt(request, 'status', 'poolCount'))];
  return type === 'Complete' && all > shown ? `Complete (${shown}/${all} pools)` : type;
}
