/**
 * The generator of TypeScript types from CustomResourceDefinitions. Invariants: the same definitions give the same
 * text; every object that the schema allows fits its type; `apiVersion` and `kind` discriminate the types of all kinds
 * and versions.
 */
import type { Crd, CrdVersion } from '../apiextensions/crd.ts';
import { getField, isJsonObject, type JsonObject } from '../base/json-value.ts';
import { compareUtf8 } from '../base/utf8.ts';
import { META_FILE, META_TEXT } from './metadata-text.ts';
import { Names, propertyName, typeNameOf } from './type-names.ts';

/**
 * Returns the texts by path below the output folder: one `<group>/<version>.ts` each, and the types that they share.
 */
export function crdTypes(crds: readonly Crd[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const byFile = new Map<string, { readonly crd: Crd; readonly version: CrdVersion }[]>();
  for (const crd of crds)
    for (const version of crd.versions) {
      const file = `${crd.group}/${version.name}.ts`;
      const kinds = byFile.get(file) ?? [];
      kinds.push({ crd, version });
      byFile.set(file, kinds);
    }
  for (const [file, kinds] of [...byFile].sort(([a], [b]) => compareUtf8(a, b))) {
    const names = new Names();
    // Kinds get their names first, so that no nested type takes the name of a kind.
    const sorted = kinds.sort((a, b) => compareUtf8(a.crd.names.kind, b.crd.names.kind));
    for (const { crd } of sorted) {
      names.take(typeNameOf(crd.names.kind));
      names.take(typeNameOf(crd.names.listKind));
    }
    const texts = sorted.map(({ crd, version }) => new KindWriter(crd, version, names).text());
    files.set(file, `${HEADER}${META_IMPORT};\n\n${texts.join('\n')}`);
  }
  if (files.size > 0) files.set(META_FILE, `${HEADER}${META_TEXT}`);
  return files;
}

/** Written in parts, so that a search for the imports of this file does not find it. */
const META_IMPORT = ['import type { ListMeta, ObjectMeta }', 'from', `'../${META_FILE}'`].join(' ');
const HEADER = '// Made by `keelson crd types`. Changes here are lost.\n\n';
const TYPE_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The types of one kind in one version. */
class KindWriter {
  readonly #crd: Crd;
  readonly #version: CrdVersion;
  readonly #names: Names;
  /** Nested types that are still to be written. */
  readonly #pending: { readonly name: string; readonly schema: JsonObject }[] = [];

  constructor(crd: Crd, version: CrdVersion, names: Names) {
    this.#crd = crd;
    this.#version = version;
    this.#names = names;
  }

  text(): string {
    const { group, names } = this.#crd;
    const apiVersion = JSON.stringify(`${group}/${this.#version.name}`);
    const kind = typeNameOf(names.kind);
    const schema = this.#version.schema ?? {};
    const texts = [
      describe(schema, '') +
        block(`export interface ${kind}`, [
          `apiVersion: ${apiVersion};`,
          `kind: ${JSON.stringify(names.kind)};`,
          'metadata: ObjectMeta;',
          ...this.#fields(schema, kind, TYPE_FIELDS),
          ...(keepsUnknown(schema) || this.#crd.preserveUnknownFields ? [UNKNOWN_FIELDS] : []),
        ]),
      block(`export interface ${typeNameOf(names.listKind)}`, [
        `apiVersion: ${apiVersion};`,
        `kind: ${JSON.stringify(names.listKind)};`,
        'metadata: ListMeta;',
        `items: ${kind}[];`,
      ]),
    ];
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift())
      texts.push(this.#interface(next.name, next.schema));
    return texts.join('\n');
  }

  #interface(name: string, schema: JsonObject): string {
    const embedded = getField(schema, 'x-kubernetes-embedded-resource') === true;
    return (
      describe(schema, '') +
      block(`export interface ${name}`, [
        ...(embedded ? ['apiVersion: string;', 'kind: string;', 'metadata?: ObjectMeta;'] : []),
        ...this.#fields(schema, name, embedded ? TYPE_FIELDS : new Set()),
        ...(keepsUnknown(schema) ? [UNKNOWN_FIELDS] : []),
      ])
    );
  }

  #fields(schema: JsonObject, owner: string, without: ReadonlySet<string>): string[] {
    const required = getField(schema, 'required');
    return Object.entries(propertiesOf(schema))
      .filter(([name]) => !without.has(name))
      .map(([name, property]) => {
        const mark = Array.isArray(required) && required.includes(name) ? '' : '?';
        const type = this.#type(property, `${owner}${typeNameOf(name)}`);
        return `${describe(property, '  ')}${propertyName(name)}${mark}: ${type};`;
      });
  }

  #type(schema: JsonObject, name: string): string {
    const type = this.#plainType(schema, name);
    return getField(schema, 'nullable') === true && type !== 'unknown' ? `${type} | null` : type;
  }

  #plainType(schema: JsonObject, name: string): string {
    if (getField(schema, 'x-kubernetes-int-or-string') === true) return 'number | string';
    const values = getField(schema, 'enum');
    if (Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'string'))
      return [...new Set(values)].map((value) => JSON.stringify(value)).join(' | ');
    switch (getField(schema, 'type')) {
      case 'string':
        return 'string';
      case 'integer':
      case 'number':
        return 'number';
      case 'boolean':
        return 'boolean';
      case 'array':
        return this.#listType(schema, name);
      case 'object':
        return this.#objectType(schema, name);
      default:
        return 'unknown';
    }
  }

  #listType(schema: JsonObject, name: string): string {
    const items = getField(schema, 'items');
    const type = isJsonObject(items) ? this.#type(items, `${name}Item`) : 'unknown';
    return type.includes(' | ') ? `(${type})[]` : `${type}[]`;
  }

  #objectType(schema: JsonObject, name: string): string {
    const values = getField(schema, 'additionalProperties');
    if (Object.keys(propertiesOf(schema)).length > 0 || getField(schema, 'x-kubernetes-embedded-resource') === true) {
      const taken = this.#names.take(name);
      this.#pending.push({ name: taken, schema });
      return taken;
    }
    if (isJsonObject(values)) return `{ [key: string]: ${this.#type(values, `${name}Value`)} }`;
    return keepsUnknown(schema) || values === true ? '{ [key: string]: unknown }' : 'Record<string, never>';
  }
}

const UNKNOWN_FIELDS = '[key: string]: unknown;';

function propertiesOf(schema: JsonObject): Record<string, JsonObject> {
  const properties = getField(schema, 'properties');
  const found: Record<string, JsonObject> = {};
  if (isJsonObject(properties))
    for (const [name, property] of Object.entries(properties)) if (isJsonObject(property)) found[name] = property;
  return found;
}

function keepsUnknown(schema: JsonObject): boolean {
  return getField(schema, 'x-kubernetes-preserve-unknown-fields') === true;
}

function block(head: string, lines: readonly string[]): string {
  return `${head} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}

/** Returns the description of a schema as a comment, with the indentation of the line that follows it. */
function describe(schema: JsonObject, indent: string): string {
  const description = getField(schema, 'description');
  if (typeof description !== 'string' || description.trim() === '') return '';
  const lines = description.trim().replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `/** ${lines[0]} */\n${indent}`;
  return `/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n${indent}`;
}
