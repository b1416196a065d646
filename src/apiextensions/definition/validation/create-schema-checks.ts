/** The schema checks of definitions, by the schema layer. A schema is parsed for each check and not kept. */
import type { JsonObject } from '../../../base/json-value.ts';
import { checkRules } from '../../../schema/rules/check-rules.ts';
import { defaultRules } from '../../../schema/rules/rules-of.ts';
import { validFieldPath } from '../../../schema/rules/valid-field-path.ts';
import { parseStructural } from '../../../schema/structural/parse-structural.ts';
import { NO_PLAIN_NODES } from '../../../schema/structural/plain-nodes.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import { validateStructural } from '../../../schema/structural/validate-structural.ts';
import { hasUnprunedDefaults, validateDefaults } from '../../../schema/validate-defaults.ts';
import { objectMetaView } from '../../../server/resource/schema/object-metadata-form.ts';
import type { SchemaChecks } from './schema-checks.ts';

export function createSchemaChecks(): SchemaChecks {
  const structural = (json: JsonObject): StructuralSchema | undefined => {
    const parsed = parseStructural(json);
    return parsed.ok && validateStructural(parsed.schema).length === 0 ? parsed.schema : undefined;
  };
  return {
    parse: (schema) => parseStructural(schema),
    validateStructural,
    validateDefaults: (schema, path, requirePruned, plain = NO_PLAIN_NODES) =>
      validateDefaults(schema, { path, requirePruned, objectMeta: objectMetaView(), rules: defaultRules, plain }),
    isStructural: (schema) => structural(schema) !== undefined,
    hasUnprunedDefaults: (schema) => {
      const parsed = structural(schema);
      return parsed !== undefined && hasUnprunedDefaults(parsed, objectMetaView());
    },
    findPath: validFieldPath,
    checkRules,
  };
}
