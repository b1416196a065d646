/**
 * CEL expressions of field rules. Invariant: `self` is the object before any rule is applied. Libraries and limits are
 * those of validation rules in schemas.
 */
import type { JsonObject, JsonValue } from '../../../base/json-value.ts';
import type { CheckedExpression, Environment, Program } from '../../../cel/environment.ts';
import { formatIssues } from '../../../cel/issues.ts';
import { valueFromJson } from '../../../cel/runtime/native-values.ts';
import { type CelType, DYN } from '../../../cel/types.ts';
import { CelError, CelOptional, type Value } from '../../../cel/values.ts';
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

/** The way in which expressions read objects of one version. */
interface Reader {
  readonly environment: Environment;
  readonly adapt: (object: JsonObject) => Value;
}

const readers = new WeakMap<StructuralSchema, Reader>();

/** The reader of a schema, made once, because the types of a large schema take milliseconds. */
function readerOf(schema: StructuralSchema): Reader {
  let reader = readers.get(schema);
  if (reader === undefined) {
    const type = declaredType(schema, true)?.type;
    reader =
      type === undefined ? untyped() : { environment: environmentOf(type), adapt: adapterOf(withObjectMeta(schema)) };
    readers.set(schema, reader);
  }
  return reader;
}

function untyped(): Reader {
  return { environment: environmentOf(DYN), adapt: valueFromJson };
}

function environmentOf(self: CelType): Environment {
  return ruleEnvironment().extend({ variables: [{ name: 'self', type: self }] });
}

/**
 * Compiles an expression. `schema` is that of the version that the expression reads; without one, fields are looked up
 * at run time. `target` is the schema of the field that gets the value.
 */
export function compileExpression(
  source: string,
  schema: StructuralSchema | undefined,
  target: StructuralSchema | 'any' | undefined,
): CompiledFieldExpression {
  const { environment, adapt } = schema === undefined ? untyped() : readerOf(schema);
  const result = environment.check(source);
  if (!result.ok) return { ok: false, message: formatIssues(source, result.issues) };
  let program: Program;
  try {
    program = environment.program(result.checked);
  } catch (thrown) {
    if (thrown instanceof CelError) return { ok: false, message: thrown.message };
    throw thrown;
  }
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
