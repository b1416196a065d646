/**
 * Tables, which `kubectl get` prints, made from the columns of a kind. A row has one cell per column, and its object in
 * the form that `includeObject` names.
 */

import { quote } from '../../../apimachinery/go-format.ts';
import { metadataOf, nameOf, resourceVersionOf } from '../../../apimachinery/meta/meta.ts';
import { firstParam, type QueryParams } from '../../../apimachinery/meta/query.ts';
import { formatHumanDuration } from '../../../apimachinery/scalars/human-duration.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { badRequest } from '../../../apimachinery/status/status-catalogue.ts';
import { INITIAL_EVENTS_END } from '../../../apimachinery/watch/watch-event.ts';
import { getField, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import type { TableDefinition, VersionDefinition } from '../../resource/version-definition.ts';
import { partialMetadata } from './partial-metadata.ts';

export type IncludeObject = 'Metadata' | 'Object' | 'None';

/** Reads `includeObject`. Throws the 400 for an unknown value. */
export function readTableOptions(params: QueryParams): { readonly includeObject: IncludeObject } {
  const value = params.size === 0 ? '' : (firstParam(params, 'includeObject') ?? '');
  switch (value) {
    case '':
    case 'Metadata':
      return { includeObject: 'Metadata' };
    case 'Object':
    case 'None':
      return { includeObject: value };
    default: {
      const problem = `includeObject: Invalid value: ${quote(value)}: must be 'Metadata', 'Object', 'None', or empty`;
      throw new StatusError(badRequest(`Unable to convert to Table as requested: ${problem}`));
    }
  }
}

export interface TableShape {
  /** `meta.k8s.io/v1` or `meta.k8s.io/v1beta1`. */
  readonly apiVersion: string;
  readonly includeObject: IncludeObject;
  /** Milliseconds since 1970, for ages. */
  readonly now: number;
  /** The metadata of the list. Default: the table has one object, and its resourceVersion. */
  readonly metadata?: JsonObject;
  /** Omits the columns: a watch sends them only once. Default false. */
  readonly noHeaders?: boolean;
}

export function tableOf(version: VersionDefinition, objects: readonly JsonObject[], shape: TableShape): JsonObject {
  const table = tableDefinitionOf(version);
  const rows: JsonArray = objects.map((object) => {
    const conditions = table.conditions?.(object);
    return {
      cells: table.cells(object, shape.now),
      ...(conditions === undefined ? undefined : { conditions }),
      object: rowObject(object, shape, table),
    };
  });
  return {
    kind: 'Table',
    apiVersion: shape.apiVersion,
    metadata: shape.metadata ?? objectMetadata(objects[0]),
    columnDefinitions: shape.noHeaders === true ? null : columnDefinitions(table),
    rows,
  };
}

/** Returns the columns as a Table contains them. */
export function columnDefinitions(table: TableDefinition): JsonArray {
  return table.columns.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
}

export function tableDefinitionOf(version: VersionDefinition): TableDefinition {
  return version.table?.() ?? NAME_AND_AGE;
}

function objectMetadata(object: JsonObject | undefined): JsonObject {
  const resourceVersion = object === undefined ? '' : resourceVersionOf(object);
  return resourceVersion === '' ? {} : { resourceVersion };
}

function rowObject(object: JsonObject, { apiVersion, includeObject }: TableShape, table: TableDefinition): JsonValue {
  if (includeObject === 'Object') return object;
  if (includeObject === 'None' && !endsInitialEvents(object)) return null;
  return partialMetadata(table.metadataSource?.(object) ?? object, apiVersion);
}

/**
 * Reports whether the object is the bookmark that ends the initial events. Its row must keep the annotation, whatever
 * `includeObject` is.
 */
function endsInitialEvents(object: JsonObject): boolean {
  const metadata = metadataOf(object);
  const annotations = metadata === undefined ? undefined : getField(metadata, 'annotations');
  return isJsonObject(annotations) && getField(annotations, INITIAL_EVENTS_END) === 'true';
}

const NAME_AND_AGE: TableDefinition = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'The name of the object.', priority: 0 },
    { name: 'Age', type: 'string', format: '', description: 'How long ago the object was created.', priority: 0 },
  ],
  cells: (object, now) => [nameOf(object), age(object, now)],
};

function age(object: JsonObject, now: number): string {
  const metadata = metadataOf(object);
  const created = metadata === undefined ? undefined : getField(metadata, 'creationTimestamp');
  const time = typeof created === 'string' ? Date.parse(created) : Number.NaN;
  return Number.isNaN(time) ? '<unknown>' : formatHumanDuration(now - time);
}
