/**
 * A schema made ready for objects. Invariant: nothing is made of the schema before an object needs it; an object that is right is only read.
 */

import type { StructView } from '../apimachinery/type-view.ts';
import { addIssues, type FieldIssue, invalid } from '../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../apimachinery/validation/field-path.ts';
import { getField, type JsonObject, type JsonValue } from '../base/json-value.ts';
import type { CompiledSchema, CompileOptions, ValidateOptions } from './compiled-schema.ts';
import { coerceEmbedded, hasEmbedded, validateEmbedded } from './embedded-resource.ts';
import { pruneObject } from './prune.ts';
import { defaultsOf } from './prune-default.ts';
import { Defaulter } from './set-defaults.ts';
import type { StructuralSchema } from './structural/structural.ts';
import { Correlated } from './validation/correlated.ts';
import { explain } from './validation/explain.ts';
import { hasListTypes, validateListTypes } from './validation/list-types.ts';
import { renewEffort, TooMuchEffort } from './validation/validation-effort.ts';
import { ValidationResult } from './validation/validation-result.ts';
import { type ValidatorNode, validatorNode } from './validation/validator-node.ts';
import { viewOf } from './view.ts';

/** What all rules of an object may cost together. */
export const CEL_BUDGET = 10_000_000;

export function compileSchema(schema: StructuralSchema, options: CompileOptions): CompiledSchema {
  return new Compiled(schema, options);
}

const NONE: readonly never[] = [];

class Compiled implements CompiledSchema {
  readonly schema: StructuralSchema;
  readonly #options: CompileOptions;
  #view: StructView | undefined;
  #validator: ValidatorNode | undefined;
  #defaulter: Defaulter | undefined;
  #hasEmbedded: boolean | undefined;
  #hasListTypes: boolean | undefined;
  #isSimple: boolean | undefined;

  constructor(schema: StructuralSchema, options: CompileOptions) {
    this.schema = schema;
    this.#options = options;
  }

  get view(): StructView {
    this.#view ??= viewOf(this.schema, this.#options);
    return this.#view;
  }

  prune(object: JsonObject): readonly string[] {
    return this.#options.preserveUnknownFields === true ? NONE : pruneObject(this.schema, object);
  }

  setDefaults(object: JsonObject): void {
    this.#defaulter ??= new Defaulter(this.schema, defaultsOf(this.schema, this.#options.objectMeta));
    this.#defaulter.setDefaults(object);
  }

  coerceEmbedded(
    object: JsonObject,
    options: { readonly dropMalformed?: boolean } = {},
  ): ReturnType<CompiledSchema['coerceEmbedded']> {
    if (!this.#embeds) return { ok: true, unknown: NONE };
    return coerceEmbedded(this.schema, object, { ...options, objectMeta: this.#options.objectMeta });
  }

  validate(object: JsonObject, options: ValidateOptions = {}): readonly FieldIssue[] {
    if (options.part === undefined && this.#asksLimitsAlone && keepsTo(this.#root, object)) return NONE;
    const { old } = options;
    const { part, found = NONE } = options;
    let issues: FieldIssue[] | undefined;
    const add = (more: readonly FieldIssue[]): void => {
      if (more.length === 0) return;
      issues ??= [];
      addIssues(issues, more);
    };
    if (part !== 'rest')
      add(withinEffort(() => (part === 'status' ? this.#statusIssues(object, old) : this.#schemaIssues(object, old))));
    if (this.#embeds && part !== 'status')
      add(validateEmbedded(this.schema, object, { objectMeta: this.#options.objectMeta }));
    this.#hasListTypes ??= hasListTypes(this.schema.source);
    if (this.#hasListTypes) {
      const wrong = validateListTypes(this.schema, object);
      // Lists that were wrong before may stay wrong, all of them.
      if (wrong.length > 0 && (old === undefined || validateListTypes(this.schema, old).length === 0)) add(wrong);
    }
    const { rules } = this.#options;
    if (rules?.hasRules === true) {
      if (found.some(blocksRules) || issues?.some(blocksRules) === true) add([RULES_NOT_CHECKED]);
      else add(rules.evaluate(object, { old, budget: options.celBudget ?? CEL_BUDGET, warn: options.warn ?? ignore }));
    }
    return issues ?? NONE;
  }

  /** Nothing is to be judged but types and limits. */
  get #asksLimitsAlone(): boolean {
    this.#isSimple ??= !this.#embeds && !hasListTypes(this.schema.source) && this.#options.rules?.hasRules !== true;
    return this.#isSimple;
  }

  get #embeds(): boolean {
    this.#hasEmbedded ??= hasEmbedded(this.schema.source);
    return this.#hasEmbedded;
  }

  get #root(): ValidatorNode {
    this.#validator ??= validatorNode(this.schema.source, 'object');
    return this.#validator;
  }

  #schemaIssues(object: JsonObject, old: JsonObject | undefined): readonly FieldIssue[] {
    if (this.#root.check(object)) return NONE;
    const pair = old === undefined ? undefined : new Correlated(object, old, this.schema);
    return issuesOf(this.#root, object, undefined, pair);
  }

  /** Texts name places inside the status, as the reference's do. */
  #statusIssues(object: JsonObject, old: JsonObject | undefined): readonly FieldIssue[] {
    const status = getField(object, 'status');
    const node = this.#root.property('status');
    if (status === undefined || node === undefined || node.check(status)) return NONE;
    const pair = old === undefined ? undefined : new Correlated(object, old, this.schema).key('status');
    return issuesOf(node, status, STATUS, pair);
  }
}

const STATUS = FieldPath.of('status');

/** False also where it would be too much to judge: whoever explains says so. */
function keepsTo(node: ValidatorNode, object: JsonObject): boolean {
  renewEffort();
  try {
    return node.check(object);
  } catch (caught) {
    if (caught instanceof TooMuchEffort) return false;
    throw caught;
  }
}

/** What is too much to judge is wrong. */
function withinEffort(judge: () => readonly FieldIssue[]): readonly FieldIssue[] {
  renewEffort();
  try {
    return judge();
  } catch (caught) {
    if (caught instanceof TooMuchEffort) return [invalid(undefined, null, caught.message)];
    throw caught;
  }
}

function issuesOf(
  node: ValidatorNode,
  value: JsonValue,
  base: FieldPath | undefined,
  pair: Correlated | undefined,
): readonly FieldIssue[] {
  const result = new ValidationResult(base);
  explain(result, node, value, '', pair);
  return [...result.findings.values()];
}

const RULES_NOT_CHECKED: FieldIssue = invalid(
  undefined,
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

function blocksRules(issue: FieldIssue): boolean {
  return BLOCKING.has(issue.reason);
}

function ignore(): void {}
