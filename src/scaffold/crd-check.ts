/**
 * The offline check of CustomResourceDefinitions: what the server would refuse, and the cost of CEL rules. Invariant:
 * the results are the server's, because the code is the server's.
 */

import { type Crd, readCrd } from '../apiextensions/crd.ts';
import {
  CRD_GROUP,
  CRD_KIND,
  CRD_V1,
  CRD_V1BETA1,
  convertDefinition,
} from '../apiextensions/definition/crd-definition.ts';
import { prepareForCreate } from '../apiextensions/definition/crd-strategy.ts';
import { validateDefinition } from '../apiextensions/definition/validation/validate-definition.ts';
import type { ValidationTools } from '../apiextensions/definition/validation/validation-options.ts';
import { type FieldIssue, formatIssue } from '../apimachinery/validation/field-issue.ts';
import { cloneJson, getField } from '../base/json-value.ts';
import { type RuleCost, ruleCosts } from './crd-costs.ts';
import { decodeProblems } from './decode-problems.ts';
import type { Finding, FindingKind } from './finding.ts';
import type { Manifest } from './manifest-files.ts';
import type { Place } from './yaml-places.ts';

export interface PlacedCost extends RuleCost {
  readonly file: string;
  readonly place: Place;
}

export interface CheckedCrd {
  readonly manifest: Manifest;
  /** Undefined for a manifest that cannot be decoded as a definition. */
  readonly crd: Crd | undefined;
  readonly findings: readonly Finding[];
  readonly costs: readonly PlacedCost[];
}

/** Reports whether a manifest is meant to be a definition: it has the kind or is in the group. */
export function isCrd({ object }: Manifest): boolean {
  return (
    getField(object, 'kind') === CRD_KIND || String(getField(object, 'apiVersion') ?? '').startsWith(`${CRD_GROUP}/`)
  );
}

/** Decodes, defaults and validates a definition as a create does. */
export function checkCrd(manifest: Manifest, tools: ValidationTools): CheckedCrd {
  const { file } = manifest;
  const finding = (kind: FindingKind, paths: (readonly string[])[], message: string): Finding => ({
    kind,
    file,
    place: manifest.place(...paths),
    message,
  });
  const failed = (findings: readonly Finding[]): CheckedCrd => ({ manifest, crd: undefined, findings, costs: [] });
  if (getField(manifest.object, 'kind') !== CRD_KIND)
    return failed([finding('decode', [['kind']], `kind: must be ${CRD_KIND} in the group ${CRD_GROUP}`)]);
  const version = [CRD_V1, CRD_V1BETA1].find(
    (candidate) => getField(manifest.object, 'apiVersion') === `${CRD_GROUP}/${candidate.version}`,
  );
  if (version === undefined)
    return failed([finding('decode', [['apiVersion']], `apiVersion: must be ${CRD_GROUP}/v1 or ${CRD_GROUP}/v1beta1`)]);
  const findings = decodeProblems(manifest.object, version.type()).map(({ path, message }) =>
    finding('decode', [path?.steps ?? []], message),
  );
  const normalized = version.normalize(cloneJson(manifest.object));
  if (!normalized.ok) return failed(findings);
  const { object } = normalized;
  version.setDefaults?.(object);
  prepareForCreate(object);
  const isV1beta1 = version === CRD_V1BETA1;
  for (const issue of validateDefinition(object, { isV1beta1, tools }))
    findings.push(finding('definition', placesOf(issue), formatIssue(issue)));
  const crd = readCrd(isV1beta1 ? convertDefinition(object, CRD_V1) : object);
  const costs = ruleCosts(crd).map((cost) => ({ ...cost, file, place: manifest.place(...inFirstVersion(cost.path)) }));
  return { manifest, crd, findings, costs };
}

/**
 * Returns the paths where the field of an issue may be. The server validates a form of the definition in which fields
 * that all versions share are in the spec, so the field is looked for there and in the version.
 */
function placesOf({ path }: FieldIssue): (readonly string[])[] {
  return path === undefined ? [[]] : inFirstVersion(path.steps);
}

function inFirstVersion(steps: readonly string[]): (readonly string[])[] {
  const [spec, field, ...rest] = steps;
  const plain = steps.map((step) => step);
  if (spec !== 'spec' || field === undefined) return [plain];
  const inside = ['spec', 'versions', '0'];
  switch (field) {
    case 'validation':
      return [plain, [...inside, 'schema', ...rest]];
    case 'subresources':
    case 'additionalPrinterColumns':
    case 'selectableFields':
      return [plain, [...inside, field, ...rest]];
    case 'versions':
      // In a v1beta1 manifest, fields of a version may be in the spec.
      return [plain, rest[1] === 'schema' ? ['spec', 'validation', ...rest.slice(2)] : ['spec', ...rest.slice(1)]];
    default:
      return [plain];
  }
}
