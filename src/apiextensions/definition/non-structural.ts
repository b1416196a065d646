/**
 * The condition NonStructuralSchema. Only definitions that were written in v1beta1 can have schemas that are not
 * structural. The texts are kube-apiserver's.
 */
import { type FieldIssue, formatIssues, invalid } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { Crd } from '../crd.ts';
import type { WantedCondition } from './crd-conditions.ts';
import type { SchemaChecks } from './validation/schema-checks.ts';

const SPEC = FieldPath.of('spec');

/** Returns the condition that the definition should have, or undefined if all schemas are structural. */
export function nonStructuralCondition(
  crd: Pick<Crd, 'preserveUnknownFields' | 'versions'>,
  checks: Pick<SchemaChecks, 'parse' | 'validateStructural'>,
): WantedCondition | undefined {
  const issues: FieldIssue[] = [];
  if (crd.preserveUnknownFields) issues.push(invalid(SPEC.child('preserveUnknownFields'), true, 'must be false'));
  for (const [i, { name, schema }] of crd.versions.entries()) {
    if (schema === undefined) continue;
    const parsed = checks.parse(schema);
    if (!parsed.ok) {
      const message = `failed to check validation schema for version ${name}: ${parsed.message}`;
      return { type: 'NonStructuralSchema', status: 'Unknown', reason: 'StructuralError', message };
    }
    const path = SPEC.child('versions').index(i).child('schema', 'openAPIV3Schema');
    issues.push(...checks.validateStructural(parsed.schema, path));
  }
  if (issues.length === 0) return undefined;
  return { type: 'NonStructuralSchema', status: 'True', reason: 'Violations', message: formatIssues(issues) };
}
