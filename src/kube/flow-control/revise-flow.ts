/**
 * What becomes of a stored flow schema or priority level that the server has of its own. Invariant: mandatory specs are always brought up to date, suggested ones unless
 * an annotation or an earlier change says that somebody wants another; the annotation is made to say what was decided.
 */
import { ensureObject, fieldAt, numberAt, objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { cloneJson, equalJson, type JsonObject } from '../../base/json-value.ts';
import { ensureMeta } from '../../server/resource/strategy-fields.ts';
import { AUTO_UPDATE_ANNOTATION, type DefaultFlow } from './default-flows.ts';

/** The object as it should be stored; undefined if it is right as it is. */
export function reviseFlow(stored: JsonObject, wanted: DefaultFlow): JsonObject | undefined {
  const said = parseBool(annotationOf(stored));
  const follows = wanted.mandatory || (said ?? numberAt(stored, 'metadata', 'generation') === 1);
  const spec = wantedSpec(stored, wanted);
  const isCurrent = !follows || equalJson(objectAt(stored, 'spec') ?? {}, spec);
  if (isCurrent && said === follows) return undefined;
  const revised = cloneJson(stored);
  if (!isCurrent) revised['spec'] = cloneJson(spec);
  ensureObject(ensureMeta(revised), 'annotations')[AUTO_UPDATE_ANNOTATION] = String(follows);
  return revised;
}

/** True for an object of the server's own making that it does not have any more. */
export function isAbandoned(stored: JsonObject, all: readonly DefaultFlow[]): boolean {
  const name = textAt(stored, 'metadata', 'name');
  return parseBool(annotationOf(stored)) === true && !all.some((one) => one.name === name);
}

/** The shares of the exempt level are the operator's to choose. */
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

/** As Go reads it; undefined for anything else. */
function parseBool(text: string): boolean | undefined {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text) ? false : undefined;
}
