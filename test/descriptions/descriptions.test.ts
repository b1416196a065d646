import { describe, expect, it } from 'vitest';
import { descriptionParts } from '../../src/apimachinery/facts/descriptions.ts';
import { packages } from '../../src/kinds/facts/all.ts';
import { checkForm, checkReferences, checkValues, namedDefault } from './check-text.ts';
import { describedPackages, describedTypes, isKind, PACKAGE_IDS, structsOf, textOf } from './described-types.ts';
import { observedDefaults } from './observed-defaults.ts';

/** Names of types that are not structs, and those that stand for every kind. */
const OTHER_NAMES = new Set([
  '*',
  '*List',
  'Quantity',
  'IntOrString',
  'RawExtension',
  'FieldsV1',
  'Time',
  'MicroTime',
  'Duration',
  'Patch',
  'JSON',
  'JSONSchemaPropsOrArray',
  'JSONSchemaPropsOrBool',
  'JSONSchemaPropsOrStringArray',
]);

describe.each(PACKAGE_IDS)('the descriptions of %s', (packageId) => {
  const all = describedTypes(packageId);

  it('exist for every type and field, in one to three sentences', () => {
    expect(all.flatMap(checkForm)).toEqual([]);
  });

  it('name only fields and kinds that exist', () => {
    expect(all.flatMap(checkReferences)).toEqual([]);
  });

  it('name only values that the field allows, and all of a short enumeration', () => {
    expect(all.flatMap(checkValues)).toEqual([]);
  });
});

describe('the texts of descriptions', () => {
  it.each(describedPackages())('%s is well formed and describes nothing that does not exist', (packageId) => {
    const { entries, inherits, problems } = textOf(packageId);
    expect(problems).toEqual([]);
    expect(inherits.filter((id) => !PACKAGE_IDS.includes(id))).toEqual([]);
    const structs = structsOf(packageId);
    const unknown = [...entries.keys()].filter((name) => {
      const [type = '', field] = name.split('.');
      if (OTHER_NAMES.has(type)) return false;
      return field === undefined
        ? !structs.has(type)
        : structs.get(type)?.some((known) => known.name === field) !== true;
    });
    expect(unknown).toEqual([]);
  });
});

describe('the defaults that descriptions name', () => {
  const observed = observedDefaults();

  it('are those that the kinds set', () => {
    const problems: string[] = [];
    for (const { id, modelPrefix } of packages) {
      for (const { name, field, text = '' } of describedTypes(id)) {
        const seen = observed.get(`${modelPrefix}${name}`);
        if (field === undefined || seen === undefined || field.goInline[0] === 'TypeMeta') continue;
        const named = namedDefault(text);
        // The zero value of a field that is always written, and the metadata, need no mention.
        const isZero = [...seen].every((value) => ['0', '""', 'false'].includes(value)) || id === 'meta-v1';
        if (descriptionParts(text).defaultValue === undefined && isZero) continue;
        if (descriptionParts(text).defaultValue === undefined)
          problems.push(`${id} ${name} names no default, the kinds set ${[...seen].join(' or ')}`);
        else if (named !== undefined && !seen.has(JSON.stringify(named)))
          problems.push(
            `${id} ${name} names the default ${JSON.stringify(named)}, the kinds set ${[...seen].join(' or ')}`,
          );
      }
    }
    expect(problems).toEqual([]);
  });

  it('are those of the OpenAPI documents', () => {
    const problems: string[] = [];
    for (const { id } of packages) {
      for (const { name, type, field, text = '' } of describedTypes(id)) {
        const { defaultValue } = field ?? {};
        const isPlain = defaultValue === undefined || ['""', '0', 'false', '{}'].includes(JSON.stringify(defaultValue));
        if (isPlain || isKind(structsOf(id).get(type) ?? [])) continue;
        if (JSON.stringify(namedDefault(text)) !== JSON.stringify(defaultValue))
          problems.push(`${id} ${name} does not name the default ${JSON.stringify(defaultValue)}`);
      }
    }
    expect(problems).toEqual([]);
  });
});
