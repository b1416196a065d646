/**
 * Pod specs and templates as kube-apiserver's internal types print in messages. The conversion to the internal type
 * moves some fields of the spec into the security context. The generated shapes do not contain this move, because they
 * come from reflection.
 */
import { goValue } from '../../../../../apimachinery/go-shape/go-value.ts';
import { objectAt } from '../../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { coreShapes } from '../../../../../kinds/shapes/core.ts';

const MOVED_FIELDS = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'];

export function podSpecGoValue(spec: JsonObject): JsonObject {
  return goValue(coreShapes, 'PodSpec', withMovedFields(spec));
}

export function podTemplateGoValue(template: JsonObject): JsonObject {
  const spec = withMovedFields(objectAt(template, 'spec') ?? {});
  return goValue(coreShapes, 'PodTemplateSpec', { ...template, spec });
}

/** Returns the spec with the moved fields. It has a security context even if the given spec has none. */
function withMovedFields(spec: JsonObject): JsonObject {
  const securityContext: JsonObject = { ...objectAt(spec, 'securityContext') };
  for (const name of MOVED_FIELDS) {
    const value = spec[name];
    if (value !== undefined) securityContext[name] = value;
  }
  return { ...spec, securityContext };
}
