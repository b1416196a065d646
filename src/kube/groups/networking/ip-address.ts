/** IPAddress: an address that is taken, and what has it. Invariant: pure; its name is the address, in canonical form, and whose it is never changes. */
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
import { validateIp } from '../../shared/ip.ts';
import { metaFacts } from '../../shared/object-fields.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';

const METADATA = FieldPath.of('metadata');
const PARENT = FieldPath.of('spec', 'parentRef');
const PARENT_FIELDS = ['group', 'resource', 'namespace', 'name'] as const;

/** The rule of its name: generated names are none. */
export function nameIsIp(name: string): readonly string[] {
  return validateIp(name, METADATA).map(({ detail }) => detail);
}

export function validateIpAddress(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsIp }, METADATA);
  const parent = objectAt(object, 'spec', 'parentRef');
  return parent === undefined ? [...issues, required(PARENT, '')] : [...issues, ...validateParent(parent)];
}

export function validateIpAddressUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  // The reference prints its own struct.
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
