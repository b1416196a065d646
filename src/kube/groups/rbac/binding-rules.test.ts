import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { bindingTable, setBindingDefaults } from './binding-rules.ts';
import { roleTable } from './role.ts';

describe('a role binding', () => {
  test('gets absent apiGroups, in the field order of the type', () => {
    const binding: JsonObject = {
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', name: 's' },
      ],
      roleRef: { kind: 'Role', name: 'r' },
    };
    setBindingDefaults(binding);
    expect(JSON.stringify(binding)).toBe(
      '{"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"u"},{"kind":"ServiceAccount","name":"s"}],"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"}}',
    );
  });

  test('shows its role and, in wide tables, its subjects', () => {
    const subjects = [
      { kind: 'User', name: 'a' },
      { kind: 'User', name: 'b' },
      { kind: 'Group', name: 'g' },
      { kind: 'ServiceAccount', name: 's', namespace: 'n' },
    ];
    const binding = { metadata: { name: 'x' }, subjects, roleRef: { kind: 'Role', name: 'r' } };
    expect(bindingTable().cells(binding, 0)).toEqual(['x', 'Role/r', '<unknown>', 'a, b', 'g', 'n/s']);
    expect(bindingTable().columns.map((column) => column.priority)).toEqual([0, 0, 0, 1, 1, 1]);
  });
});

test('a role shows its time of creation in the table', () => {
  const creationTimestamp = '2030-01-01T00:00:00Z';
  expect(roleTable().cells({ metadata: { name: 'x', creationTimestamp } }, 0)).toEqual(['x', creationTimestamp]);
  expect(roleTable().columns[1]).toMatchObject({ name: 'Created At', type: 'date' });
});
