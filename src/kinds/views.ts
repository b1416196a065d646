/** Type views of the built-in kinds, made from generated facts on first use. */
import { TypeViews } from '../apimachinery/facts/type-views.ts';
import type { StructView } from '../apimachinery/type-view.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { contentHash } from '../base/content-hash.ts';
import { BugError } from '../base/errors.ts';
import { kinds, packages } from './facts/all.ts';

const views = new TypeViews(packages);

/**
 * Returns the view of a kind, of `<Kind>List`, or of a kind that all groups share in `v1` and `meta.k8s.io/v1`. Throws
 * BugError for others.
 */
export function kindView(group: string, version: string, kind: string): StructView {
  const packageId = kindIndex().get(`${group}/${version}/${kind}`);
  if (packageId === undefined)
    throw new BugError(`no facts of kind ${kind} in ${group === '' ? '' : `${group}/`}${version}`);
  return views.struct(packageId, kind);
}

/**
 * Returns the name of a type in OpenAPI documents, such as `io.k8s.api.core.v1.ConfigMap`; undefined for a view from
 * elsewhere.
 */
export const typeName: (view: StructView) => string | undefined = views.typeName;

/**
 * Returns the view of a type by its name in OpenAPI documents, also of types that are not kinds. Throws BugError for
 * others.
 */
export const viewOfTypeName: (name: string) => StructView = views.view;

let fingerprint: string | undefined;

/** Returns a text that changes whenever a fact of a type changes. */
export function factsFingerprint(): string {
  fingerprint ??= contentHash(encodeUtf8(packages.map(({ structs }) => structs).join('')));
  return fingerprint;
}

let kindPackages: Map<string, string> | undefined;

function kindIndex(): Map<string, string> {
  if (kindPackages === undefined) {
    kindPackages = new Map();
    for (const [group, version, packageId, names] of kinds)
      for (const kind of names.split(' ')) kindPackages.set(`${group}/${version}/${kind}`, packageId);
  }
  return kindPackages;
}
