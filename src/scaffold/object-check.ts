/** The offline check of custom objects. Invariant: an object is pruned, defaulted and validated as on a create. */

import { compileVersion } from '../apiextensions/compile-version.ts';
import type { Crd, CrdVersion } from '../apiextensions/crd.ts';
import { formatIssue } from '../apimachinery/validation/field-issue.ts';
import { cloneJson, getField } from '../base/json-value.ts';
import type { CompiledSchema } from '../schema/compiled-schema.ts';
import type { Finding } from './crd-check.ts';
import type { Manifest } from './manifest-files.ts';
import { stepsOf } from './path-steps.ts';

export interface CheckedObject {
  readonly manifest: Manifest;
  /** The reasons why the server would refuse the object. */
  readonly rejected: readonly Finding[];
  /** The fields that the server would drop. */
  readonly pruned: readonly Finding[];
}

/** Returns a checker for objects of the given definitions. It returns undefined for an object of another kind. */
export function createObjectChecker(crds: readonly Crd[]): (manifest: Manifest) => CheckedObject | undefined {
  const byType = new Map<string, { readonly crd: Crd; readonly version: CrdVersion }>();
  for (const crd of crds)
    for (const version of crd.versions) byType.set(`${crd.group}/${version.name} ${crd.names.kind}`, { crd, version });
  const compiled = new Map<CrdVersion, CompiledSchema | undefined>();
  return (manifest) => {
    const { object } = manifest;
    const found = byType.get(`${getField(object, 'apiVersion')} ${getField(object, 'kind')}`);
    if (found === undefined) return undefined;
    const { crd, version } = found;
    if (!compiled.has(version)) compiled.set(version, compileVersion(crd, version));
    return check(manifest, crd, version, compiled.get(version));
  };
}

function check(manifest: Manifest, crd: Crd, version: CrdVersion, schema: CompiledSchema | undefined): CheckedObject {
  const { file } = manifest;
  const at = (path: readonly string[], message: string): Finding => ({ file, place: manifest.place(path), message });
  const rejected: Finding[] = [];
  if (!version.served) rejected.push(at(['apiVersion'], `${version.name} of ${crd.name} is not served`));
  if (schema === undefined) return { manifest, rejected, pruned: [] };
  const object = cloneJson(manifest.object);
  const pruned = schema.prune(object).map((path) => at(stepsOf(path), `unknown field ${JSON.stringify(path)}`));
  const coerced = schema.coerceEmbedded(object);
  if (!coerced.ok) rejected.push(at([], coerced.message));
  else pruned.push(...coerced.unknown.map((path) => at(stepsOf(path), `unknown field ${JSON.stringify(path)}`)));
  schema.setDefaults(object);
  for (const issue of schema.validate(object))
    rejected.push(at(stepsOf(issue.path?.toString() ?? ''), formatIssue(issue)));
  return { manifest, rejected, pruned };
}
