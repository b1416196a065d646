/** The strategy that FlowSchema and PriorityLevelConfiguration share. */

import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, required } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { RESETS_SPEC_AND_METADATA } from '../../../server/resource/reset-fields.ts';
import type { SubresourceDefinition } from '../../../server/resource/resource-definition.ts';
import { strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { clearStatus, ensureMeta, keepStatus, takeField } from '../../../server/resource/strategy-fields.ts';
import { statusSubresource } from '../../shared/built-in.ts';

/** An update is validated like a new object. */
export function flowStrategy(validate: NonNullable<Strategy['validate']>): Strategy {
  return strategyWithDefaults({
    countsGeneration: true,
    prepareForCreate: clearStatus,
    validate,
    validatesMetadata: true,
    prepareForUpdate: keepStatus,
    validateUpdate: (object, _old, context) => validate(object, context),
  });
}

export function flowStatusSubresource(strategy: Strategy): SubresourceDefinition {
  return statusSubresource(strategy, {
    prepareForUpdate: prepareFlowStatusForUpdate,
    validateUpdate: validateFlowConditions,
    resetFields: RESETS_SPEC_AND_METADATA,
  });
}

/** Keeps the spec and all metadata but managedFields. */
function prepareFlowStatusForUpdate(object: JsonObject, old: JsonObject): void {
  takeField(object, old, 'spec');
  const { managedFields } = ensureMeta(object);
  const meta = { ...objectAt(old, 'metadata') };
  delete meta['managedFields'];
  object['metadata'] = managedFields === undefined ? meta : { ...meta, managedFields };
}

/** Every condition must have a type, and types must be unique. */
export function validateFlowConditions(object: JsonObject): FieldIssue[] {
  const seen = new Set<string>();
  return objectsAt(object, 'status', 'conditions').flatMap((condition, i) => {
    const type = textAt(condition, 'type');
    const path = FieldPath.of('status', 'conditions').index(i).child('type');
    const issues: FieldIssue[] = seen.has(type)
      ? [{ reason: 'FieldValueDuplicate', path, value: type, detail: '' }]
      : [];
    seen.add(type);
    if (type === '') issues.push(required(path, ''));
    return issues;
  });
}
