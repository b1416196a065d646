/**
 * DeleteOptions, read from the body or, without a body, from the query, and validated with the reference's rules. A
 * null in the body counts as absent.
 */
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { formatNumber, quote } from '../go-format.ts';
import { jsonKind } from '../go-json.ts';
import { declared, type FieldIssue, invalid, notSupported } from '../validation/field-issue.ts';
import { FieldPath } from '../validation/field-path.ts';
import { parseGroupVersion } from './gvk.ts';
import {
  boolParam,
  checkOptions,
  type DecodedOptions,
  intParam,
  listParam,
  type MalformedOptions,
  type OptionsResult,
} from './options-decode.ts';
import { firstParam, type QueryParams } from './query.ts';
import { validateDryRun } from './write-options.ts';

export interface Preconditions {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

export interface DeleteOptions {
  readonly gracePeriodSeconds: number | bigint | undefined;
  readonly preconditions: Preconditions | undefined;
  readonly orphanDependents: boolean | undefined;
  /** After validation `Foreground`, `Background`, `Orphan` or undefined. */
  readonly propagationPolicy: string | undefined;
  readonly dryRun: readonly string[];
  /** Whether an object that cannot be read is deleted. Undefined unless the rules allow it. */
  readonly ignoreStoreReadErrorWithClusterBreakingPotential: boolean | undefined;
}

export interface DeleteRules {
  /**
   * Whether objects that cannot be read may be deleted (the reference's AllowUnsafeMalformedObjectDeletion). Default
   * false.
   */
  readonly unsafeDeletion?: boolean;
}

export const DEFAULT_DELETE_OPTIONS: DeleteOptions = {
  gracePeriodSeconds: undefined,
  preconditions: undefined,
  orphanDependents: undefined,
  propagationPolicy: undefined,
  dryRun: [],
  ignoreStoreReadErrorWithClusterBreakingPotential: undefined,
};

const PROPAGATION_POLICY = FieldPath.of('propagationPolicy');
const IGNORE_READ_ERROR = FieldPath.of('ignoreStoreReadErrorWithClusterBreakingPotential');
const PROPAGATION_POLICIES = ['Foreground', 'Background', 'Orphan'];

/** Reads and validates the options. `body` is undefined if the request has none; the query counts only then. */
export function readDeleteOptions(
  params: QueryParams,
  body: JsonValue | undefined,
  rules: DeleteRules = {},
): OptionsResult<DeleteOptions> {
  if (body === undefined && params.size === 0) return { ok: true, value: DEFAULT_DELETE_OPTIONS };
  const decoded = body === undefined ? decodeDeleteParams(params) : decodeDeleteBody(body);
  if (!decoded.ok) return decoded;
  const value =
    rules.unsafeDeletion === true
      ? decoded.value
      : { ...decoded.value, ignoreStoreReadErrorWithClusterBreakingPotential: undefined };
  return checkOptions({ ok: true, value }, validateDeleteOptions);
}

function decodeDeleteParams(params: QueryParams): DecodedOptions<DeleteOptions> {
  const gracePeriodSeconds = intParam(params, 'gracePeriodSeconds');
  if (!gracePeriodSeconds.ok) return gracePeriodSeconds;
  const uid = firstParam(params, 'uid') || undefined;
  const resourceVersion = firstParam(params, 'resourceVersion') || undefined;
  return {
    ok: true,
    value: {
      gracePeriodSeconds: gracePeriodSeconds.value,
      preconditions: uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion },
      orphanDependents: boolParam(params, 'orphanDependents'),
      propagationPolicy: firstParam(params, 'propagationPolicy'),
      dryRun: listParam(params, 'dryRun'),
      ignoreStoreReadErrorWithClusterBreakingPotential: boolParam(
        params,
        'ignoreStoreReadErrorWithClusterBreakingPotential',
      ),
    },
  };
}

/** Decodes DeleteOptions of any group and version, or without type fields. Unknown fields are ignored. */
export function decodeDeleteBody(body: JsonValue): DecodedOptions<DeleteOptions> {
  if (body === null) return { ok: true, value: DEFAULT_DELETE_OPTIONS };
  if (!isJsonObject(body))
    return malformed(`${NO_TYPE} cannot unmarshal ${jsonKind(body)} into Go value of type ${TYPE_STRUCT}`);
  const typeProblem = checkType(body);
  if (typeProblem !== undefined) return malformed(typeProblem);
  // The error names the first wrong field in the order of the document.
  for (const name of Object.keys(body)) {
    const problem = fieldProblem(name, getField(body, name) as JsonValue);
    if (problem !== undefined) return malformed(problem);
  }
  const preconditions = present(body, 'preconditions') as JsonObject | undefined;
  return {
    ok: true,
    value: {
      gracePeriodSeconds: present(body, 'gracePeriodSeconds') as number | bigint | undefined,
      preconditions: preconditions && {
        uid: present(preconditions, 'uid') as string | undefined,
        resourceVersion: present(preconditions, 'resourceVersion') as string | undefined,
      },
      orphanDependents: present(body, 'orphanDependents') as boolean | undefined,
      propagationPolicy: present(body, 'propagationPolicy') as string | undefined,
      dryRun: ((present(body, 'dryRun') ?? []) as (string | null)[]).map((value) => value ?? ''),
      ignoreStoreReadErrorWithClusterBreakingPotential: present(
        body,
        'ignoreStoreReadErrorWithClusterBreakingPotential',
      ) as boolean | undefined,
    },
  };
}

function validateDeleteOptions(options: DeleteOptions): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const { propagationPolicy, orphanDependents } = options;
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    issues.push(declared(invalid(PROPAGATION_POLICY, propagationPolicy, detail)));
  }
  if (propagationPolicy !== undefined && !PROPAGATION_POLICIES.includes(propagationPolicy))
    issues.push(declared(notSupported(PROPAGATION_POLICY, propagationPolicy, [...PROPAGATION_POLICIES, 'nil'])));
  issues.push(...validateDryRun(options.dryRun));
  if (options.ignoreStoreReadErrorWithClusterBreakingPotential === true) issues.push(...validateUnsafe(options));
  return issues;
}

function validateUnsafe(options: DeleteOptions): FieldIssue[] {
  const others = {
    dryRun: options.dryRun.length > 0,
    propagationPolicy: options.propagationPolicy !== undefined,
    orphanDependents: options.orphanDependents !== undefined,
    gracePeriodSeconds: options.gracePeriodSeconds !== undefined,
    preconditions: options.preconditions !== undefined,
  };
  return Object.entries(others)
    .filter(([, set]) => set)
    .map(([name]) => invalid(IGNORE_READ_ERROR, true, `cannot be set together with .${name}`));
}

// The reference's message shows the anonymous struct into which its decoder reads the type fields.
const TYPE_STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const NO_TYPE = "couldn't get version/kind; json parse error: json:";

function checkType(body: JsonObject): string | undefined {
  for (const name of Object.keys(body)) {
    const value = body[name];
    if ((name === 'apiVersion' || name === 'kind') && typeof value !== 'string' && value !== null)
      return `${NO_TYPE} cannot unmarshal ${jsonKind(value as JsonValue)} into Go struct field .${name} of type string`;
  }
  const apiVersion = (present(body, 'apiVersion') ?? '') as string;
  const kind = (present(body, 'kind') ?? '') as string;
  const parsed = parseGroupVersion(apiVersion);
  if (!parsed.ok) return parsed.message;
  if (kind === '' || kind === 'DeleteOptions') return undefined;
  const version = apiVersion === '' ? 'meta.k8s.io/v1' : apiVersion;
  return `no kind ${quote(kind)} is registered for version ${quote(version)} in scheme "pkg/runtime/scheme.go:111"`;
}

type FieldType = 'int64' | 'bool' | '[]string' | 'v1.DeletionPropagation' | 'v1.Preconditions';

const FIELD_TYPES: ReadonlyMap<string, FieldType> = new Map([
  ['gracePeriodSeconds', 'int64'],
  ['preconditions', 'v1.Preconditions'],
  ['orphanDependents', 'bool'],
  ['propagationPolicy', 'v1.DeletionPropagation'],
  ['dryRun', '[]string'],
  ['ignoreStoreReadErrorWithClusterBreakingPotential', 'bool'],
]);

function fieldProblem(name: string, value: JsonValue): string | undefined {
  const type = FIELD_TYPES.get(name);
  if (type === undefined || value === null) return undefined;
  const field = `DeleteOptions.${name}`;
  switch (type) {
    case 'int64':
      if (isInt64(value)) return undefined;
      return mismatch(value, field, type, isNumber(value) ? ` ${formatNumber(value)}` : '');
    case 'bool':
      return typeof value === 'boolean' ? undefined : mismatch(value, field, type);
    case 'v1.DeletionPropagation':
      return typeof value === 'string' ? undefined : mismatch(value, field, type);
    case '[]string': {
      if (!Array.isArray(value)) return mismatch(value, field, type);
      const wrong = value.find((item) => typeof item !== 'string' && item !== null);
      return wrong === undefined ? undefined : mismatch(wrong, field, 'string');
    }
    case 'v1.Preconditions':
      return isJsonObject(value) ? preconditionsProblem(value) : mismatch(value, field, type);
  }
}

function preconditionsProblem(value: JsonObject): string | undefined {
  for (const name of Object.keys(value)) {
    const item = getField(value, name) as JsonValue;
    if ((name !== 'uid' && name !== 'resourceVersion') || item === null || typeof item === 'string') continue;
    return mismatch(item, `Preconditions.preconditions.${name}`, name === 'uid' ? 'types.UID' : 'string');
  }
  return undefined;
}

function mismatch(value: JsonValue, field: string, type: string, literal = ''): string {
  return `json: cannot unmarshal ${jsonKind(value)}${literal} into Go struct field ${field} of type ${type}`;
}

function isNumber(value: JsonValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function isInt64(value: JsonValue): boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value;
  return typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

function present(object: JsonObject, name: string): JsonValue | undefined {
  return getField(object, name) ?? undefined;
}

function malformed(message: string): MalformedOptions {
  return { ok: false, message };
}
