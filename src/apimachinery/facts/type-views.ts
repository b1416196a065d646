/**
 * Type views made from generated facts. Invariant: a type has one view per registry, made on first use, so a plan that
 * is compiled per view is compiled once.
 */
import { BugError } from '../../base/errors.ts';
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
} from '../type-view.ts';
import {
  type FieldFacts,
  type PackageFacts,
  packageOfType,
  readField,
  readStruct,
  readStructLines,
} from './package-facts.ts';
import { type SchemaWord, schemaPartView } from './schema-parts.ts';

interface OpenPackage {
  readonly facts: PackageFacts;
  /** The line of each struct by its name. */
  readonly structs: Map<string, string>;
}

/** Overrides, at one place, whether apply takes a struct as one value (`~`) or merges its fields (`g`). */
type StructOverride = '' | '~' | 'g';

/** The views of the types of some packages. Packages may refer only to each other. */
export class TypeViews {
  readonly #packages: readonly PackageFacts[];
  readonly #open = new Map<string, OpenPackage>();
  readonly #structs = new Map<string, StructView>();
  /** By the name in OpenAPI documents. Every write of a custom resource asks for the view of ObjectMeta. */
  readonly #named = new Map<string, StructView>();
  readonly #schemaParts = new Map<string, AnyView>();
  readonly #modelNames = new WeakMap<StructView, string>();

  constructor(packages: readonly PackageFacts[]) {
    this.#packages = packages;
  }

  /**
   * Returns the name of a type in OpenAPI documents, such as `io.k8s.api.core.v1.ConfigMap`; undefined for a view of
   * another registry.
   */
  readonly typeName = (view: StructView): string | undefined => this.#modelNames.get(view);

  /** Returns the view of a type by its name in OpenAPI documents. Throws BugError for an unknown type. */
  readonly view = (typeName: string): StructView => {
    let view = this.#named.get(typeName);
    if (view === undefined) {
      const facts = packageOfType(this.#packages, typeName);
      if (facts === undefined) throw new BugError(`no facts of type ${typeName}`);
      view = this.struct(facts.id, typeName.slice(facts.modelPrefix.length));
      this.#named.set(typeName, view);
    }
    return view;
  };

  /** Returns the view of a struct of a package. Throws BugError for an unknown one. */
  struct(packageId: string, name: string, override: StructOverride = ''): StructView {
    const key = `${packageId}:${name}${override}`;
    let view = this.#structs.get(key);
    if (view === undefined) {
      const { facts, structs } = this.#package(packageId);
      const line = structs.get(name);
      if (line === undefined) throw new BugError(`no facts of type ${packageId}:${name}`);
      const { atomic, extensions, fields } = readStruct(line);
      view = createStructView(
        `${facts.goPackage}.${name}`,
        () => fields.map((text) => this.#field(packageId, readField(text))),
        { atomic: override === '' ? atomic : override === '~', ...(extensions === undefined ? {} : { extensions }) },
      );
      this.#modelNames.set(view, facts.modelPrefix + name);
      this.#structs.set(key, view);
    }
    return view;
  }

  #package(id: string): OpenPackage {
    let found = this.#open.get(id);
    if (found === undefined) {
      const facts = this.#packages.find((candidate) => candidate.id === id);
      if (facts === undefined) throw new BugError(`no facts of package ${id}`);
      found = { facts, structs: readStructLines(facts.structs) };
      this.#open.set(id, found);
    }
    return found;
  }

  #field(packageId: string, facts: FieldFacts): FieldView {
    return {
      name: facts.name,
      type: this.#type(packageId, facts.type, facts),
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

  /** The list and map facts of a field apply to the outermost list or map of its type. */
  #type(packageId: string, type: string, facts: FieldFacts, isOuter = true): TypeView {
    switch (type[0]) {
      case '[':
        return {
          kind: 'list',
          items: this.#type(packageId, type.slice(1), facts, false),
          ...listFacts(isOuter ? facts.list : undefined),
        };
      case '{':
        return {
          kind: 'map',
          atomic: isOuter && facts.flags.includes('~'),
          values: this.#type(packageId, type.slice(1), facts, false),
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
        return this.#schemaPart(this.#package(packageId).facts, type);
    }
    if (!/[A-Z]/.test(type)) return scalarView(type as ScalarType, facts);
    const [name = '', other] = type.split(':').reverse();
    const override = isOuter ? (/[~g]/.exec(facts.flags)?.[0] as '~' | 'g' | undefined) : undefined;
    return this.struct(other ?? packageId, name, override);
  }

  /** Types of a JSON schema that are not structs in JSON; each package has its own. */
  #schemaPart({ id, modelPrefix }: PackageFacts, word: SchemaWord): AnyView {
    const key = `${id}:${word}`;
    let view = this.#schemaParts.get(key);
    if (view === undefined) {
      view = schemaPartView(word, modelPrefix, () => this.struct(id, 'JSONSchemaProps'));
      this.#schemaParts.set(key, view);
    }
    return view;
  }
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
