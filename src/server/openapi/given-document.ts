/** OpenAPI documents that another server has made: the aggregator publishes those of extension API servers. */
import type { GroupVersion, GroupVersionKind } from '../../apimachinery/meta/gvk.ts';
import { objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import { type DocumentParts, pathText } from './document-v3.ts';
import { SchemaText, type WrittenSchema } from './schema-text.ts';

/** The v3 document of one group-version. The publisher caches what the methods return. */
export interface GivenDocument extends GroupVersion {
  /** The hash in the index of `/openapi/v3`. It changes with the document. */
  readonly hash: string;
  /** Returns the document as JSON. */
  json(): MaybePromise<Uint8Array>;
  /** Returns the document in its gnostic protobuf form. */
  protobuf(): MaybePromise<Uint8Array>;
  /**
   * Returns the parsed document, from which this group-version's part of `/openapi/v2` is made. Undefined while it is
   * not known: `/openapi/v2` is then served without it. Called when `/openapi/v2` is made.
   */
  value(): JsonObject | undefined;
}

const KINDS = 'x-kubernetes-group-version-kind';

/** Returns the parts of a parsed v3 document. */
export function partsOf(document: JsonObject): DocumentParts {
  const paths = membersOf(objectAt(document, 'paths')).map(([path, item]) => pathText(path, item));
  const schemas = membersOf(objectAt(document, 'components', 'schemas'))
    .sort(([a], [b]) => compareUtf8(a, b))
    .map(([name, schema]) => writtenSchema(name, schema));
  return { paths, schemas };
}

function membersOf(object: JsonObject | undefined): [string, JsonObject][] {
  return Object.entries(object ?? {}).filter((member): member is [string, JsonObject] => isJsonObject(member[1]));
}

function writtenSchema(name: string, schema: JsonObject): WrittenSchema {
  const { [KINDS]: kinds, ...rest } = schema;
  return {
    name,
    schema: new SchemaText(() => rest),
    kinds: Array.isArray(kinds) ? kinds.filter(isJsonObject).map(kindOf) : [],
  };
}

function kindOf(value: JsonObject): GroupVersionKind {
  return { group: textAt(value, 'group'), version: textAt(value, 'version'), kind: textAt(value, 'kind') };
}
