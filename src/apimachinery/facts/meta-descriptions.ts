/**
 * The descriptions of the types that every API server answers with. They are code, because a server without built-in
 * kinds has no files. Their format is that of `descriptions.ts`.
 */
import { Descriptions } from './descriptions.ts';
import { DISCOVERY_DESCRIPTIONS, VERSION_DESCRIPTIONS } from './discovery-descriptions.ts';
import { META_V1_DESCRIPTIONS } from './meta-v1-descriptions.ts';

/** The package by the prefix of its types in OpenAPI documents. */
const PACKAGES: ReadonlyMap<string, string> = new Map([
  ['io.k8s.apimachinery.pkg.apis.meta.v1.', 'meta-v1'],
  ['io.k8s.apimachinery.pkg.api.resource.', 'meta-v1'],
  ['io.k8s.apimachinery.pkg.util.intstr.', 'meta-v1'],
  ['io.k8s.apimachinery.pkg.runtime.', 'meta-v1'],
  ['io.k8s.apimachinery.pkg.version.', 'version'],
  ['io.k8s.api.apidiscovery.v2.', 'apidiscovery-v2'],
  ['io.k8s.api.apidiscovery.v2beta1.', 'apidiscovery-v2beta1'],
]);

/** The text of each package. */
export const META_DESCRIPTIONS: Readonly<Record<string, string>> = {
  'meta-v1': META_V1_DESCRIPTIONS,
  'apidiscovery-v2': DISCOVERY_DESCRIPTIONS,
  'apidiscovery-v2beta1': 'inherits: apidiscovery-v2',
  version: VERSION_DESCRIPTIONS,
};

const shared = new Descriptions((packageId) => META_DESCRIPTIONS[packageId]);

/** Returns the description of a shared type, or of a field of it, by its name in OpenAPI documents. */
export function describeShared(typeName: string, field?: string): string | undefined {
  const split = typeName.lastIndexOf('.') + 1;
  const packageId = PACKAGES.get(typeName.slice(0, split));
  return packageId === undefined ? undefined : shared.find(packageId, typeName.slice(split), field);
}

/**
 * Returns the description of a field that every kind or every list has: `apiVersion`, `kind`, `metadata`, and `items`.
 * `typeName` is the name of the kind.
 */
export function describeKindField(typeName: string, field: string): string | undefined {
  return shared.find('meta-v1', typeName.endsWith('List') ? '*List' : '*', field);
}
