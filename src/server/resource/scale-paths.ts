/**
 * The subresource `scale` of objects with a structural schema: access to replicas and selector at declared paths.
 * Messages about values of another type are those of kube-apiserver.
 */
import { decodedType, formatDecoded } from '../../apimachinery/go-decoded.ts';
import { metadataOf } from '../../apimachinery/meta/meta.ts';
import { objectAt } from '../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, internalError, unknown } from '../../apimachinery/status/status-catalogue.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';
import type { ResourceContext } from './resource-store.ts';
import { type ScaleAccess, UNSET_REPLICAS } from './scale-subresource.ts';

/** The paths of one version, as a CustomResourceDefinition declares them: `.spec.replicas`. */
export interface DeclaredScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** '' for none. */
  readonly labelSelectorPath: string;
}

/** Returns the access to replicas at the paths of the request's version. */
export function scaleAtPaths(
  pathsOf: (context: ResourceContext) => DeclaredScalePaths,
): Pick<ScaleAccess, 'read' | 'refuseMissing' | 'write'> {
  return {
    read: (object, context) => {
      const { specReplicasPath, statusReplicasPath, labelSelectorPath } = pathsOf(context);
      const wanted = accepted(integerAt(object, specReplicasPath));
      const current = accepted(integerAt(object, statusReplicasPath));
      return {
        replicas: wanted.found ? wanted.value | 0 : undefined,
        currentReplicas: current.value | 0,
        selector: labelSelectorPath === '' ? '' : accepted(textAtPath(object, labelSelectorPath)).value,
      };
    },
    refuseMissing: (context) => {
      const path = JSON.stringify(pathsOf(context).specReplicasPath);
      throw new StatusError(internalError(`the spec replicas field ${path} does not exist`));
    },
    write: (object, scale, context) => {
      const { specReplicasPath } = pathsOf(context);
      const replicas = replicasOf(scale);
      if (replicas === UNSET_REPLICAS) {
        const path = JSON.stringify(specReplicasPath);
        throw new StatusError(badRequest(`the spec replicas field ${path} cannot be empty`));
      }
      const problem = setIntegerAt(object, specReplicasPath, replicas);
      if (problem !== undefined) throw new StatusError(unknown(problem));
      const { resourceVersion } = metadataOf(scale) ?? {};
      if (typeof resourceVersion === 'string' && resourceVersion !== '')
        (object['metadata'] as JsonObject)['resourceVersion'] = resourceVersion;
    },
  };
}

/** Throws the StatusError 500 for a value of another type. */
function accepted<T>(read: AtPath<T>): AtPath<T> & { readonly ok: true } {
  if (!read.ok) throw new StatusError(unknown(read.message));
  return read;
}

function replicasOf(scale: JsonObject): number {
  const spec = objectAt(scale, 'spec');
  return Number((spec && getField(spec, 'replicas')) ?? 0);
}

/** `found` is false if there is no value at the path. */
export type AtPath<T> =
  | { readonly ok: true; readonly value: T; readonly found: boolean }
  | { readonly ok: false; readonly message: string };

export function integerAt(object: JsonObject, path: string): AtPath<number> {
  const found = valueAt(object, path);
  if (!found.ok) return found;
  if (!found.found) return { ok: true, value: 0, found: false };
  const { value } = found;
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)))
    return { ok: true, value: Number(value), found: true };
  return wrongType(splitPath(path), value, 'int64');
}

/** Returns the text at the path; '' if there is none. */
export function textAtPath(object: JsonObject, path: string): AtPath<string> {
  const found = valueAt(object, path);
  if (!found.ok) return found;
  if (!found.found) return { ok: true, value: '', found: false };
  const { value } = found;
  return typeof value === 'string' ? { ok: true, value, found: true } : wrongType(splitPath(path), value, 'string');
}

/**
 * Sets the value in place and adds missing objects on the way. Returns kube-apiserver's message if a value on the way
 * is not an object.
 */
export function setIntegerAt(object: JsonObject, path: string, value: number): string | undefined {
  const names = splitPath(path);
  let inside = object;
  for (const [i, name] of names.slice(0, -1).entries()) {
    const next = Object.hasOwn(inside, name) ? inside[name] : undefined;
    if (next === undefined) {
      const made: JsonObject = {};
      setField(inside, name, made);
      inside = made;
    } else if (isJsonObject(next)) inside = next;
    else return `value cannot be set because ${joined(names.slice(0, i + 1))} is not a map[string]interface{}`;
  }
  setField(inside, names.at(-1) as string, value);
  return undefined;
}

function valueAt(object: JsonObject, path: string): AtPath<JsonValue> {
  const names = splitPath(path);
  let value: JsonValue = object;
  for (const [i, name] of names.entries()) {
    if (value === null) return { ok: true, value: null, found: false };
    if (!isJsonObject(value)) return wrongType(names.slice(0, i + 1), value, 'map[string]interface{}');
    if (!Object.hasOwn(value, name)) return { ok: true, value: null, found: false };
    value = value[name] as JsonValue;
  }
  return { ok: true, value, found: true };
}

function splitPath(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

function joined(names: readonly string[]): string {
  return `.${names.join('.')}`;
}

function wrongType(names: readonly string[], value: JsonValue, expected: string): { ok: false; message: string } {
  const message = `${joined(names)} accessor error: ${formatDecoded(value)} is of the type ${value === null ? '<nil>' : decodedType(value)}, expected ${expected}`;
  return { ok: false, message };
}
