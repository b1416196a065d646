/**
 * The configuration of server-side apply: decodes it, applies it to an object, and decodes the result as the expected
 * kind. Invariants: the current object is not changed, and the configuration is decoded once, however often it is
 * applied.
 */
import { decodeCbor } from '../../../apimachinery/codec/cbor/cbor-decode.ts';
import { decodeStrictYaml, type FieldValidation, strictWarnings } from '../../../apimachinery/codec/strict.ts';
import { quote } from '../../../apimachinery/go-format.ts';
import { cannotUnmarshal } from '../../../apimachinery/go-json.ts';
import type { ApplyContext, ApplyOutcome, FieldManager } from '../../../apimachinery/managed-fields/field-manager.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { badRequest } from '../../../apimachinery/status/status-catalogue.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import { normalizeApplied } from '../../resource/applied-object.ts';
import type { VersionDefinition } from '../../resource/version-definition.ts';
import type { ApplyPatchType } from './patch-types.ts';

export interface ConfigurationBody {
  readonly type: ApplyPatchType;
  readonly bytes: Uint8Array;
  readonly fieldValidation: FieldValidation;
}

export interface ConfigurationTarget {
  readonly version: VersionDefinition;
  readonly fieldManager: FieldManager;
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void;
}

interface Decoded {
  readonly value: JsonObject;
  readonly problems: readonly string[];
}

export class ApplyConfiguration {
  readonly #body: ConfigurationBody;
  readonly #target: ConfigurationTarget;
  #decoded: Decoded | undefined;
  #isWarned = false;

  constructor(body: ConfigurationBody, target: ConfigurationTarget) {
    this.#body = body;
    this.#target = target;
  }

  /** The decoded configuration. Shared; must not be changed. Throws the 400 if it cannot be decoded. */
  get value(): JsonObject {
    return this.#read().value;
  }

  /**
   * Returns the object after the apply, normalized, with defaults and managedFields. The result belongs to the caller,
   * except that entries of managedFields may be shared with `current`. `current` is undefined if there is no object.
   * Throws the 400, 409 or 422.
   */
  applyTo(current: JsonObject | undefined, context: ApplyContext): MaybePromise<JsonObject> {
    const { value } = this.#read();
    return andThen(this.#target.fieldManager.apply(current, value, context), (outcome) => this.#finish(outcome));
  }

  #read(): Decoded {
    this.#decoded ??= decodeConfiguration(this.#body);
    return this.#decoded;
  }

  #finish(outcome: ApplyOutcome): JsonObject {
    if (!outcome.ok) throw new StatusError(outcome.status);
    this.#reportProblems();
    const { version } = this.#target;
    const normalized = normalizeApplied(version, outcome.object);
    if (normalized.ok) return normalized.object;
    const { kind, version: name } = version;
    const message = `${kind} in version ${quote(name)} cannot be handled as a ${kind}: ${normalized.message}`;
    throw new StatusError(badRequest(message));
  }

  /** Called after a successful apply, as in the reference, so that conflicts are reported first. */
  #reportProblems(): void {
    const { problems } = this.#read();
    if (problems.length === 0 || this.#isWarned) return;
    if (this.#body.fieldValidation === 'Strict')
      throw new StatusError(badRequest(`error strict decoding YAML: ${problems.join(', ')}`));
    this.#isWarned = true;
    for (const warning of strictWarnings(problems)) this.#target.warn(warning);
  }
}

function decodeConfiguration({ type, bytes, fieldValidation }: ConfigurationBody): Decoded {
  if (type === 'apply-cbor') {
    const read = decodeCbor(bytes);
    if (!read.ok) throw undecodable(read.error.message);
    return { value: objectOf(read.value), problems: [] };
  }
  const read = decodeStrictYaml(bytes, { fieldValidation });
  if (!read.ok) throw undecodable(`error converting YAML to JSON: ${read.error.message}`);
  const problems = read.problems.map((problem) => `error converting YAML to JSON: ${problem}`);
  return { value: objectOf(read.value), problems };
}

/** Null is an empty configuration. */
function objectOf(value: JsonValue): JsonObject {
  if (value === null) return {};
  if (isJsonObject(value)) return value;
  const problem = cannotUnmarshal(value, 'Go value of type map[string]interface {}');
  throw undecodable(`error unmarshaling JSON: while decoding JSON: ${problem}`);
}

function undecodable(message: string): StatusError {
  return new StatusError(badRequest(`error decoding YAML: ${message}`));
}
