/**
 * Validation of the CEL expressions that select devices. The estimated cost of an expression must be within a limit;
 * the estimate uses the size limits of a device's attributes and capacities.
 */
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  type FieldIssue,
  forbidden,
  internalError,
  invalid,
  required,
  tooLong,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { isLongerThan } from '../../../apimachinery/validation/text-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { formatDeclaredType } from '../../../cel/check/format-type.ts';
import { estimateCost } from '../../../cel/cost/estimate.ts';
import { createEnvironment } from '../../../cel/create-environment.ts';
import type { Environment, SizeHints } from '../../../cel/environment.ts';
import { formatIssues } from '../../../cel/issues.ts';
import { AUTHORIZER_LIBRARY } from '../../../cel/libraries/authorizer.ts';
import { BINDINGS_LIBRARY } from '../../../cel/libraries/bindings.ts';
import { KUBERNETES_LIBRARIES } from '../../../cel/libraries/kubernetes.ts';
import { QUANTITY } from '../../../cel/libraries/quantity.ts';
import { BOOL, type CelType, mapOf, type ObjectType, STRING } from '../../../cel/types.ts';
import { CelError } from '../../../cel/values.ts';
import { validateList } from './validate-list.ts';

const MAX_SELECTORS = 32;
const MAX_EXPRESSION_BYTES = 10 * 1024;
const MAX_COST = 1_000_000;

const MAX_DOMAIN = 63;
const MAX_ID = 32;
const MAX_DRIVER = 63;
const MAX_VALUE = 64;
const MAX_ENTRIES = 32;

/**
 * The type of an attribute: `dyn`, as a distinct object so that an expression of this type can be told from other
 * `dyn`.
 */
const ATTRIBUTE: CelType = { kind: 'basic', name: 'dyn' };

const FIELDS: Readonly<Record<string, CelType>> = {
  driver: STRING,
  allowMultipleAllocations: BOOL,
  attributes: mapOf(STRING, mapOf(STRING, ATTRIBUTE)),
  capacity: mapOf(STRING, mapOf(STRING, QUANTITY)),
};

const DEVICE: ObjectType = {
  kind: 'object',
  name: 'kubernetes.DRADevice',
  field: (name) => (Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined),
  fieldNames: () => Object.keys(FIELDS),
};

let environment: Environment | undefined;

function deviceEnvironment(): Environment {
  environment ??= createEnvironment({
    libraries: [...KUBERNETES_LIBRARIES, AUTHORIZER_LIBRARY, BINDINGS_LIBRARY],
    variables: [{ name: 'device', type: DEVICE }],
    types: [DEVICE],
  });
  return environment;
}

/** The maximum sizes of the maps of a device, of their keys and of attributes. */
const HINTS: SizeHints = {
  size: ([root, field, ...steps]) => {
    if (root !== 'device' || field === undefined) return root === 'device' ? { min: 0, max: 0 } : undefined;
    if (field === 'driver') return steps.length === 0 ? { min: 0, max: MAX_DRIVER } : undefined;
    if (field === 'allowMultipleAllocations') return steps.length === 0 ? { min: 0, max: 1 } : undefined;
    if (field !== 'attributes' && field !== 'capacity') return undefined;
    const max = mapSize(steps, field === 'attributes');
    return max === undefined ? undefined : { min: 0, max };
  },
};

/** The maximum size at a path below `attributes` or `capacity`. All attributes have the same maximum. */
function mapSize([domain, id, ...rest]: readonly string[], isAttribute: boolean): number | undefined {
  if (domain === undefined) return MAX_ENTRIES;
  if (domain === '@keys') return id === undefined ? MAX_DOMAIN : undefined;
  if (domain !== '@values' && domain !== '@items') return undefined;
  if (id === undefined) return MAX_ENTRIES;
  if (rest.length > 0) return undefined;
  if (id === '@keys') return MAX_ID;
  if (isAttribute) return MAX_VALUE;
  return id === '@values' || id === '@items' ? 0 : undefined;
}

/** Validates the selectors of a device class or of a request. */
export function validateSelectors(owner: JsonObject, path: FieldPath): FieldIssue[] {
  return validateList(objectsAt(owner, 'selectors'), MAX_SELECTORS, path.child('selectors'), (selector, at) => {
    const cel = objectAt(selector, 'cel');
    if (cel === undefined) return [required(at.child('cel'), '')];
    return validateExpression(textAt(cel, 'expression'), at.child('cel', 'expression'));
  });
}

function validateExpression(source: string, path: FieldPath): FieldIssue[] {
  if (isLongerThan(source, MAX_EXPRESSION_BYTES)) return [tooLong(path, undefined, MAX_EXPRESSION_BYTES)];
  const result = deviceEnvironment().check(source);
  if (!result.ok) return [invalid(path, source, `compilation failed: ${formatIssues(source, result.issues)}`)];
  const { checked } = result;
  if (checked.type !== BOOL && checked.type !== ATTRIBUTE)
    return [
      invalid(path, source, `must evaluate to bool or the unknown type, not ${formatDeclaredType(checked.type)}`),
    ];
  try {
    deviceEnvironment().program(checked);
  } catch (thrown) {
    if (!(thrown instanceof CelError)) throw thrown;
    return [internalError(path, `program instantiation failed: ${thrown.message}`)];
  }
  return estimateCost(checked, HINTS).max > MAX_COST ? [forbidden(path, 'too complex, exceeds cost limit')] : [];
}
