/**
 * A patch of a request: decodes it, applies it to an object, and decodes the result as the expected kind.
 *
 * Invariants: the current object is not changed. The patch is decoded once, however often it is applied. Every refusal
 * has the code and message of the reference.
 */

import {
  decodeStrictJson,
  type FieldValidation,
  formatStrictError,
  jsonPatchProblems,
} from '../../../apimachinery/codec/strict.ts';
import { hasUnknownFields } from '../../../apimachinery/codec/unknown-fields.ts';
import { formatDecoded } from '../../../apimachinery/go-decoded.ts';
import { hasEmptyManagedFields, setManagedFields } from '../../../apimachinery/managed-fields/object-managed-fields.ts';
import { formatGroupVersion } from '../../../apimachinery/meta/gvk.ts';
import { applyJsonPatch } from '../../../apimachinery/patch/json-patch.ts';
import { checkJsonPatchFields } from '../../../apimachinery/patch/json-patch-decode.ts';
import { applyMergePatch, checkMergePatchFields } from '../../../apimachinery/patch/merge-patch.ts';
import type { PatchError, PatchResult } from '../../../apimachinery/patch/patch-error.ts';
import { applyStrategicMergePatch } from '../../../apimachinery/patch/strategic-merge.ts';
import { type Status, StatusError } from '../../../apimachinery/status/status.ts';
import {
  badRequest,
  genericServerResponse,
  internalError,
  invalid,
  requestEntityTooLarge,
  unknown,
} from '../../../apimachinery/status/status-catalogue.ts';
import { invalid as invalidField } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { writeJson } from '../../../base/json-write.ts';
import { compareUtf8 } from '../../../base/utf8.ts';
import type { VersionDefinition } from '../../resource/version-definition.ts';
import { converterText } from './converter-text.ts';
import { strictProblems } from './decode-object.ts';
import type { PlainPatchType } from './patch-types.ts';

export interface PatchBody {
  readonly type: PlainPatchType;
  readonly bytes: Uint8Array;
  readonly fieldValidation: FieldValidation;
}

export interface PatchTarget {
  readonly version: VersionDefinition;
  /** Returns what is wrong with the type fields of a value; undefined if it has the expected kind. */
  kindProblem(value: JsonValue): string | undefined;
  /** Called with the strict decoding problems of the patch and its result if `fieldValidation` is `Warn`. */
  warn(problems: readonly string[]): void;
}

interface DecodedPatch {
  readonly value: JsonValue;
  /** Duplicate fields of the patch, and unknown fields of its operations. */
  readonly problems: readonly string[];
}

export class Patch {
  readonly #body: PatchBody;
  readonly #target: PatchTarget;
  #decoded: DecodedPatch | undefined;

  constructor(body: PatchBody, target: PatchTarget) {
    this.#body = body;
    this.#target = target;
  }

  /**
   * Returns the patched object, normalized and with defaults. The caller must pass it to `trackFields`: until then it
   * has empty lists that are not stored. Throws the 400, 413, 422 or 500.
   */
  applyTo(current: JsonObject): JsonObject {
    const patch = this.#decode();
    const result = this.#apply(cloneJson(current), patch.value);
    if (!result.ok) throw new StatusError(statusOfPatchError(result.error));
    return this.#read(result.value, patch);
  }

  #decode(): DecodedPatch {
    this.#decoded ??= decodePatch(this.#body);
    return this.#decoded;
  }

  #apply(document: JsonObject, patch: JsonValue): PatchResult<JsonValue> {
    switch (this.#body.type) {
      case 'json':
        return applyJsonPatch(document, patch);
      case 'merge':
        return applyMergePatch(document, patch);
      case 'strategic':
        return applyStrategicMergePatch(document, patch, this.#target.version.type());
    }
  }

  #read(patched: JsonValue, patch: DecodedPatch): JsonObject {
    const { version } = this.#target;
    const isStrategic = this.#body.type === 'strategic';
    // A refusal shows the whole patched object; for strategic merges it shows the patch.
    const isDeep = version.unstructured === true;
    const shown = isStrategic ? () => formatDecoded(patch.value) : () => writeJson(sortedFields(patched, isDeep));
    const refuse = (problem: string): StatusError => {
      const issue = invalidField(FieldPath.of('patch'), shown(), problem);
      return new StatusError(invalid({ group: '', kind: '' }, '', [issue]));
    };
    // A strategic merge produces a value of the Go type, so its type fields are not checked.
    const kindProblem = isStrategic ? undefined : this.#target.kindProblem(patched);
    if (kindProblem !== undefined)
      throw refuse(isDeep ? (this.#target.kindProblem(sortedFields(patched, true)) ?? kindProblem) : kindProblem);
    const { object, unknownFields } = this.#prune(patched as JsonObject);
    if (version.unstructured !== true) {
      object['kind'] = version.kind;
      object['apiVersion'] = formatGroupVersion(version);
    } else if ((object['apiVersion'] ?? '') === '') throw new StatusError(internalError(NO_API_VERSION));
    const forgetsManagers = version.unstructured !== true && hasEmptyManagedFields(object);
    const normalized = version.normalize(object, true);
    if (!normalized.ok) throw refuse(isStrategic ? converterText(normalized.message) : normalized.message);
    const { fieldValidation } = this.#body;
    const problems = strictProblems([...patch.problems, ...unknownFields], normalized.problems, fieldValidation);
    if (problems.length > 0) {
      if (fieldValidation === 'Strict') throw refuse(formatStrictError(problems));
      this.#target.warn(problems);
    }
    version.setDefaults?.(normalized.object);
    if (forgetsManagers) setManagedFields(normalized.object, []);
    return normalized.object;
  }

  /** Returns a copy of the object without unknown fields, and their names. */
  #prune(patched: JsonObject): { readonly object: JsonObject; readonly unknownFields: readonly string[] } {
    if (this.#target.version.unstructured === true) return { object: cloneJson(patched), unknownFields: [] };
    const view = this.#target.version.type();
    if (!hasUnknownFields(patched, view)) return { object: cloneJson(patched), unknownFields: [] };
    const { fieldValidation } = this.#body;
    const text = writeJson(sortedFields(patched, false), { escapeHtml: false });
    const read = decodeStrictJson(text, { fieldValidation, view });
    if (!read.ok) throw new StatusError(badRequest(read.error.message));
    return { object: read.value as JsonObject, unknownFields: read.problems };
  }
}

function decodePatch({ type, bytes, fieldValidation }: PatchBody): DecodedPatch {
  const quiet = fieldValidation === 'Ignore';
  const read = decodeStrictJson(bytes, { fieldValidation });
  if (!read.ok) {
    const { message } = read.error;
    if (type === 'strategic' || (type === 'json' && quiet)) throw new StatusError(badRequest(message));
    throw new StatusError(badRequest(quiet ? 'Invalid JSON Patch' : `error decoding patch: ${message}`));
  }
  const { value, problems } = read;
  if (quiet || type === 'strategic') return { value, problems };
  const checked = type === 'json' ? checkJsonPatchFields(value) : checkMergePatchFields(value);
  if (!checked.ok) throw new StatusError(statusOfPatchError(checked.error));
  if (type === 'merge') return { value, problems };
  return { value, problems: problems.length > 0 || checked.value ? jsonPatchProblems(bytes) : [] };
}

const NO_API_VERSION = "Object 'apiVersion' is missing in 'object has no apiVersion field'";
const UNPROCESSABLE: Status = genericServerResponse({ code: 422, verb: '' });

function statusOfPatchError({ code, message }: PatchError): Status {
  switch (code) {
    case 'invalid-patch':
      return badRequest(message);
    case 'unprocessable':
      return UNPROCESSABLE;
    case 'too-large':
      return requestEntityTooLarge(message);
    case 'unclassified':
      return unknown(message);
  }
}

/**
 * Returns the document with sorted fields, as the reference's library prints it: only those of the root, unless
 * `isDeep`.
 */
function sortedFields(value: JsonValue, isDeep: boolean): JsonValue {
  if (isDeep && Array.isArray(value)) return value.map((item) => sortedFields(item, true));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort(compareUtf8)
      .map((key) => [key, isDeep ? sortedFields(value[key] as JsonValue, true) : (value[key] as JsonValue)]),
  );
}
