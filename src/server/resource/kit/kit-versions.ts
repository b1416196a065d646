/** The versions of a declared resource, made from its schemas and columns. */
import type { JsonObject } from '../../../base/json-value.ts';
import { compileSchema } from '../../../schema/compile-schema.ts';
import { rulesOf } from '../../../schema/rules/rules-of.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import type { JsonPathColumn } from '../json-path-columns.ts';
import { checkedSchema } from '../schema/check-schema.ts';
import { objectMetaView } from '../schema/object-metadata-form.ts';
import { schemaDocuments } from '../schema/schema-openapi.ts';
import type { TableDefinition } from '../version-definition.ts';
import { checkFieldNumbers, withRootNumbers } from './field-numbers.ts';
import { functionTable } from './function-columns.ts';
import { KitVersion } from './kit-version.ts';
import type { FunctionColumns, ResourceColumn, ResourceOptions, SpokeVersion } from './resource-options.ts';
import { wholeSchema } from './whole-schema.ts';

interface Names {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
}

/** Returns the version that is stored, and that hooks see. Throws ConfigError. */
export function hubVersion(options: ResourceOptions<JsonObject>, names: Names): KitVersion {
  const { version, columns = [], selectableFields = [], default: setDefaults } = options;
  return kitVersion(names, {
    version,
    schema: wholeSchema(options.kind, options),
    selectableFields,
    columns: isList(columns) ? columns : [],
    makeTable: isList(columns) ? undefined : () => functionTable(columns),
    defaultMore: setDefaults && ((object) => setDefaults.call(options, object as never)),
    deprecationWarning: '',
    isStorage: true,
    hasOwnStore: options.store !== undefined,
    protobuf: options.protobuf,
  });
}

/** Returns a version that is converted through the hub. Throws ConfigError. */
export function spokeVersion(spoke: SpokeVersion, options: ResourceOptions<JsonObject>, names: Names): KitVersion {
  const { version, selectableFields = [], deprecated = false } = spoke;
  const { columns: shared = [], description } = options;
  const warning = `${names.group}/${version} ${names.kind} is deprecated`;
  return kitVersion(names, {
    version,
    schema: wholeSchema(`${names.kind} ${version}`, { description, ...spoke }),
    selectableFields,
    columns: spoke.columns ?? (isList(shared) ? shared : []),
    makeTable: undefined,
    defaultMore: undefined,
    deprecationWarning: typeof deprecated === 'string' ? deprecated : deprecated ? warning : '',
    isStorage: false,
    hasOwnStore: options.store !== undefined,
    protobuf: options.protobuf,
  });
}

/** Returns the version of the bodies, or of the answers, of an action. Bodies may leave out apiVersion and kind. */
export function actionVersion(names: Names & { readonly version: string }, schema: JsonObject): KitVersion {
  return kitVersion(names, {
    version: names.version,
    schema,
    selectableFields: [],
    columns: [],
    makeTable: undefined,
    defaultMore: undefined,
    deprecationWarning: '',
    isStorage: false,
    hasOwnStore: true,
    unstructured: false,
  });
}

interface VersionParts {
  readonly version: string;
  readonly schema: JsonObject;
  readonly selectableFields: readonly string[];
  readonly columns: readonly ResourceColumn[];
  readonly makeTable: (() => TableDefinition) | undefined;
  readonly defaultMore: ((object: JsonObject) => void) | undefined;
  readonly deprecationWarning: string;
  readonly isStorage: boolean;
  readonly hasOwnStore: boolean;
  /** Default true. */
  readonly unstructured?: boolean;
  /** Default false. */
  readonly protobuf?: boolean | undefined;
}

function kitVersion({ group, kind, plural }: Names, parts: VersionParts): KitVersion {
  const { version, selectableFields, hasOwnStore, columns, protobuf = false } = parts;
  const schema = checkedSchema(kind, protobuf ? withRootNumbers(parts.schema) : parts.schema);
  if (protobuf) checkFieldNumbers(kind, schema);
  const names = { group, version, kind, listKind: `${kind}List`, selectableFields };
  const strategicMerge = declaresListTypes(schema);
  return new KitVersion({
    ...names,
    compile: () =>
      compileSchema(schema, {
        objectMeta: objectMetaView(),
        rules: rulesOf(schema),
        patchesByListType: strategicMerge,
        fieldNumbers: protobuf,
      }),
    unstructured: parts.unstructured ?? true,
    strategicMerge,
    protobuf,
    hasStatus: !hasOwnStore && schema.properties.has('status'),
    isStorage: parts.isStorage,
    columns: columns.map(completeColumn),
    makeTable: parts.makeTable,
    defaultMore: parts.defaultMore,
    deprecationWarning: parts.deprecationWarning,
    openapi: schemaDocuments({ ...names, plural, schema: () => schema }),
  });
}

/** Reports whether every list says how it is merged. Strategic merge patches are allowed then. */
function declaresListTypes({
  type,
  listType,
  properties,
  items,
  additionalProperties: values,
}: StructuralSchema): boolean {
  if (type === 'array' && listType === '') return false;
  for (const property of properties.values()) if (!declaresListTypes(property)) return false;
  if (items !== undefined && !declaresListTypes(items)) return false;
  return typeof values !== 'object' || declaresListTypes(values);
}

function completeColumn(column: ResourceColumn): JsonPathColumn {
  return { type: 'string', format: '', description: '', priority: 0, ...column };
}

function isList(
  columns: readonly ResourceColumn[] | FunctionColumns<JsonObject>,
): columns is readonly ResourceColumn[] {
  return Array.isArray(columns);
}
