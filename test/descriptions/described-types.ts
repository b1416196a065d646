/** The types of all packages with their fields and descriptions, for the checks of descriptions. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PackageDescriptions, readDescriptions } from '../../src/apimachinery/facts/descriptions.ts';
import { describeKindField, META_DESCRIPTIONS } from '../../src/apimachinery/facts/meta-descriptions.ts';
import { type FieldFacts, readField, readStruct, readStructLines } from '../../src/apimachinery/facts/package-facts.ts';
import { KindDescriptions } from '../../src/kinds/descriptions.ts';
import { packages } from '../../src/kinds/facts/all.ts';

/** Relative to the root of the project, which all scripts run in. */
const FOLDER = 'src/kinds/descriptions';

/** One type, or one field of it. */
export interface Described {
  readonly packageId: string;
  readonly type: string;
  readonly field: FieldFacts | undefined;
  /** `Type` or `Type.field`. */
  readonly name: string;
  readonly text: string | undefined;
}

export function readText(packageId: string): string | undefined {
  const file = join(FOLDER, `${packageId}.txt`);
  return META_DESCRIPTIONS[packageId] ?? (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
}

const descriptions = new KindDescriptions(readText);

/** The package ids that have a text. */
export function describedPackages(): readonly string[] {
  const files = readdirSync(FOLDER).map((name) => name.replace(/\.txt$/, ''));
  return [...Object.keys(META_DESCRIPTIONS), ...files].sort();
}

export function textOf(packageId: string): PackageDescriptions {
  return readDescriptions(readText(packageId) ?? '');
}

/** The structs of a package by name, with their fields. */
export function structsOf(packageId: string): ReadonlyMap<string, readonly FieldFacts[]> {
  const facts = packages.find(({ id }) => id === packageId);
  const structs = new Map<string, readonly FieldFacts[]>();
  for (const [name, line] of readStructLines(facts?.structs ?? ''))
    structs.set(name, readStruct(line).fields.map(readField));
  return structs;
}

/** Whether a type is a kind or a list: it begins with `kind` and `apiVersion`. */
export function isKind(fields: readonly FieldFacts[]): boolean {
  return fields[0]?.name === 'kind' && fields[1]?.name === 'apiVersion' && fields[0].goInline[0] === 'TypeMeta';
}

export function describedTypes(packageId: string): readonly Described[] {
  const prefix = packages.find(({ id }) => id === packageId)?.modelPrefix ?? '';
  const all: Described[] = [];
  for (const [type, fields] of structsOf(packageId)) {
    all.push({ packageId, type, field: undefined, name: type, text: descriptions.describe(prefix + type) });
    for (const field of fields) {
      const own = descriptions.describe(prefix + type, field.name);
      const text = own ?? (isKind(fields) ? describeKindField(type, field.name) : undefined);
      all.push({ packageId, type, field, name: `${type}.${field.name}`, text });
    }
  }
  return all;
}

export const PACKAGE_IDS: readonly string[] = packages.map(({ id }) => id);
