/**
 * The strategy of custom resources: the strategy of resources with a schema, and the rules of terminating definitions
 * and of `scale`.
 */
import { nameOf } from '../../apimachinery/meta/meta.ts';
import { type Status, StatusError } from '../../apimachinery/status/status.ts';
import { forbidden } from '../../apimachinery/status/status-catalogue.ts';
import { addIssues, type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { integerAt, textAtPath } from '../../server/resource/scale-paths.ts';
import {
  newObjectIssues,
  type SchemaRules,
  schemaStatusStrategy,
  schemaStrategy,
} from '../../server/resource/schema/schema-strategy.ts';
import type { Strategy, StrategyContext } from '../../server/resource/strategy.ts';
import type { CrdScale } from '../crd.ts';
import { CustomVersion } from './custom-version.ts';

const MAX_INT32 = 2147483647;

export interface CustomRules {
  readonly plural: string;
  readonly namespaced: boolean;
  /** Reports whether the definition is being deleted: creates are then refused. */
  isTerminating(): boolean;
  /** See Strategy. Absent for a definition without field rules. */
  readonly validateStored?: NonNullable<Strategy['validateStored']>;
}

/** The strategy of the main resource. */
export function customStrategy(rules: CustomRules): Strategy {
  return withValidateStored(schemaStrategy(schemaRules(rules)), rules);
}

/** The strategy of `/status`. */
export function customStatusStrategy(rules: CustomRules): Strategy {
  return withValidateStored(schemaStatusStrategy(schemaRules(rules)), rules);
}

function withValidateStored(strategy: Strategy, { validateStored }: CustomRules): Strategy {
  return validateStored === undefined ? strategy : { ...strategy, validateStored };
}

/**
 * Returns what a create would report about an object of this version. The object must have been normalized and
 * defaulted, without a status if clients cannot set it.
 */
export function newCustomObjectIssues(version: CustomVersion, object: JsonObject, namespaced: boolean): FieldIssue[] {
  const issues = newObjectIssues(version, object, { namespaced });
  addIssues(issues, scaleIssues(version.declared.scale, object));
  return issues;
}

function schemaRules(rules: CustomRules): SchemaRules {
  return {
    namespaced: rules.namespaced,
    admitCreate: (object, context) => {
      if (rules.isTerminating()) throw new StatusError(terminating(rules, context, object));
    },
    validateMore: (object, _old, context) => scaleIssues(scaleOf(context), object),
    validateMoreStatus: (object, _old, context) => {
      const scale = scaleOf(context);
      return scale === undefined ? [] : scaleStatusIssues(scale, object);
    },
  };
}

function scaleOf({ version }: StrategyContext): CrdScale | undefined {
  return version instanceof CustomVersion ? version.declared.scale : undefined;
}

function terminating({ plural }: CustomRules, { version }: StrategyContext, object: JsonObject): Status {
  const because = 'create not allowed while custom resource definition is terminating';
  return forbidden({ group: version.group, resource: plural }, nameOf(object), because);
}

function scaleIssues(scale: CrdScale | undefined, object: JsonObject): FieldIssue[] {
  return scale === undefined ? [] : [...scaleSpecIssues(scale, object), ...scaleStatusIssues(scale, object)];
}

function scaleSpecIssues({ specReplicasPath }: CrdScale, object: JsonObject): FieldIssue[] {
  return replicasIssues(object, specReplicasPath);
}

function scaleStatusIssues(
  { statusReplicasPath, labelSelectorPath: path }: CrdScale,
  object: JsonObject,
): FieldIssue[] {
  const issues = replicasIssues(object, statusReplicasPath);
  const selector = path === '' ? undefined : textAtPath(object, path);
  if (selector?.ok === false) issues.push(invalid(FieldPath.of(path), '', selector.message));
  return issues;
}

function replicasIssues(object: JsonObject, path: string): FieldIssue[] {
  const replicas = integerAt(object, path);
  const at = FieldPath.of(path);
  if (!replicas.ok) return [invalid(at, 0, replicas.message)];
  if (replicas.value < 0) return [invalid(at, replicas.value, 'should be a non-negative integer')];
  if (replicas.value > MAX_INT32) return [invalid(at, replicas.value, `should be less than or equal to ${MAX_INT32}`)];
  return [];
}
