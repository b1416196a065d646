/**
 * The OpenAPI v3 document, written from path items and schemas. Paths are sorted. A parameter that all operations of a
 * path have is written once, at the path, as in the reference.
 */
import type { JsonObject } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { sortByName } from '../../base/utf8.ts';
import type { Content, Operation } from './operations.ts';
import { METHODS } from './operations.ts';
import type { Parameter } from './parameters.ts';
import { pathItemV2 } from './path-item-v2.ts';
import { type WrittenSchema, withKinds } from './schema-text.ts';

export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
}

/** An operation with the schemas of its bodies and answers. */
export interface ResolvedOperation {
  readonly operation: Operation;
  /** Returns the schema of a body or an answer of the operation. */
  schemaOf(content: Content): JsonObject;
}

const TEXTS = { 200: 'OK', 201: 'Created', 202: 'Accepted' } as const;

/** One path with its path item in both versions of OpenAPI. */
export interface PathText {
  readonly path: string;
  /** Written on each access. */
  readonly v3: string;
  /** Returns the v2 form, and the parameters that it references. */
  v2(): ItemV2;
  /** Returns the v3 path item as a value. */
  item(): JsonObject;
}

export interface ItemV2 {
  readonly text: string;
  readonly parameters: ReadonlyMap<string, JsonObject>;
}

/** The parts that documents of both versions are written from. */
export interface DocumentParts {
  readonly paths: readonly PathText[];
  /** Sorted by name. */
  readonly schemas: readonly WrittenSchema[];
}

/** Returns the text of a v3 document. */
export function documentText(info: DocumentInfo, { paths, schemas }: DocumentParts): string {
  const head = writeJson({ openapi: '3.0.0', info: { title: info.title, version: info.version } });
  const texts = [`${head.slice(0, -1)},"paths":{`];
  addMembers(
    texts,
    sortByName([...paths], ({ path }) => path).map(({ path, v3 }) => [path, v3]),
  );
  texts.push('},"components":{');
  if (schemas.length > 0) {
    texts.push('"schemas":{');
    addMembers(
      texts,
      schemas.map(({ name, schema, kinds }) => [name, withKinds(schema.v3, kinds)]),
    );
    texts.push('},');
  }
  texts.push(`${SECURITY}}}`);
  // Joined at once, because the text is large and each concatenation would copy it.
  return texts.join('');
}

/** Appends the members of an object. `lineEnd` precedes each member. */
export function addMembers(
  texts: string[],
  members: readonly (readonly [name: string, value: string])[],
  lineEnd = '',
): void {
  let before = lineEnd;
  for (const member of members) {
    texts.push(`${before}${JSON.stringify(member[0])}:`, member[1]);
    before = `,${lineEnd}`;
  }
}

const SECURITY =
  '"securitySchemes":{"BearerToken":{"type":"apiKey","description":"A bearer token","name":"authorization","in":"header"}}';

/** Returns a path item that belongs to one path only. */
export function pathText(path: string, item: JsonObject): PathText {
  return {
    path,
    get v3() {
      return writeJson(item);
    },
    v2: () => {
      const parameters = new Map<string, JsonObject>();
      return { text: writeJson(pathItemV2(item, parameters)), parameters };
    },
    item: () => item,
  };
}

/** Returns the path items by path. */
export function pathItems(operations: readonly ResolvedOperation[]): ReadonlyMap<string, JsonObject> {
  const byPath = new Map<string, ResolvedOperation[]>();
  for (const resolved of operations) {
    const known = byPath.get(resolved.operation.path);
    if (known === undefined) byPath.set(resolved.operation.path, [resolved]);
    else known.push(resolved);
  }
  return new Map([...byPath].map(([path, list]) => [path, pathItem(list)]));
}

function pathItem(list: readonly ResolvedOperation[]): JsonObject {
  const [first, ...others] = list.map(({ operation }) => operation.parameters);
  const common = (first ?? []).filter((parameter) => others.every((parameters) => parameters.includes(parameter)));
  const item: JsonObject = {};
  for (const method of METHODS) {
    const resolved = list.find(({ operation }) => operation.method === method);
    if (resolved !== undefined) item[method] = operationObject(resolved, common);
  }
  if (common.length > 0) item.parameters = common.map(parameterObject);
  return item;
}

function operationObject({ operation, schemaOf }: ResolvedOperation, common: readonly Parameter[]): JsonObject {
  const { body, kind } = operation;
  const parameters = operation.parameters.filter((parameter) => !common.includes(parameter));
  const responses: JsonObject = {};
  for (const { code, content } of operation.answers)
    responses[code] = { description: TEXTS[code], content: contentObject(operation.produces, schemaOf(content)) };
  responses['401'] = { description: 'Unauthorized' };
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.id,
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameterObject) }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            content: contentObject(body.consumes, schemaOf(body.content)),
            ...(body.isRequired ? { required: true } : {}),
          },
        }),
    responses,
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': { group: kind.group, version: kind.version, kind: kind.kind },
  };
}

function parameterObject({ name, in: place, type, description }: Parameter): JsonObject {
  return {
    name,
    in: place,
    description,
    ...(place === 'path' ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  };
}

function contentObject(mediaTypes: readonly string[], schema: JsonObject): JsonObject {
  return Object.fromEntries([...mediaTypes].sort().map((mediaType) => [mediaType, { schema }]));
}

/** A path with one GET and no parameters, such as those of discovery and `/version`. */
export interface SimplePath {
  /** The name of its document: `apis/apps`, `version`. */
  readonly document: string;
  /** Ends with a slash, as in the reference. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly produces: readonly string[];
  /** The name of a shared type that the path returns. Default: plain text. */
  readonly typeName?: string;
}

export function simplePathItem(simple: SimplePath, schema: JsonObject): JsonObject {
  return {
    get: {
      tags: [simple.tag],
      description: simple.description,
      operationId: simple.id,
      responses: {
        '200': { description: TEXTS[200], content: contentObject(simple.produces, schema) },
        '401': { description: 'Unauthorized' },
      },
    },
  };
}
