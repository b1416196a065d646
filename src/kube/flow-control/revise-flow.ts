/**
 * The update of a stored default flow schema or priority level (upstream: registry/flowcontrol/ensurer).
 * Invariant: a mandatory spec is always updated. A suggested spec is updated if its annotation says so; without an
 * annotation it is updated if its generation is 1, which means that it was never changed. The annotation is then set to
 * this decision.
 */
import { ensureObject, fieldAt, numberAt, objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { cloneJson, equalJson, type JsonObject } from '../../base/json-value.ts';
import { ensureMeta } from '../../server/resource/strategy-fields.ts';
import { AUTO_UPDATE_ANNOTATION, type DefaultFlow } from './default-flows.ts';

/** Returns the object to store, and undefined if the stored one is current. */
export function reviseFlow(stored: JsonObject, wanted: DefaultFlow): JsonObject | undefined {
  const annotated = parseBool(annotationOf(stored));
  const autoUpdates = wanted.mandatory || (annotated ?? numberAt(stored, 'metadata', 'generation') === 1);
  const spec = wantedSpec(stored, wanted);
  const isCurrent = !autoUpdates || equalJson(objectAt(stored, 'spec') ?? {}, spec);
  if (isCurrent && annotated === autoUpdates) return undefined;
  const revised = cloneJson(stored);
  if (!isCurrent) revised['spec'] = cloneJson(spec);
  ensureObject(ensureMeta(revised), 'annotations')[AUTO_UPDATE_ANNOTATION] = String(autoUpdates);
  return revised;
}

/** Returns true for an object with auto-update that is not among the defaults: an earlier release created it. */
export function isObsolete(stored: JsonObject, all: readonly DefaultFlow[]): boolean {
  const name = textAt(stored, 'metadata', 'name');
  return parseBool(annotationOf(stored)) === true && !all.some((one) => one.name === name);
}

/** Keeps the shares of the exempt level: operators may choose them. */
function wantedSpec(stored: JsonObject, { spec }: DefaultFlow): JsonObject {
  const own = objectAt(stored, 'spec', 'exempt');
  const exempt = objectAt(spec, 'exempt');
  if (own === undefined || exempt === undefined) return spec;
  return { ...spec, exempt: { ...exempt, ...own } };
}

function annotationOf(stored: JsonObject): string {
  const value = fieldAt(stored, 'metadata', 'annotations', AUTO_UPDATE_ANNOTATION);
  return typeof value === 'string' ? value : '';
}

/** Parses like Go's `strconv.ParseBool`. Returns undefined for an invalid text. */
function parseBool(text: string): boolean | undefined {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text) ? false : undefined;
}
