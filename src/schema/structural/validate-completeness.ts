/**
 * The rule that every field under a logic operator of the root is also specified outside of the operator. Like
 * kube-apiserver, it checks only the operators of the root.
 */
import { type FieldIssue, required } from '../../apimachinery/validation/field-issue.ts';
import { childPath, type FieldPath, formatPath } from '../../apimachinery/validation/field-path.ts';
import type { NestedValidation, StructuralSchema, ValueValidation } from './structural.ts';

type Path = FieldPath | undefined;

/** The two paths of a part: where the schema must specify it, and where the logic operator uses it. */
interface Places {
  readonly schema: Path;
  readonly use: Path;
}

export function addCompletenessIssues(issues: FieldIssue[], schema: StructuralSchema, path: Path): void {
  addOperators(issues, schema, schema, { schema: path, use: path });
}

function addOperators(issues: FieldIssue[], value: ValueValidation, schema: StructuralSchema, places: Places): void {
  const { use } = places;
  if (value.not !== undefined) addNested(issues, value.not, schema, { ...places, use: childPath(use, 'not') });
  for (const operator of ['allOf', 'anyOf', 'oneOf'] as const) {
    value[operator].forEach((part, i) => {
      addNested(issues, part, schema, { ...places, use: childPath(use, operator).index(i) });
    });
  }
}

function addNested(
  issues: FieldIssue[],
  value: NestedValidation,
  schema: StructuralSchema | undefined,
  places: Places,
): void {
  if (schema === undefined) {
    issues.push(required(places.schema, `because it is defined in ${formatPath(places.use)}`));
    return;
  }
  addOperators(issues, value, schema, places);
  if (value.items !== undefined)
    addNested(
      issues,
      value.items,
      schema.items,
      below(places, (path) => childPath(path, 'items')),
    );
  for (const [name, property] of value.properties)
    addNested(
      issues,
      property,
      schema.properties.get(name),
      below(places, (path) => childPath(path, 'properties').key(name)),
    );
}

function below({ schema, use }: Places, step: (path: Path) => Path): Places {
  return { schema: step(schema), use: step(use) };
}
