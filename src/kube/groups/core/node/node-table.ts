/** The columns of Nodes. */
import { flagAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { compareUtf8 } from '../../../../base/utf8.ts';
import { AGE, column, NAME, tableOf } from '../../../../server/resource/columns.ts';
import type { TableDefinition } from '../../../../server/resource/version-definition.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';
const WIDE = { priority: 1 } as const;

export const nodeTable: () => TableDefinition = tableOf(
  NAME,
  column('Status', 'Whether it is ready, and whether pods may be assigned to it.', statusText),
  column('Roles', 'What its labels say it is for.', (object) => rolesOf(object).join(',') || '<none>'),
  AGE,
  column('Version', 'The version of its kubelet.', (object) => infoOf(object, 'kubeletVersion')),
  column('Internal-IP', 'Its address in the cluster.', (object) => addressOf(object, 'InternalIP'), WIDE),
  column('External-IP', 'Its address outside the cluster.', (object) => addressOf(object, 'ExternalIP'), WIDE),
  column('OS-Image', 'Its operating system.', (object) => infoOf(object, 'osImage') || '<unknown>', WIDE),
  column('Kernel-Version', 'Its kernel and architecture.', kernelText, WIDE),
  column(
    'Container-Runtime',
    'What runs its containers.',
    (object) => infoOf(object, 'containerRuntimeVersion') || '<unknown>',
    WIDE,
  ),
);

function statusText(object: JsonObject): string {
  const ready = objectsAt(object, 'status', 'conditions').findLast((one) => textAt(one, 'type') === 'Ready');
  const known = textAt(ready ?? {}, 'status') === 'True' ? 'Ready' : 'NotReady';
  const status = ready === undefined ? 'Unknown' : known;
  return flagAt(object, 'spec', 'unschedulable') ? `${status},SchedulingDisabled` : status;
}

function rolesOf(object: JsonObject): readonly string[] {
  const roles = new Set<string>();
  const labels = objectAt(object, 'metadata', 'labels') ?? {};
  for (const name of Object.keys(labels)) {
    if (name.startsWith(ROLE_PREFIX)) roles.add(name.slice(ROLE_PREFIX.length));
    else if (name === ROLE_LABEL) roles.add(textAt(labels, name));
  }
  roles.delete('');
  return [...roles].sort(compareUtf8);
}

function kernelText(object: JsonObject): string {
  const architecture = infoOf(object, 'architecture');
  return (infoOf(object, 'kernelVersion') || '<unknown>') + (architecture === '' ? '' : ` (${architecture})`);
}

function infoOf(object: JsonObject, name: string): string {
  return textAt(object, 'status', 'nodeInfo', name);
}

function addressOf(object: JsonObject, type: string): string {
  const found = objectsAt(object, 'status', 'addresses').find((address) => textAt(address, 'type') === type);
  return found === undefined ? '<none>' : textAt(found, 'address');
}
