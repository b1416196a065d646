/**
 * The generator of TypeScript types from CustomResourceDefinitions. Invariants: the same definitions give the same
 * text, in any order; every object that the schema allows fits its type; `apiVersion` and `kind` discriminate the types
 * of all kinds and versions; equal shapes of a file are one type.
 */
import type { Crd, CrdVersion } from '../apiextensions/crd.ts';
import { compareUtf8 } from '../base/utf8.ts';
import { type MetadataSource, metadataOf } from './metadata-text.ts';
import { propertyName, TypeNames } from './type-names.ts';
import {
  descriptionOf,
  keepsUnknown,
  type Shape,
  type ShapeField,
  ShapeSet,
  type TypeExpression,
} from './type-shapes.ts';

export interface CrdTypesOptions {
  /**
   * Where the types of metadata come from: `own` writes them into a file, `client-node` imports them from
   * `@kubernetes/client-node`, so that every kind is a KubernetesObject, and `keelson` from `keelson/kinds`, with a
   * token of each kind for `keelson/client`. Default `own`.
   */
  readonly metadata?: MetadataSource;
}

/**
 * Returns the texts by path below the output folder: one `<group>/<version>.ts` each, and the types of metadata if they
 * are our own.
 */
export function crdTypes(
  crds: readonly Crd[],
  { metadata = 'own' }: CrdTypesOptions = {},
): ReadonlyMap<string, string> {
  const byFile = new Map<string, KindVersion[]>();
  for (const crd of crds)
    for (const version of crd.versions) {
      const file = `${crd.group}/${version.name}.ts`;
      const kinds = byFile.get(file) ?? [];
      kinds.push({ crd, version });
      byFile.set(file, kinds);
    }
  const files = new Map<string, string>();
  for (const [file, kinds] of [...byFile].sort(([a], [b]) => compareUtf8(a, b)))
    files.set(file, HEADER + new FileWriter(metadata).text(kinds));
  const { file } = metadataOf(metadata);
  if (files.size > 0 && file !== undefined) files.set(file.path, HEADER + file.text);
  return files;
}

const HEADER = '// Made by `keelson crd types`. Changes here are lost.\n\n';

interface KindVersion {
  readonly crd: Crd;
  readonly version: CrdVersion;
}

interface NamedKind extends KindVersion {
  readonly name: string;
  readonly listName: string;
  readonly fields: readonly ShapeField[];
}

class FileWriter {
  readonly #metadata: ReturnType<typeof metadataOf>;
  readonly #names: TypeNames;
  readonly #shapes = new ShapeSet();
  /** By the number of the shape. */
  #shapeNames: readonly string[] = [];
  /** Shapes that have been mentioned, in order. */
  readonly #mentioned = new Set<Shape>();

  constructor(metadata: MetadataSource) {
    this.#metadata = metadataOf(metadata);
    this.#names = new TypeNames(this.#metadata.names);
  }

  /** Each kind is followed by the types that it is the first to use. */
  text(given: readonly KindVersion[]): string {
    const kinds = given
      .toSorted((a, b) => compareUtf8(a.crd.names.kind, b.crd.names.kind) || compareUtf8(a.crd.name, b.crd.name))
      .map((kind): NamedKind => {
        const name = this.#names.takeKind(kind.crd.names.kind);
        const listName = this.#names.takeKind(kind.crd.names.listKind);
        const { preserveUnknownFields } = kind.crd;
        const fields = this.#shapes.kindFields(kind.version.schema ?? {}, [name], preserveUnknownFields);
        return { ...kind, name, listName, fields };
      });
    this.#shapeNames = this.#names.takeAll(Array.from(this.#shapes.shapes, ({ paths }) => paths));
    const texts = [`${this.#metadata.importLine}\n`];
    const written = new Set<Shape>();
    for (const kind of kinds) {
      texts.push(this.#kind(kind));
      if (this.#metadata.hasTokens) texts.push(token(kind));
      texts.push(this.#list(kind));
      for (const shape of this.#mentioned) {
        if (written.has(shape)) continue;
        written.add(shape);
        texts.push(this.#shape(shape));
      }
    }
    return texts.join('\n');
  }

  #kind({ crd, version, name, fields }: NamedKind): string {
    const schema = version.schema ?? {};
    const optional = this.#metadata.hasTokens ? '?' : '';
    return (
      comment(descriptionOf(schema), '') +
      block(`export interface ${name}${this.#metadata.extendsObject}`, [
        `apiVersion${optional}: ${JSON.stringify(`${crd.group}/${version.name}`)};`,
        `kind${optional}: ${JSON.stringify(crd.names.kind)};`,
        `metadata${optional}: ${this.#metadata.objectMeta};`,
        ...fields.map((field) => this.#field(field)),
        ...(keepsUnknown(schema) || crd.preserveUnknownFields ? [UNKNOWN_FIELDS] : []),
      ])
    );
  }

  #list({ crd, version, name, listName }: NamedKind): string {
    return block(`export interface ${listName}${this.#metadata.extendsList(name)}`, [
      `apiVersion: ${JSON.stringify(`${crd.group}/${version.name}`)};`,
      `kind: ${JSON.stringify(crd.names.listKind)};`,
      `metadata: ${this.#metadata.listMeta};`,
      `items: ${name}[];`,
    ]);
  }

  #shape(shape: Shape): string {
    const { objectMeta } = this.#metadata;
    return block(`export interface ${this.#shapeNames[shape.id]}`, [
      ...(shape.isEmbedded ? ['apiVersion: string;', 'kind: string;', `metadata?: ${objectMeta};`] : []),
      ...shape.fields.map((field) => this.#field(field)),
      ...(shape.keepsUnknown ? [UNKNOWN_FIELDS] : []),
    ]);
  }

  #field({ name, isOptional, description, type }: ShapeField): string {
    return `${comment(description, '  ')}${propertyName(name)}${isOptional ? '?' : ''}: ${this.#type(type)};`;
  }

  #type(type: TypeExpression): string {
    switch (type.kind) {
      case 'text':
        return type.text;
      case 'shape':
        this.#mentioned.add(type.shape);
        return this.#shapeNames[type.shape.id] as string;
      case 'list': {
        const items = this.#type(type.items);
        return items.includes(' | ') ? `(${items})[]` : `${items}[]`;
      }
      case 'map':
        return `{ [key: string]: ${this.#type(type.values)} }`;
      case 'nullable': {
        const inner = this.#type(type.type);
        return / \| null$|^null$/.test(inner) ? inner : `${inner} | null`;
      }
    }
  }
}

/** The token has the name of the type, as those of the built-in kinds. */
function token({ crd, version, name }: NamedKind): string {
  const names = [
    ['group', crd.group],
    ['version', version.name],
    ['kind', crd.names.kind],
    ['plural', crd.names.plural],
    ['scope', crd.scope],
  ];
  const fields = names.map(([field, value]) => `  ${field}: ${JSON.stringify(value)},\n`);
  return `export const ${name}: Kind<${name}, ${JSON.stringify(crd.scope)}> = {\n${fields.join('')}};\n`;
}

const UNKNOWN_FIELDS = '[key: string]: unknown;';

function block(head: string, lines: readonly string[]): string {
  return `${head} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}

/** Returns a text as a comment, with the indentation of the line that follows it. */
function comment(text: string, indent: string): string {
  if (text === '') return '';
  const lines = text.replaceAll('*/', '*\\/').split(/\r?\n/);
  if (lines.length === 1) return `/** ${lines[0]} */\n${indent}`;
  return `/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n${indent}`;
}
