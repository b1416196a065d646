/**
 * The hooks of a declared resource as strategies and stores call them. Invariant: hooks get objects in the hub version.
 * The type parameter of the options ends here: the schema has validated the objects.
 */

import { textAt } from '../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { invalid as invalidStatus } from '../../../apimachinery/status/status-catalogue.ts';
import { type FieldIssue, invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { cloneJson, equalJson, getField, type JsonObject, type JsonValue, setField } from '../../../base/json-value.ts';
import { andThen, isPromise, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { ResourceContext } from '../resource-store.ts';
import { type HookContext, HookRequest } from './hook-context.ts';
import type { HubConversion } from './hub-conversion.ts';
import type { ResourceHooks } from './resource-options.ts';
import { isLibrarySchema, type LibraryIssue, type LibrarySchema, type SchemaSource } from './schema-source.ts';

/** The hooks without their type parameter. */
export type ErasedHooks = ResourceHooks<JsonObject>;

/** The schemas of a library whose refinements run, by the field that they are for. */
export type Refinements = readonly { readonly field: string; readonly schema: LibrarySchema }[];

export class KitHooks {
  readonly conversion: HubConversion;
  readonly #hooks: ErasedHooks;
  readonly #refinements: Refinements;

  constructor(hooks: ErasedHooks, refinements: Refinements, conversion: HubConversion) {
    this.#hooks = hooks;
    this.#refinements = refinements;
    this.conversion = conversion;
  }

  /** Whether writes must be checked beyond the schema. */
  get checksWrites(): boolean {
    return this.#hooks.validate !== undefined || this.#refinements.length > 0;
  }

  get checksDeletes(): boolean {
    return this.#hooks.beforeDelete !== undefined;
  }

  get changesReads(): boolean {
    return this.#hooks.read !== undefined;
  }

  /** Calls `mutate` and brings the result back into the version of the request, in place. */
  mutate(object: JsonObject, old: JsonObject | undefined, context: ResourceContext): void {
    const { mutate } = this.#hooks;
    if (mutate === undefined) return;
    const { version } = context;
    const hub = this.conversion.toHub(object, version);
    const before = old === undefined ? undefined : this.conversion.toHub(old, version);
    mutate.call(this.#hooks, hub as never, before as never, new HookRequest(context));
    if (hub !== object) replaceWith(object, this.conversion.fromHub(hub, version));
  }

  warnings(object: JsonObject, old: JsonObject | undefined, context: ResourceContext): readonly string[] {
    const { warnings } = this.#hooks;
    if (warnings === undefined) return [];
    const [next, before] = this.#inHub(object, old, context);
    return warnings.call(this.#hooks, next as never, before as never, new HookRequest(context));
  }

  /** Runs the refinements of the schema library, then `validate`. Called with an object that the schemas accept. */
  readonly check = (
    object: JsonObject,
    old: JsonObject | undefined,
    context: ResourceContext,
  ): MaybePromise<readonly FieldIssue[]> => {
    const [next, before] = this.#inHub(object, old, context);
    return andThen(this.#refine(next, before), (found) => {
      const { validate } = this.#hooks;
      if (found.length > 0 || validate === undefined) return found;
      return validate.call(this.#hooks, next as never, before as never, new HookRequest(context));
    });
  };

  /** Throws, or rejects with, the 422 if `beforeDelete` refuses. */
  beforeDelete(object: JsonObject, context: ResourceContext, dryRun: boolean): MaybePromise<void> {
    const { beforeDelete } = this.#hooks;
    if (beforeDelete === undefined) return;
    const { version } = context;
    const hub = this.conversion.toHub(object, version);
    const found = beforeDelete.call(this.#hooks, hub as never, new HookRequest(context, dryRun));
    return andThen(found, (issues) => {
      if (issues === undefined || issues.length === 0) return;
      throw new StatusError(
        invalidStatus({ group: version.group, kind: version.kind }, textAt(object, 'metadata', 'name'), issues),
      );
    });
  }

  /** Returns what a client sees of an object, which may be modified. `context` is one per request. */
  read(object: JsonObject, context: HookContext): MaybePromise<JsonObject> {
    const { read } = this.#hooks;
    if (read === undefined) return object;
    const { version } = context;
    const hub = this.conversion.toHub(object, version);
    const shown = read.call(this.#hooks, hub as never, context) as MaybePromise<JsonObject>;
    return andThen(shown, (seen) => this.conversion.fromHub(seen, version));
  }

  #inHub(
    object: JsonObject,
    old: JsonObject | undefined,
    { version }: ResourceContext,
  ): readonly [next: JsonObject, before: JsonObject | undefined] {
    return [this.conversion.toHub(object, version), old && this.conversion.toHub(old, version)];
  }

  /** Runs the refinements of the parts that changed. Unchanged parts are not validated again, as with the schema. */
  #refine(object: JsonObject, old: JsonObject | undefined): MaybePromise<readonly FieldIssue[]> {
    let found: MaybePromise<readonly FieldIssue[]> = [];
    for (const { field, schema } of this.#refinements) {
      const value = getField(object, field);
      const before = old === undefined ? undefined : getField(old, field);
      if (value === undefined || (before !== undefined && equalJson(value, before))) continue;
      const issues = refine(schema, field, value);
      const earlier: MaybePromise<readonly FieldIssue[]> = found;
      found =
        isPromise(earlier) || isPromise(issues)
          ? Promise.all([earlier, issues]).then(([a, b]) => [...a, ...b])
          : [...earlier, ...issues];
    }
    return found;
  }
}

/** Returns the refinements of the schemas that come from a library. */
export function refinementsOf(schemas: Readonly<Record<string, SchemaSource | undefined>>): Refinements {
  return Object.entries(schemas).flatMap(([field, schema]) =>
    schema !== undefined && isLibrarySchema(schema) && schema['~standard'].validate !== undefined
      ? [{ field, schema }]
      : [],
  );
}

/** Runs the library's validation of a value, which gets a copy. Issues are at paths below `field`; '' for none. */
export function refine(schema: LibrarySchema, field: string, value: JsonValue): MaybePromise<readonly FieldIssue[]> {
  const result = schema['~standard'].validate?.(cloneJson(value));
  if (result === undefined) return [];
  return andThen(result, ({ issues = [] }) => issues.map((issue) => fieldIssue(issue, field, value)));
}

function fieldIssue({ message, path = [] }: LibraryIssue, field: string, value: JsonValue): FieldIssue {
  let at: FieldPath | undefined = field === '' ? undefined : FieldPath.of(field);
  let inner: JsonValue | undefined = value;
  for (const step of path) {
    const key = typeof step === 'object' ? step.key : step;
    if (Array.isArray(inner)) {
      at = at === undefined ? FieldPath.ofIndex(Number(key)) : at.index(Number(key));
      inner = inner[Number(key)];
    } else {
      at = at === undefined ? FieldPath.of(String(key)) : at.child(String(key));
      inner = typeof inner === 'object' && inner !== null ? getField(inner as JsonObject, String(key)) : undefined;
    }
  }
  return invalid(at, inner ?? null, message);
}

function replaceWith(object: JsonObject, next: JsonObject): void {
  for (const name of Object.keys(object)) delete object[name];
  for (const name of Object.keys(next)) setField(object, name, next[name] as JsonValue);
}
