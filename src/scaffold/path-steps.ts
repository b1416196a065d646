/** The steps of a path that the schema prints as text, such as `spec.ports[0].name`. */
import { isJsonObject, type JsonValue } from '../base/json-value.ts';

/**
 * Returns the steps of the path in a value. A key may contain dots and brackets: of the keys that the rest of the path
 * begins with, the longest counts. Steps that the value does not have are cut off.
 */
export function stepsIn(value: JsonValue, path: string): readonly string[] {
  const steps: string[] = [];
  let at: JsonValue | undefined = value;
  let rest = path;
  while (rest !== '' && at !== undefined) {
    const found: Step | undefined = Array.isArray(at)
      ? indexStep(rest)
      : isJsonObject(at)
        ? keyStep(Object.keys(at), rest)
        : undefined;
    if (found === undefined) break;
    steps.push(found.step);
    rest = found.rest;
    at = Array.isArray(at) ? at[Number(found.step)] : (at as Readonly<Record<string, JsonValue>>)[found.step];
  }
  return steps;
}

interface Step {
  readonly step: string;
  readonly rest: string;
}

function indexStep(path: string): Step | undefined {
  const match = /^\[(\d+)\](.*)$/s.exec(path);
  return match === null ? undefined : { step: match[1] as string, rest: match[2] as string };
}

function keyStep(keys: readonly string[], path: string): Step | undefined {
  const text = path.startsWith('.') ? path.slice(1) : path;
  let best: Step | undefined;
  for (const key of keys) {
    const rest = text.startsWith(key)
      ? text.slice(key.length)
      : text.startsWith(`[${key}]`)
        ? text.slice(key.length + 2)
        : undefined;
    if (rest === undefined || !/^($|[.[])/.test(rest)) continue;
    if (best === undefined || key.length > best.step.length) best = { step: key, rest };
  }
  return best;
}
