/**
 * The libraries of Kubernetes' CEL environments, by version. Rules of custom resources have exactly these libraries.
 * The authorizer library is added by admission policies. Kubernetes has no `math` and no `base64` library.
 */
import type { Library } from '../library.ts';
import { CIDR_LIBRARY } from './cidr.ts';
import { EXTENDED_LISTS_LIBRARY } from './extended-lists.ts';
import { FORMAT_LIBRARY } from './format.ts';
import { IP_LIBRARY } from './ip.ts';
import { LISTS_LIBRARY } from './lists.ts';
import { OPTIONALS_LIBRARY } from './optionals.ts';
import { QUANTITY_LIBRARY } from './quantity.ts';
import { REGEX_LIBRARY } from './regex.ts';
import { SEMVER_LIBRARY } from './semver.ts';
import { SETS_LIBRARY } from './sets.ts';
import { STANDARD_LIBRARY } from './standard/standard.ts';
import { STRINGS_LIBRARY } from './strings/strings.ts';
import { TWO_VARIABLE_COMPREHENSIONS_LIBRARY } from './two-variable-comprehensions.ts';
import { URL_LIBRARY } from './url.ts';

interface VersionedLibrary {
  /** The minor version of Kubernetes that introduced it. */
  readonly since: number;
  readonly library: Library;
}

/** Sorted by version. */
const VERSIONED: readonly VersionedLibrary[] = [
  { since: 0, library: STANDARD_LIBRARY },
  { since: 0, library: URL_LIBRARY },
  { since: 0, library: REGEX_LIBRARY },
  { since: 0, library: LISTS_LIBRARY },
  { since: 28, library: OPTIONALS_LIBRARY },
  { since: 28, library: QUANTITY_LIBRARY },
  { since: 29, library: STRINGS_LIBRARY },
  { since: 29, library: SETS_LIBRARY },
  { since: 30, library: IP_LIBRARY },
  { since: 30, library: CIDR_LIBRARY },
  { since: 31, library: FORMAT_LIBRARY },
  { since: 32, library: TWO_VARIABLE_COMPREHENSIONS_LIBRARY },
  { since: 33, library: SEMVER_LIBRARY },
  { since: 34, library: EXTENDED_LISTS_LIBRARY },
];

/** The libraries of Kubernetes 1.`minor`, for 1.29 and later. */
export function kubernetesLibraries(minor: number): readonly Library[] {
  return VERSIONED.filter(({ since }) => since <= minor).map(({ library }) => library);
}

/** The libraries of rules of custom resources. */
export const KUBERNETES_LIBRARIES: readonly Library[] = kubernetesLibraries(36);
