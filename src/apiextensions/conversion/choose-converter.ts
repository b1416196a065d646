/**
 * The choice of the converter of a definition: its webhook, its field rules, or none. Invariant: a definition has at
 * most one of them; `validate-field-rules` refuses both.
 */
import type { WebhookHost } from '../../admission/post-review.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { unknown } from '../../apimachinery/status/status-catalogue.ts';
import type { CompiledSchema } from '../../schema/compiled-schema.ts';
import { parseStructural } from '../../schema/structural/parse-structural.ts';
import type { StructuralSchema } from '../../schema/structural/structural.ts';
import { compileVersion } from '../compile-version.ts';
import type { Crd } from '../crd.ts';
import type { Converter, ConverterFactory } from './custom-converter.ts';
import { FIELD_RULES_ANNOTATION } from './fields/field-rules.ts';
import { type FieldsConverterOptions, fieldsConverter } from './fields/fields-converter.ts';
import { parseFieldRules } from './fields/parse-field-rules.ts';
import { webhookConverter } from './webhook-converter.ts';

export function converterFactory(host: WebhookHost): ConverterFactory {
  return (crd) => {
    if (crd.webhook !== undefined) return webhookConverter(crd, crd.webhook, host);
    const text = crd.annotations[FIELD_RULES_ANNOTATION];
    return text === undefined ? undefined : byFieldRules(crd, text);
  };
}

function byFieldRules(crd: Crd, text: string): Converter {
  const { pairs, problems } = parseFieldRules(text);
  // Validation refuses such a definition. One that was stored by another server must not lose fields.
  if (problems.length > 0) {
    const why = problems.map(({ message }) => message).join('; ');
    const message = `the annotation ${FIELD_RULES_ANNOTATION} of ${crd.name} cannot be used: ${why}`;
    return {
      convert: () => {
        throw new StatusError(unknown(message));
      },
    };
  }
  const { group, names } = crd;
  return fieldsConverter({
    group,
    kind: names.kind,
    pairs,
    schemaOf: (version) => schemaOf(crd, version),
    complete: completer(crd),
  });
}

/** Schemas are compiled on first use, because few definitions have chains of rules. */
function completer(crd: Crd): FieldsConverterOptions['complete'] {
  const compiled = new Map<string, CompiledSchema | undefined>();
  return (object, version) => {
    if (!compiled.has(version)) {
      const declared = crd.versions.find(({ name }) => name === version);
      compiled.set(version, declared === undefined ? undefined : compileVersion(crd, declared));
    }
    const schema = compiled.get(version);
    schema?.prune(object);
    schema?.setDefaults(object);
  };
}

function schemaOf(crd: Crd, version: string): StructuralSchema | undefined {
  const schema = crd.versions.find(({ name }) => name === version)?.schema;
  const parsed = schema === undefined ? undefined : parseStructural(schema);
  return parsed?.ok === true ? parsed.schema : undefined;
}
