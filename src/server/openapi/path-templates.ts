/**
 * Templates for the path items of resources. A server may have thousands of custom resources but few shapes, that is,
 * combinations of verbs and subresources. One text per shape is written once and filled with the names of each
 * resource.
 *
 * Invariant: a filled template equals the text that would be written for the resource itself. Names that would be
 * escaped or changed in that text get no template.
 */
import type { JsonObject } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import type { ResourceStore } from '../resource/resource-store.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import { type ItemV2, type PathText, pathItems, pathText } from './document-v3.ts';
import type { OpenApiResource } from './openapi-publisher.ts';
import { type Content, operationsOf, type ResourceNames, type Subject, subjectsOf } from './operations.ts';
import { pathItemV2 } from './path-item-v2.ts';

/** The names of a resource and of its types. */
export interface TemplateNames extends ResourceNames {
  /** The type of its objects, and that of its lists. */
  readonly model: string;
  readonly list: string;
}

/** A content that operations of a resource use. */
export interface UsedContent {
  readonly subject: Subject;
  readonly content: Content;
}

export interface ResourcePaths {
  readonly paths: readonly PathText[];
  /** The contents that the paths use, without duplicates. */
  readonly uses: readonly UsedContent[];
}

const SLOTS = ['root', 'id', 'tag', 'group', 'version', 'kind', 'plural', 'model', 'list'] as const;
/**
 * The placeholders of the slots. They consist of letters only, so that no naming rule changes them, and occur nowhere
 * else.
 */
const TOKENS: TemplateNames = {
  root: 'QZrootZQ',
  id: 'QZidZQ',
  tag: 'QZtagZQ',
  group: 'QZgroupZQ',
  version: 'QZversionZQ',
  kind: 'QZkindZQ',
  plural: 'QZpluralZQ',
  model: 'QZmodelZQ',
  list: 'QZlistZQ',
};
const TOKEN = /QZ([a-z]+)ZQ/;

export type SchemaOf = (subject: Subject, content: Content) => JsonObject;

interface Template {
  readonly items: readonly ItemTemplate[];
  /** Pairs of subresource and content. */
  readonly uses: readonly (readonly [subresource: string, content: Content])[];
}

export class PathTemplates {
  readonly #byShape = new Map<string, Template>();
  readonly #all: boolean;

  /**
   * Built-in kinds have many shapes. `all` keeps their templates too, for a caller that writes all documents at once.
   * Default: only templates of custom resources are kept.
   */
  constructor(options: { readonly all?: boolean } = {}) {
    this.#all = options.all ?? false;
  }

  /**
   * Returns the path items of a resource. `schemaOf` returns the schema of a content in the document of the resource.
   * The types of its own objects must be named `names.model` and `names.list`.
   */
  pathsOf(resource: OpenApiResource, names: TemplateNames, schemaOf: SchemaOf): ResourcePaths {
    const subjects = subjectsOf(resource);
    const isKept = this.#all || resource.version.unstructured === true;
    if (!isKept || !SLOTS.every((slot) => isPlain(slot, names[slot]))) return itemsOf(subjects, names, schemaOf);
    const shape = shapeOf(resource);
    let template = this.#byShape.get(shape);
    if (template === undefined) {
      template = templateOf(subjects, schemaOf, names);
      this.#byShape.set(shape, template);
    }
    const values = SLOTS.map((slot) => names[slot]);
    const bySubresource = new Map(subjects.map((subject) => [subject.subresource, subject]));
    return {
      paths: template.items.map((item) => item.fill(values)),
      uses: template.uses.map(([subresource, content]) => ({
        subject: bySubresource.get(subresource) as Subject,
        content,
      })),
    };
  }
}

/** A kind starts with a capital letter and has only letters and digits, so operation names contain it unchanged. */
function isPlain(slot: (typeof SLOTS)[number], name: string): boolean {
  return slot === 'kind' ? /^[A-Z][A-Za-z0-9]*$/.test(name) : /^[A-Za-z0-9_./-]*$/.test(name);
}

function itemsOf(subjects: readonly Subject[], names: ResourceNames, schemaOf: SchemaOf): ResourcePaths {
  const uses = new Map<string, UsedContent>();
  const operations = subjects.flatMap((subject) =>
    operationsOf(names, subject).map((operation) => ({
      operation,
      schemaOf: (content: Content): JsonObject => {
        uses.set(`${subject.subresource} ${content}`, { subject, content });
        return schemaOf(subject, content);
      },
    })),
  );
  const paths = [...pathItems(operations)].map(([path, item]) => pathText(path, item));
  return { paths, uses: [...uses.values()] };
}

function templateOf(subjects: readonly Subject[], schemaOf: SchemaOf, names: TemplateNames): Template {
  const own = { [reference(names.model)]: TOKENS.model, [reference(names.list)]: TOKENS.list };
  const { paths, uses } = itemsOf(subjects, TOKENS, (subject, content) => {
    const schema = schemaOf(subject, content);
    const token = typeof schema['$ref'] === 'string' ? own[schema['$ref']] : undefined;
    return token === undefined ? schema : { $ref: reference(token) };
  });
  return {
    items: paths.map(({ path, v3 }) => new ItemTemplate(path, v3)),
    uses: uses.map(({ subject, content }) => [subject.subresource, content]),
  };
}

export function reference(name: string): string {
  return `#/components/schemas/${name}`;
}

function shapeOf({ definition, version, store, subresources }: OpenApiResource): string {
  return JSON.stringify([
    version.unstructured === true,
    version.strategicMerge,
    definition.scope,
    definition.strategy.returnsDeletedObject === true,
    capabilitiesOf(store),
    subresources.map(({ name, version: spoken, store: own, answer, description }) => [
      name,
      spoken === version ? '' : nameOf(spoken),
      answer === undefined ? '' : nameOf(answer),
      description ?? '',
      own.connectOptions?.isRead === true,
      capabilitiesOf(own),
    ]),
  ]);
}

function nameOf({ group, version, kind }: VersionDefinition): string {
  return `${group}/${version}/${kind}`;
}

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'delete', 'deleteCollection', 'connect'] as const;

function capabilitiesOf(store: ResourceStore): readonly string[] {
  const path = store.connectOptions?.takesPath === true ? ['path'] : [];
  return [...VERBS.filter((verb) => store[verb] !== undefined), ...(store.connectMethods ?? []), ...path];
}

/** One path item with slots. */
class ItemTemplate {
  readonly #path: TemplateText;
  readonly #text: string;
  readonly #v3: TemplateText;
  #v2: { readonly text: TemplateText; readonly parameters: ReadonlyMap<string, JsonObject> } | undefined;

  constructor(path: string, v3: string) {
    this.#path = new TemplateText(path);
    this.#text = v3;
    this.#v3 = new TemplateText(v3);
  }

  fill(values: readonly string[]): PathText {
    const v3 = (): string => this.#v3.fill(values);
    return {
      path: this.#path.fill(values),
      get v3() {
        return v3();
      },
      v2: () => this.#fillV2(values),
      item: () => JSON.parse(v3()) as JsonObject,
    };
  }

  #fillV2(values: readonly string[]): ItemV2 {
    if (this.#v2 === undefined) {
      const parameters = new Map<string, JsonObject>();
      const item = pathItemV2(JSON.parse(this.#text) as JsonObject, parameters);
      this.#v2 = { text: new TemplateText(writeJson(item)), parameters };
    }
    return { text: this.#v2.text.fill(values), parameters: this.#v2.parameters };
  }
}

/** A text with slots for names. */
class TemplateText {
  readonly #texts: string[] = [];
  readonly #slots: number[] = [];

  constructor(text: string) {
    const parts = text.split(TOKEN);
    for (let i = 0; i < parts.length; i++) {
      if (i % 2 === 0) this.#texts.push(parts[i] as string);
      else this.#slots.push(SLOTS.indexOf(parts[i] as (typeof SLOTS)[number]));
    }
  }

  fill(values: readonly string[]): string {
    let text = this.#texts[0] as string;
    for (let i = 0; i < this.#slots.length; i++)
      text += (values[this.#slots[i] as number] as string) + (this.#texts[i + 1] as string);
    return text;
  }
}
