/** Defaults and table columns of RoleBindings and ClusterRoleBindings. */
import { listAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { isJsonObject, type JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import { RBAC_GROUP } from '../../rbac/policy.ts';

export const bindingTable: () => TableDefinition = tableOf(
  NAME,
  column(
    'Role',
    'Which role it gives.',
    (binding) => `${textAt(binding, 'roleRef', 'kind')}/${textAt(binding, 'roleRef', 'name')}`,
  ),
  AGE,
  column('Users', 'Users whom it gives the role to.', (binding) => subjectsOf(binding, 'User'), { priority: 1 }),
  column('Groups', 'Groups whom it gives the role to.', (binding) => subjectsOf(binding, 'Group'), { priority: 1 }),
  column(
    'ServiceAccounts',
    'Service accounts whom it gives the role to.',
    (binding) => subjectsOf(binding, 'ServiceAccount'),
    { priority: 1 },
  ),
);

/**
 * Sets an absent apiGroup of the roleRef and of the User and Group subjects, at its place in the field order of the
 * type.
 */
export function setBindingDefaults(binding: JsonObject): void {
  const roleRef = objectAt(binding, 'roleRef') ?? {};
  if (textAt(roleRef, 'apiGroup') === '') binding['roleRef'] = { apiGroup: RBAC_GROUP, ...withoutGroup(roleRef) };
  const subjects = listAt(binding, 'subjects');
  if (!subjects.some((subject) => isJsonObject(subject) && lacksGroup(subject))) return;
  binding['subjects'] = subjects.map((subject) => {
    if (!isJsonObject(subject) || !lacksGroup(subject)) return subject;
    const { kind, ...rest } = withoutGroup(subject);
    return { kind: kind ?? '', apiGroup: RBAC_GROUP, ...rest };
  });
}

function lacksGroup(subject: JsonObject): boolean {
  const kind = textAt(subject, 'kind');
  return (kind === 'User' || kind === 'Group') && textAt(subject, 'apiGroup') === '';
}

/** Returns a copy without apiGroup. */
function withoutGroup(object: JsonObject): JsonObject {
  const { apiGroup: _, ...rest } = object;
  return rest;
}

function subjectsOf(binding: JsonObject, kind: string): string {
  return listAt(binding, 'subjects')
    .filter(isJsonObject)
    .filter((subject) => textAt(subject, 'kind') === kind)
    .map((subject) => {
      const name = textAt(subject, 'name');
      return kind === 'ServiceAccount' ? `${textAt(subject, 'namespace')}/${name}` : name;
    })
    .join(', ');
}
