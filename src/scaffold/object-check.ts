/**
 * The offline check of custom objects. Invariant: an object is normalized, defaulted and validated by the code of a
 * create.
 */
import { compileVersion } from '../apiextensions/compile-version.ts';
import type { Crd, CrdVersion } from '../apiextensions/crd.ts';
import { newCustomObjectIssues } from '../apiextensions/custom-resource/custom-strategy.ts';
import { CustomVersion } from '../apiextensions/custom-resource/custom-version.ts';
import { CRD_V1 } from '../apiextensions/definition/crd-definition.ts';
import { formatIssue } from '../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../apimachinery/validation/field-path.ts';
import { cloneJson, getField, isJsonObject, type JsonObject } from '../base/json-value.ts';
import type { CheckedCrd } from './crd-check.ts';
import { decodeProblems } from './decode-problems.ts';
import type { Finding } from './finding.ts';
import type { Manifest } from './manifest-files.ts';
import { stepsIn } from './path-steps.ts';

/**
 * `checked`: an object of a definition. `other`: no definition has its kind. `blocked`: its definition has problems, so
 * the object cannot be checked.
 */
export type ObjectVerdict =
  | { readonly outcome: 'checked'; readonly findings: readonly Finding[] }
  | { readonly outcome: 'other' | 'blocked' };

/** Returns a checker for objects of the given definitions. */
export function createObjectChecker(checked: readonly CheckedCrd[]): (manifest: Manifest) => ObjectVerdict {
  const kinds = new Map<string, { readonly crd: Crd; readonly isBroken: boolean }>();
  for (const { crd, findings } of checked)
    if (crd !== undefined) kinds.set(`${crd.group} ${crd.names.kind}`, { crd, isBroken: findings.length > 0 });
  const versions = new Map<CrdVersion, CustomVersion>();
  return (manifest) => {
    const apiVersion = String(getField(manifest.object, 'apiVersion'));
    const slash = apiVersion.indexOf('/');
    const known = kinds.get(`${apiVersion.slice(0, Math.max(0, slash))} ${getField(manifest.object, 'kind')}`);
    if (known === undefined) return { outcome: 'other' };
    const { crd, isBroken } = known;
    const declared = crd.versions.find(({ name }) => name === apiVersion.slice(slash + 1));
    if (declared === undefined || !declared.served)
      return { outcome: 'checked', findings: [unservedVersion(manifest, crd, apiVersion.slice(slash + 1))] };
    if (isBroken) return { outcome: 'blocked' };
    let version = versions.get(declared);
    if (version === undefined) {
      version = new CustomVersion({ ...crd, acceptedNames: crd.names }, declared, compileVersion);
      versions.set(declared, version);
    }
    return { outcome: 'checked', findings: check(manifest, crd, version) };
  };
}

function unservedVersion(manifest: Manifest, { name, versions }: Crd, wanted: string): Finding {
  const served = versions.filter((version) => version.served).map((version) => version.name);
  const reason = versions.some((version) => version.name === wanted) ? 'is not served' : 'does not exist';
  return {
    kind: 'rejected',
    file: manifest.file,
    place: manifest.place(['apiVersion']),
    message: `version ${JSON.stringify(wanted)} of ${name} ${reason}; served are: ${served.join(', ')}`,
  };
}

function check(manifest: Manifest, crd: Crd, version: CustomVersion): readonly Finding[] {
  const { file } = manifest;
  const finding = (kind: 'rejected' | 'pruned', path: readonly string[], message: string): Finding => ({
    kind,
    file,
    place: manifest.place(path),
    message,
  });
  const object = cloneJson(manifest.object);
  const metadata = getField(object, 'metadata');
  const metadataType = CRD_V1.type().field('metadata')?.type;
  if (metadata !== undefined && metadataType?.kind === 'struct') {
    const wrong = decodeProblems(metadata, metadataType, FieldPath.of('metadata')).filter(({ unknown }) => !unknown);
    if (wrong.length > 0) return wrong.map(({ path, message }) => finding('rejected', path?.steps ?? [], message));
  }
  const normalized = version.normalize(object);
  if (!normalized.ok) return [finding('rejected', [], normalized.message)];
  const findings = (normalized.problems ?? []).map((problem) =>
    finding('pruned', stepsIn(manifest.object, /"(.*)"/s.exec(problem)?.[1] ?? ''), problem),
  );
  version.setDefaults(object);
  fillIn(object, crd, version);
  for (const issue of newCustomObjectIssues(version, object, crd.scope === 'Namespaced'))
    findings.push(finding('rejected', stepsIn(manifest.object, issue.path?.toString() ?? ''), formatIssue(issue)));
  return findings;
}

/** Sets what the request or the server sets on a create: the namespace and a generated name; removes the status. */
function fillIn(object: JsonObject, { scope }: Crd, { hasStatus }: CustomVersion): void {
  if (hasStatus) delete object['status'];
  const given = getField(object, 'metadata');
  const metadata: JsonObject = isJsonObject(given) ? given : {};
  object['metadata'] = metadata;
  const { name, generateName } = metadata;
  if (scope === 'Namespaced') metadata['namespace'] ??= 'default';
  if (typeof generateName === 'string' && generateName !== '' && (name === undefined || name === ''))
    metadata['name'] = `${generateName.slice(0, 58)}aaaaa`;
}
