/**
 * GetOptions, CreateOptions, UpdateOptions and PatchOptions, decoded from a query and validated with the reference's
 * rules. An absent option has its zero value.
 */
import { type FieldIssue, forbidden, notSupported, required } from '../validation/field-issue.ts';
import { FieldPath } from '../validation/field-path.ts';
import { validateFieldManager } from '../validation/validate-managed-fields.ts';
import { boolParam, checkOptions, listParam, type OptionsResult, textParam } from './options-decode.ts';
import type { QueryParams } from './query.ts';

export interface GetOptions {
  readonly resourceVersion: string;
}

/** The options of create and update. */
export interface WriteOptions {
  /** After validation empty, or every value is `All`. Any value means that nothing is stored. */
  readonly dryRun: readonly string[];
  readonly fieldManager: string;
  /** After validation `Ignore`, `Warn`, `Strict` or ''. */
  readonly fieldValidation: string;
}

export type CreateOptions = WriteOptions;
export type UpdateOptions = WriteOptions;

export interface PatchOptions extends WriteOptions {
  readonly force: boolean | undefined;
}

const DRY_RUN = FieldPath.of('dryRun');
const FIELD_MANAGER = FieldPath.of('fieldManager');
const FIELD_VALIDATION = FieldPath.of('fieldValidation');
const FORCE = FieldPath.of('force');
const FIELD_VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

const DEFAULT_GET_OPTIONS: GetOptions = { resourceVersion: '' };
const DEFAULT_PATCH_OPTIONS: PatchOptions = { dryRun: [], fieldManager: '', fieldValidation: '', force: undefined };
const DEFAULT_WRITE_OPTIONS: WriteOptions = { dryRun: [], fieldManager: '', fieldValidation: '' };

/** Decodes the options of get. Never fails. */
export function readGetOptions(params: QueryParams): GetOptions {
  return params.size === 0 ? DEFAULT_GET_OPTIONS : { resourceVersion: textParam(params, 'resourceVersion') };
}

export function readCreateOptions(params: QueryParams): OptionsResult<CreateOptions> {
  return readWriteOptions(params);
}

export function readUpdateOptions(params: QueryParams): OptionsResult<UpdateOptions> {
  return readWriteOptions(params);
}

/** `apply` is true for server-side apply, which requires a field manager and is the only patch that may be forced. */
export function readPatchOptions(params: QueryParams, apply: boolean): OptionsResult<PatchOptions> {
  const value: PatchOptions =
    params.size === 0 ? DEFAULT_PATCH_OPTIONS : { ...decodeWriteOptions(params), force: boolParam(params, 'force') };
  return checkOptions({ ok: true, value }, (options) => validatePatchOptions(options, apply));
}

function validateWriteOptions(options: WriteOptions): FieldIssue[] {
  return [
    ...validateFieldManager(options.fieldManager, FIELD_MANAGER),
    ...validateDryRun(options.dryRun),
    ...validateFieldValidation(options.fieldValidation),
  ];
}

function validatePatchOptions(options: PatchOptions, apply: boolean): FieldIssue[] {
  const issues = validateWriteOptions(options);
  if (apply && options.fieldManager === '') issues.unshift(required(FIELD_MANAGER, 'is required for apply patch'));
  if (!apply && options.force !== undefined)
    issues.unshift(forbidden(FORCE, 'may not be specified for non-apply patch'));
  return issues;
}

export function validateDryRun(dryRun: readonly string[]): FieldIssue[] {
  return dryRun.every((value) => value === 'All') ? [] : [notSupported(DRY_RUN, [...dryRun], ['All'])];
}

/** Whether the request must not store anything. */
export function isDryRun(options: { readonly dryRun: readonly string[] }): boolean {
  return options.dryRun.length > 0;
}

function readWriteOptions(params: QueryParams): OptionsResult<WriteOptions> {
  if (params.size === 0) return { ok: true, value: DEFAULT_WRITE_OPTIONS };
  return checkOptions({ ok: true, value: decodeWriteOptions(params) }, validateWriteOptions);
}

function decodeWriteOptions(params: QueryParams): WriteOptions {
  return {
    dryRun: listParam(params, 'dryRun'),
    fieldManager: textParam(params, 'fieldManager'),
    fieldValidation: textParam(params, 'fieldValidation'),
  };
}

function validateFieldValidation(value: string): FieldIssue[] {
  return FIELD_VALIDATIONS.includes(value) ? [] : [notSupported(FIELD_VALIDATION, value, FIELD_VALIDATIONS)];
}
