/** The kind IPAddress: an allocated address. Its name is the address in canonical form. Its parent is immutable. */
import { objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkDns1123Subdomain, checkPathSegmentName } from '../../../apimachinery/validation/name-syntax.ts';
import { validateImmutableField } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { validateIp } from '../../shared/ip.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';

const METADATA = FieldPath.of('metadata');
const PARENT = FieldPath.of('spec', 'parentRef');
const PARENT_FIELDS = ['group', 'resource', 'namespace', 'name'] as const;

const IP_ADDRESS_COLUMNS = tableOf(NAME, column('ParentRef', 'What the address belongs to.', parentText));

const VERSION = { group: 'networking.k8s.io', kind: 'IPAddress', table: ipAddressTable } as const;

export const IP_ADDRESS: KubeResource = {
  definition: storedResource({
    plural: 'ipaddresses',
    shortNames: ['ip'],
    scope: 'Cluster',
    versions: [builtInVersion({ ...VERSION, version: 'v1' }), builtInVersion({ ...VERSION, version: 'v1beta1' })],
    strategy: strategyWithDefaults({
      nameRule: nameIsIp,
      validate: validateIpAddress,
      validatesMetadata: true,
      validateUpdate: validateIpAddressUpdate,
    }),
  }),
};

/** kube-apiserver writes a third cell, the age, without a column for it. */
function ipAddressTable(): TableDefinition {
  const { columns, cells } = IP_ADDRESS_COLUMNS();
  return { columns, cells: (object, now) => [...cells(object, now), AGE.cell(object, now)] };
}

function parentText(object: JsonObject): string {
  const parent = objectAt(object, 'spec', 'parentRef');
  if (parent === undefined) return '<none>';
  const [group, resource, namespace] = ['group', 'resource', 'namespace'].map((name) => textAt(parent, name));
  const groupResource = (group === '' ? `${resource}` : `${resource}.${group}`).toLowerCase();
  return `${groupResource}${namespace === '' ? '' : `/${namespace}`}/${textAt(parent, 'name')}`;
}

/** The name rule. A generated name is never an address, so generateName is always invalid. */
function nameIsIp(name: string): readonly string[] {
  return validateIp(name, METADATA).map(({ detail }) => detail);
}

function validateIpAddress(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsIp }, METADATA);
  const parent = objectAt(object, 'spec', 'parentRef');
  return parent === undefined ? [...issues, required(PARENT, '')] : [...issues, ...validateParent(parent)];
}

function validateIpAddressUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  // The parent as kube-apiserver's internal Go type prints it.
  const parentOf = (one: JsonObject) => {
    const parent = objectAt(one, 'spec', 'parentRef');
    if (parent === undefined) return null;
    const [Group, Resource, Namespace, Name] = PARENT_FIELDS.map((field) => textAt(parent, field));
    return { Group, Resource, Namespace, Name } as JsonObject;
  };
  return [
    ...validateIpAddress(object),
    ...validateMetaUpdate(object, old),
    ...validateImmutableField(parentOf(object), parentOf(old), PARENT).map(declared),
  ];
}

function validateParent(parent: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const check = (field: string, rule: (text: string) => readonly string[], isRequired: boolean): void => {
    const value = textAt(parent, field);
    if (value !== '')
      addIssues(
        issues,
        rule(value).map((complaint) => invalid(PARENT.child(field), value, complaint)),
      );
    else if (isRequired) issues.push(required(PARENT.child(field), ''));
  };
  check('group', checkDns1123Subdomain, false);
  check('resource', checkPathSegmentName, true);
  check('name', checkPathSegmentName, true);
  check('namespace', checkPathSegmentName, false);
  return issues;
}
