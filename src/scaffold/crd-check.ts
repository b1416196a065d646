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
import { validateDefinition } from '../apiextensions/definition/validation/validate-definition.ts';
import type { ValidationTools } from '../apiextensions/definition/validation/validation-options.ts';
import { decodeStrictJson } from '../apimachinery/codec/strict.ts';
import { type FieldIssue, formatIssue } from '../apimachinery/validation/field-issue.ts';
import { cloneJson, getField } from '../base/json-value.ts';
import { writeJson } from '../base/json-write.ts';
import { type RuleCost, ruleCosts } from './crd-costs.ts';
import type { Manifest } from './manifest-files.ts';
import { stepsOf } from './path-steps.ts';
import type { Place } from './yaml-places.ts';

export interface Finding {
  readonly file: string;
  readonly place: Place;
  readonly message: string;
}

export interface CheckedCrd {
  readonly manifest: Manifest;
  /** Undefined for a manifest that is not a definition of a known version. */
  readonly crd: Crd | undefined;
  readonly errors: readonly Finding[];
  readonly costs: readonly (RuleCost & Finding)[];
}

export function isCrd({ object }: Manifest): boolean {
  return getField(object, 'kind') === CRD_KIND && String(getField(object, 'apiVersion')).startsWith(`${CRD_GROUP}/`);
}

/** Decodes, defaults and validates a definition as a create does. */
export function checkCrd(manifest: Manifest, tools: ValidationTools): CheckedCrd {
  const { file } = manifest;
  const at = (paths: (readonly string[])[], message: string): Finding => ({
    file,
    place: manifest.place(...paths),
    message,
  });
  const failed = (paths: (readonly string[])[], message: string): CheckedCrd => ({
    manifest,
    crd: undefined,
    errors: [at(paths, message)],
    costs: [],
  });
  const version = [CRD_V1, CRD_V1BETA1].find(
    (candidate) => getField(manifest.object, 'apiVersion') === `${CRD_GROUP}/${candidate.version}`,
  );
  if (version === undefined)
    return failed([['apiVersion']], `CustomResourceDefinition has no such version; use ${CRD_GROUP}/v1`);
  const errors: Finding[] = [];
  const object = cloneJson(manifest.object);
  const strict = decodeStrictJson(writeJson(object), { fieldValidation: 'Strict', view: version.type() });
  for (const problem of strict.ok ? strict.problems : [])
    errors.push(at([stepsOf(/"(.*)"/.exec(problem)?.[1] ?? '')], problem));
  const normalized = version.normalize(object);
  if (!normalized.ok) return failed([[]], normalized.message);
  version.setDefaults?.(normalized.object);
  const isV1beta1 = version === CRD_V1BETA1;
  for (const issue of validateDefinition(normalized.object, { isV1beta1, tools }))
    errors.push(at(placesOf(issue), formatIssue(issue)));
  const crd = readCrd(isV1beta1 ? convertDefinition(normalized.object, CRD_V1) : normalized.object);
  const costs = ruleCosts(crd).map((cost) => ({ ...cost, ...at(inFirstVersion(cost.path), '') }));
  return { manifest, crd, errors, costs };
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
