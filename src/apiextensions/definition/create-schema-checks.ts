/** What definitions ask of schemas, answered by the layer of schemas. Invariant: pure; a schema is parsed when it is asked about and not kept. */
import type { JsonObject } from '../../base/json-value.ts';
import { parseStructural } from '../../schema/parse-structural.ts';
import type { DefaultRules } from '../../schema/rule-evaluator.ts';
import { checkRules } from '../../schema/rules/check-rules.ts';
import { validFieldPath } from '../../schema/rules/valid-field-path.ts';
import type { StructuralSchema } from '../../schema/structural.ts';
import { hasUnprunedDefaults, validateDefaults } from '../../schema/validate-defaults.ts';
import { validateStructural } from '../../schema/validate-structural.ts';
import { objectMetaView } from '../custom-resource/object-meta.ts';
import type { SchemaChecks } from './schema-checks.ts';

/** `defaultRules` runs the rules that apply to a default. Default: none are run. */
export function createSchemaChecks(options: { readonly defaultRules?: DefaultRules } = {}): SchemaChecks {
  const { defaultRules } = options;
  const rules = defaultRules === undefined ? undefined : { rules: defaultRules };
  const structural = (json: JsonObject): StructuralSchema | undefined => {
    const parsed = parseStructural(json);
    return parsed.ok && validateStructural(parsed.schema).length === 0 ? parsed.schema : undefined;
  };
  return {
    parse: (schema) => parseStructural(schema),
    validateStructural,
    validateDefaults: (schema, path, requirePruned) =>
      validateDefaults(schema, { path, requirePruned, objectMeta: objectMetaView(), ...rules }),
    isStructural: (schema) => structural(schema) !== undefined,
    hasUnprunedDefaults: (schema) => {
      const parsed = structural(schema);
      return parsed !== undefined && hasUnprunedDefaults(parsed, objectMetaView());
    },
    findPath: validFieldPath,
    checkRules,
  };
}
