/**
 * The OpenAPI v2 document, assembled from the parts of all v3 documents. Each path, type and parameter is written once,
 * sorted by name.
 */
import type { GroupVersion, GroupVersionKind } from '../../apimachinery/meta/gvk.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { sortByName } from '../../base/utf8.ts';
import { META_TYPES } from '../resource/meta-types.ts';
import { addMembers, type DocumentInfo, type DocumentParts, type PathText } from './document-v3.ts';
import { comparableSchema, kindsOf, membersOf, newNames, renameReferences, withoutKindsOf } from './merge-v2.ts';
import { pathItemV2 } from './path-item-v2.ts';
import { type SchemaText, withKinds, withoutKinds } from './schema-text.ts';

interface Definition {
  readonly schema: Pick<SchemaText, 'v2'>;
  readonly kinds: Map<string, GroupVersionKind>;
}

/** Collects the parts of v3 documents, then v2 documents of other servers. `text` returns the whole document. */
export class DocumentV2 {
  readonly #paths = new Map<string, string>();
  readonly #definitions = new Map<string, Definition>();
  readonly #parameters = new Map<string, JsonObject>();
  /**
   * Parameters of path items that agree with `#parameters`. Items of one template share the map, so each map is
   * compared once.
   */
  readonly #agreed = new Set<ReadonlyMap<string, JsonObject>>();

  /**
   * Starts with a document that `text` has written before. It is split at line breaks, which JSON strings cannot
   * contain.
   */
  static from(text: string): DocumentV2 {
    const made = new DocumentV2();
    let section = '';
    for (const line of text.split('\n')) {
      const opened = line.endsWith('{') ? OPENING.exec(line)?.[1] : undefined;
      if (opened !== undefined) section = opened;
      else if (line.startsWith('"')) made.#take(section, line.endsWith(',') ? line.slice(0, -1) : line);
    }
    return made;
  }

  /** Adds one member of a section that `text` has written. */
  #take(section: string, member: string): void {
    const colon = member.indexOf('":') + 1;
    const name = JSON.parse(member.slice(0, colon)) as string;
    const value = member.slice(colon + 1);
    if (section === 'paths') this.#paths.set(name, value);
    else if (section === 'definitions') this.#definitions.set(name, readDefinition(value));
    else if (section === 'parameters') this.#parameters.set(name, JSON.parse(value) as JsonObject);
  }

  add({ paths, schemas }: DocumentParts): void {
    for (const path of paths) this.#paths.set(path.path, this.#pathItem(path));
    for (const { name, schema, kinds } of schemas) {
      let known = this.#definitions.get(name);
      if (known === undefined) {
        known = { schema, kinds: new Map() };
        this.#definitions.set(name, known);
      }
      // A type is the same in all documents, but each document names the kinds of its own group-version.
      for (const kind of kinds) known.kinds.set(keyOf(kind), kind);
    }
  }

  /** Called after all calls of `add`. `versions` are those of the groups that the server owns. */
  complete(versions: readonly GroupVersion[]): void {
    for (const type of ['DeleteOptions', 'WatchEvent']) this.#everyVersion(type, versions);
  }

  /**
   * Adds a v2 document of another server. A path that exists already is left out. A definition or parameter that
   * differs from the known one of its name gets another name: `<name>_v2`, `<name>_v3` and so on, as kube-openapi's
   * aggregator does. Called after `complete`.
   */
  merge(document: JsonObject): void {
    const paths = membersOf(document, 'paths').filter(([path]) => !this.#paths.has(path));
    if (paths.length === 0) return;
    const definitions = membersOf(document, 'definitions');
    const parameters = membersOf(document, 'parameters');
    const names = {
      definitions: newNames(definitions, (name) => this.#comparable(name), comparableSchema),
      parameters: newNames(
        parameters,
        (name) => this.#parameters.get(name),
        (value) => value,
      ),
    };
    for (const [path, item] of paths) this.#paths.set(path, writeJson(renameReferences(item, names)));
    for (const [name, value] of parameters) {
      const given = names.parameters.get(name) ?? name;
      if (!this.#parameters.has(given)) this.#parameters.set(given, renameReferences(value, names));
    }
    for (const [name, value] of definitions) {
      const given = names.definitions.get(name) ?? name;
      let known = this.#definitions.get(given);
      if (known === undefined) {
        known = { schema: { v2: writeJson(renameReferences(withoutKindsOf(value), names)) }, kinds: new Map() };
        this.#definitions.set(given, known);
      }
      for (const kind of kindsOf(value)) known.kinds.set(keyOf(kind), kind);
    }
  }

  /** Returns the text of the document. */
  text(info: DocumentInfo): string {
    const definitions = [...this.#definitions].map(([name, { schema, kinds }]): [string, string] => [
      name,
      withKinds(schema.v2, [...kinds.values()]),
    ]);
    const parameters = [...this.#parameters].map(([name, value]): [string, string] => [name, writeJson(value)]);
    const head = writeJson({ swagger: '2.0', info: { title: info.title, version: info.version } });
    const tail = writeJson({
      securityDefinitions: {
        BearerToken: { description: 'A bearer token', type: 'apiKey', name: 'authorization', in: 'header' },
      },
      security: [{ BearerToken: [] }],
    });
    const texts = [`${head.slice(0, -1)},"paths":{`];
    addSection(texts, this.#paths);
    texts.push('},"definitions":{');
    addSection(texts, definitions);
    texts.push('},"parameters":{');
    addSection(texts, parameters);
    texts.push(`},${tail.slice(1)}`);
    return texts.join('');
  }

  /**
   * Parameters are written once and referenced. An item whose parameter differs from a known one of that name is
   * written again, with its own parameter inline.
   */
  #pathItem(path: PathText): string {
    const { text, parameters } = path.v2();
    if (this.#agreed.has(parameters)) return text;
    const clash = [...parameters].some(([name, value]) => {
      const known = this.#parameters.get(name);
      return known !== undefined && known !== value && !equalJson(known, value);
    });
    if (clash) return writeJson(pathItemV2(path.item(), this.#parameters));
    for (const [name, value] of parameters) if (!this.#parameters.has(name)) this.#parameters.set(name, value);
    this.#agreed.add(parameters);
    return text;
  }

  #comparable(name: string): JsonValue | undefined {
    const known = this.#definitions.get(name);
    return known && comparableSchema(JSON.parse(known.schema.v2) as JsonObject);
  }

  /** These kinds belong to every group-version, whether it uses them or not. */
  #everyVersion(kind: string, versions: readonly GroupVersion[]): void {
    const known = this.#definitions.get(META_TYPES + kind);
    if (known === undefined) return;
    known.kinds.clear();
    for (const { group, version } of [{ group: '', version: 'v1' }, ...versions]) {
      const value = { group, version, kind };
      known.kinds.set(keyOf(value), value);
    }
  }
}

/** Parses what `withKinds` has written. */
function readDefinition(text: string): Definition {
  const kinds = new Map<string, GroupVersionKind>();
  const v2 = withoutKinds(text, (kind) => kinds.set(keyOf(kind), kind));
  return { schema: { v2 }, kinds };
}

function keyOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

/** Matches the line before the members of a section. */
const OPENING = /"([a-z]+)":\{$/;

/** Members are sorted by name, each on a line of its own, because `from` splits at lines. */
function addSection(texts: string[], members: Iterable<[name: string, value: string]>): void {
  addMembers(
    texts,
    sortByName([...members], (member) => member[0]),
    '\n',
  );
  texts.push('\n');
}
