/**
 * The implementation of `CompiledSchema`. Each part (view, validator, defaulter) is built when an object first needs
 * it.
 *
 * Invariant: a valid object is only read, never copied.
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
import { BudgetExceeded, ValidationBudget } from './validation/validation-budget.ts';
import { ValidationResult } from './validation/validation-result.ts';
import { type ValidatorNode, validatorNode } from './validation/validator-node.ts';
import { viewOf } from './view.ts';

/** The CEL cost budget of all rules of one object, in kube-apiserver's units. */
export const CEL_BUDGET = 10_000_000;

/** Does no work yet: see `CompiledSchema`. */
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

  setDefaults(object: JsonObject, keepNulls = false): void {
    this.#defaulter ??= new Defaulter(this.schema, defaultsOf(this.schema, this.#options.objectMeta));
    this.#defaulter.setDefaults(object, keepNulls);
  }

  coerceEmbedded(
    object: JsonObject,
    options: { readonly dropMalformed?: boolean } = {},
  ): ReturnType<CompiledSchema['coerceEmbedded']> {
    if (!this.#embeds) return { ok: true, unknown: NONE };
    return coerceEmbedded(this.schema, object, { ...options, objectMeta: this.#options.objectMeta });
  }

  validate(object: JsonObject, options: ValidateOptions = {}): readonly FieldIssue[] {
    if (options.part === undefined && this.#hasLimitsOnly && satisfies(this.#root, object)) return NONE;
    const { old } = options;
    const { part, found = NONE } = options;
    let issues: FieldIssue[] | undefined;
    const add = (more: readonly FieldIssue[]): void => {
      if (more.length === 0) return;
      issues ??= [];
      addIssues(issues, more);
    };
    if (part !== 'rest') add(this.#limitIssues(object, old, part));
    if (this.#embeds && part !== 'status')
      add(validateEmbedded(this.schema, object, { objectMeta: this.#options.objectMeta }));
    this.#hasListTypes ??= hasListTypes(this.schema.source);
    if (this.#hasListTypes) {
      const wrong = validateListTypes(this.schema, object);
      // If any list of the old object has duplicates, the lists of the new object are not checked.
      if (wrong.length > 0 && (old === undefined || validateListTypes(this.schema, old).length === 0)) add(wrong);
    }
    const { rules } = this.#options;
    if (rules?.hasRules === true) {
      if (found.some(blocksRules) || issues?.some(blocksRules) === true) add([RULES_NOT_CHECKED]);
      else add(rules.evaluate(object, { old, budget: options.celBudget ?? CEL_BUDGET, warn: options.warn ?? ignore }));
    }
    return issues ?? NONE;
  }

  /** True if the schema has types and limits but no embedded resources, list types or rules. */
  get #hasLimitsOnly(): boolean {
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

  /** Issues with types and limits. A validation that exceeds its budget is an issue too. */
  #limitIssues(object: JsonObject, old: JsonObject | undefined, part: 'status' | undefined): readonly FieldIssue[] {
    const budget = new ValidationBudget();
    try {
      return part === 'status' ? this.#statusIssues(object, old, budget) : this.#objectIssues(object, old, budget);
    } catch (caught) {
      if (caught instanceof BudgetExceeded) return [invalid(undefined, null, caught.message)];
      throw caught;
    }
  }

  #objectIssues(object: JsonObject, old: JsonObject | undefined, budget: ValidationBudget): readonly FieldIssue[] {
    if (this.#root.check(object, budget)) return NONE;
    const pair = old === undefined ? undefined : new Correlated(object, old, this.schema);
    return issuesOf(this.#root, object, pair, new ValidationResult(undefined, budget));
  }

  /** Messages contain paths below the status, like kube-apiserver's. */
  #statusIssues(object: JsonObject, old: JsonObject | undefined, budget: ValidationBudget): readonly FieldIssue[] {
    const status = getField(object, 'status');
    const node = this.#root.property('status');
    if (status === undefined || node === undefined || node.check(status, budget)) return NONE;
    const pair = old === undefined ? undefined : new Correlated(object, old, this.schema).key('status');
    return issuesOf(node, status, pair, new ValidationResult(STATUS, budget));
  }
}

const STATUS = FieldPath.of('status');

/** False if the object is invalid or the check exceeds its budget; the full validation then reports which. */
function satisfies(node: ValidatorNode, object: JsonObject): boolean {
  try {
    return node.check(object, new ValidationBudget());
  } catch (caught) {
    if (caught instanceof BudgetExceeded) return false;
    throw caught;
  }
}

function issuesOf(
  node: ValidatorNode,
  value: JsonValue,
  pair: Correlated | undefined,
  result: ValidationResult,
): readonly FieldIssue[] {
  explain(result, node, value, '', pair);
  return [...result.findings.values()];
}

const RULES_NOT_CHECKED: FieldIssue = invalid(
  undefined,
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

/** Reasons of issues that keep rules from running: rules may rely on types, sizes and enumerations. */
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
