/**
 * Type views of the built-in kinds, made from generated facts. Invariant: a type has one view, made when somebody first reaches it, so
 * plans that are compiled per view are compiled once.
 */
import {
  type AnyView,
  createStructView,
  type FieldView,
  type ListView,
  type ScalarType,
  type ScalarView,
  type StructView,
  type TypeView,
  type WireFacts,
} from '../apimachinery/type-view.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { contentHash } from '../base/content-hash.ts';
import { BugError } from '../base/errors.ts';
import { kinds, packages } from './facts/all.ts';
import { type FieldFacts, type PackageFacts, readField, readStruct, readStructLines } from './package-facts.ts';
import { type SchemaWord, schemaPartView } from './schema-parts.ts';

/** The view of a kind; also of `<Kind>List`, and of what all groups share in `v1` and `meta.k8s.io/v1`. Throws BugError for others. */
export function kindView(group: string, version: string, kind: string): StructView {
  const packageId = kindIndex().get(`${group}/${version}/${kind}`);
  if (packageId === undefined)
    throw new BugError(`no facts of kind ${kind} in ${group === '' ? '' : `${group}/`}${version}`);
  return structView(packageId, kind);
}

/** The name of a type in OpenAPI documents, such as `io.k8s.api.core.v1.ConfigMap`; undefined for a view that was not made here. */
export function typeName(view: StructView): string | undefined {
  return modelNames.get(view);
}

let fingerprint: string | undefined;

/** Another text whenever a fact of a type changes. */
export function factsFingerprint(): string {
  fingerprint ??= contentHash(encodeUtf8(packages.map(({ structs }) => structs).join('')));
  return fingerprint;
}

/** The view of a type by its name in OpenAPI documents: for types that are no kinds (`io.k8s.apimachinery.pkg.version.Info`). Throws BugError for others. */
export function viewOfTypeName(name: string): StructView {
  const split = name.lastIndexOf('.') + 1;
  const facts = packages.find(({ modelPrefix }) => modelPrefix.length === split && name.startsWith(modelPrefix));
  if (facts === undefined) throw new BugError(`no facts of type ${name}`);
  return structView(facts.id, name.slice(split));
}

let kindPackages: Map<string, string> | undefined;

function kindIndex(): Map<string, string> {
  if (kindPackages === undefined) {
    kindPackages = new Map();
    for (const [group, version, packageId, names] of kinds)
      for (const kind of names.split(' ')) kindPackages.set(`${group}/${version}/${kind}`, packageId);
  }
  return kindPackages;
}

interface Package {
  readonly facts: PackageFacts;
  /** Their lines by name. */
  readonly structs: Map<string, string>;
}

const openPackages = new Map<string, Package>();
const views = new Map<string, StructView>();
const modelNames = new WeakMap<StructView, string>();

function packageOf(id: string): Package {
  let found = openPackages.get(id);
  if (found === undefined) {
    const facts = packages.find((candidate) => candidate.id === id);
    if (facts === undefined) throw new BugError(`no facts of package ${id}`);
    found = { facts, structs: readStructLines(facts) };
    openPackages.set(id, found);
  }
  return found;
}

/** `here`: the place says that apply takes the struct as one value (`~`) or merges its fields (`g`), whatever the struct itself says. */
function structView(packageId: string, name: string, here: '' | '~' | 'g' = ''): StructView {
  const key = `${packageId}:${name}${here}`;
  let view = views.get(key);
  if (view === undefined) {
    const { facts, structs } = packageOf(packageId);
    const line = structs.get(name);
    if (line === undefined) throw new BugError(`no facts of type ${packageId}:${name}`);
    const { atomic, extensions, fields } = readStruct(line);
    view = createStructView(
      `${facts.goPackage}.${name}`,
      () => fields.map((text) => fieldView(packageId, readField(text))),
      { atomic: here === '' ? atomic : here === '~', ...(extensions === undefined ? {} : { extensions }) },
    );
    modelNames.set(view, facts.modelPrefix + name);
    views.set(key, view);
  }
  return view;
}

function fieldView(packageId: string, facts: FieldFacts): FieldView {
  return {
    name: facts.name,
    type: typeView(packageId, facts.type, facts),
    patchStrategies: facts.patchStrategies,
    patchMergeKey: facts.patchMergeKey,
    required: facts.flags.includes('!'),
    nullable: false,
    defaultValue: facts.defaultValue,
    ...(facts.goType === undefined ? {} : { goType: facts.goType }),
    ...(facts.goInline.length === 0 ? {} : { goInline: facts.goInline }),
    wire: wireFacts(facts),
  };
}

function wireFacts({ numbers, flags }: FieldFacts): WireFacts | undefined {
  if (numbers === undefined) return undefined;
  return {
    number: numbers.at(-1) as number,
    pointer: flags.includes('*'),
    omitEmpty: flags.includes('?'),
    omitZero: flags.includes('z'),
    inline: numbers.slice(0, -1),
    wrapped: flags.includes('w'),
  };
}

/** What a field declares about lists and maps is said of the outermost one. */
function typeView(packageId: string, type: string, facts: FieldFacts, isOuter = true): TypeView {
  switch (type[0]) {
    case '[':
      return {
        kind: 'list',
        items: typeView(packageId, type.slice(1), facts, false),
        ...listFacts(isOuter ? facts.list : undefined),
      };
    case '{':
      return {
        kind: 'map',
        atomic: isOuter && facts.flags.includes('~'),
        values: typeView(packageId, type.slice(1), facts, false),
        ...(isOuter && facts.flags.includes('g') ? { declared: true } : {}),
      };
  }
  switch (type) {
    case 'json':
    case 'raw-extension':
    case 'fields-v1':
      return { kind: 'any', raw: type };
    case 'json-text':
    case 'schema-or-array':
    case 'schema-or-bool':
    case 'schema-or-string-array':
      return schemaPart(packageOf(packageId).facts, type);
  }
  if (!/[A-Z]/.test(type)) return scalarView(type as ScalarType, facts);
  const [name = '', other] = type.split(':').reverse();
  const here = isOuter ? (/[~g]/.exec(facts.flags)?.[0] as '~' | 'g' | undefined) : undefined;
  return structView(other ?? packageId, name, here);
}

/** The types of a JSON schema that are no structs in JSON; each package has its own. */
function schemaPart({ id, modelPrefix }: PackageFacts, word: SchemaWord): AnyView {
  const key = `${id}:${word}`;
  let view = schemaParts.get(key);
  if (view === undefined) {
    view = schemaPartView(word, modelPrefix, () => structView(id, 'JSONSchemaProps'));
    schemaParts.set(key, view);
  }
  return view;
}

const schemaParts = new Map<string, AnyView>();

function listFacts(list: string | undefined): Pick<ListView, 'listType' | 'mapKeys' | 'declared'> {
  if (list === undefined) return { listType: 'atomic', mapKeys: [] };
  if (list === '') return { listType: 'atomic', mapKeys: [], declared: true };
  if (list === 'set') return { listType: 'set', mapKeys: [], declared: true };
  return { listType: 'map', mapKeys: list.split(','), declared: true };
}

const plainScalars = new Map<ScalarType, ScalarView>();

function scalarView(scalar: ScalarType, facts: FieldFacts): ScalarView {
  if (facts.enum !== undefined || facts.format !== undefined) {
    return {
      kind: 'scalar',
      scalar,
      ...(facts.enum === undefined ? {} : { enum: facts.enum }),
      ...(facts.format === undefined ? {} : { format: facts.format }),
    };
  }
  const view: ScalarView = plainScalars.get(scalar) ?? { kind: 'scalar', scalar };
  plainScalars.set(scalar, view);
  return view;
}
