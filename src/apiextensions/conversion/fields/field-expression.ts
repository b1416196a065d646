/**
 * CEL expressions of field rules. Invariant: `self` is the object before any rule is applied. Libraries and limits are
 * those of validation rules in schemas.
 */
import type { JsonObject, JsonValue } from '../../../base/json-value.ts';
import type { CheckedExpression, Program } from '../../../cel/environment.ts';
import { formatIssues } from '../../../cel/issues.ts';
import { valueFromJson } from '../../../cel/runtime/native-values.ts';
import { DYN } from '../../../cel/types.ts';
import { CelError, CelOptional } from '../../../cel/values.ts';
import { adapterOf } from '../../../schema/rules/adapt-value.ts';
import { declaredType } from '../../../schema/rules/declared-type.ts';
import { ruleEnvironment } from '../../../schema/rules/rule-program.ts';
import { withObjectMeta } from '../../../schema/rules/with-object-meta.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import { jsonOf } from './expression-value.ts';

export type CompiledFieldExpression =
  | {
      readonly ok: true;
      readonly checked: CheckedExpression;
      /**
       * Returns undefined if the value of the expression is an empty optional. Throws CelError, and CelStopped at the
       * cost limit.
       */
      evaluate(object: JsonObject): JsonValue | undefined;
    }
  | { readonly ok: false; readonly message: string };

const COST_LIMIT = 1_000_000;

/**
 * Compiles an expression. `schema` is that of the version that the expression reads; without one, fields are looked up
 * at run time. `target` is the schema of the field that gets the value.
 */
export function compileExpression(
  source: string,
  schema: StructuralSchema | undefined,
  target: StructuralSchema | 'any' | undefined,
): CompiledFieldExpression {
  const declared = schema === undefined ? undefined : declaredType(schema, true)?.type;
  const environment = ruleEnvironment().extend({ variables: [{ name: 'self', type: declared ?? DYN }] });
  const result = environment.check(source);
  if (!result.ok) return { ok: false, message: formatIssues(source, result.issues) };
  let program: Program;
  try {
    program = environment.program(result.checked);
  } catch (thrown) {
    if (thrown instanceof CelError) return { ok: false, message: thrown.message };
    throw thrown;
  }
  const adapt = schema === undefined || declared === undefined ? valueFromJson : adapterOf(withObjectMeta(schema));
  return {
    ok: true,
    checked: result.checked,
    evaluate: (object) => {
      const { value } = program.evaluate([adapt(object)], { cost: COST_LIMIT });
      if (value instanceof CelOptional) return value.value === undefined ? undefined : jsonOf(value.value, target);
      return jsonOf(value, target);
    },
  };
}
