/** A version of a declared resource: a structural schema with the columns and the defaults of the program. */
import type { JsonObject } from '../../../base/json-value.ts';
import { SchemaVersion, type SchemaVersionOptions } from '../schema/schema-version.ts';
import type { TableDefinition } from '../version-definition.ts';

export interface KitVersionOptions extends SchemaVersionOptions {
  /** Makes the Table, instead of `columns`. Default: none. */
  readonly makeTable?: (() => TableDefinition) | undefined;
  /** Called after the defaults of the schema, with an object of this version. Default: none. */
  readonly defaultMore?: ((object: JsonObject) => void) | undefined;
}

export class KitVersion extends SchemaVersion {
  readonly #makeTable: (() => TableDefinition) | undefined;
  readonly #defaultMore: ((object: JsonObject) => void) | undefined;
  #ownTable: TableDefinition | undefined;

  constructor(options: KitVersionOptions) {
    super(options);
    this.#makeTable = options.makeTable;
    this.#defaultMore = options.defaultMore;
  }

  override setDefaults(object: JsonObject, keepNulls = false): void {
    super.setDefaults(object, keepNulls);
    if (this.#defaultMore !== undefined && this.isOwn(object)) this.#defaultMore(object);
  }

  override table(): TableDefinition {
    if (this.#makeTable === undefined) return super.table();
    this.#ownTable ??= this.#makeTable();
    return this.#ownTable;
  }
}
