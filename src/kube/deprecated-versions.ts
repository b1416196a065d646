/**
 * The deprecated versions of built-in kinds and the warnings about them. Releases and messages equal the reference's.
 */
import { formatGroupVersion, type GroupVersionKind } from '../apimachinery/meta/gvk.ts';

interface Deprecation {
  /** The minor version of the release, like `until`. */
  readonly since: number;
  readonly until?: number;
  readonly instead?: string;
}

/** By group-version, then by kind. */
const DEPRECATIONS: Readonly<Record<string, Readonly<Record<string, Deprecation>>>> = {
  v1: {
    ComponentStatus: { since: 19 },
    Endpoints: { since: 33, instead: 'discovery.k8s.io/v1 EndpointSlice' },
  },
  'admissionregistration.k8s.io/v1alpha1': {
    MutatingAdmissionPolicy: { since: 35, until: 38 },
    MutatingAdmissionPolicyBinding: { since: 35, until: 38 },
  },
  'certificates.k8s.io/v1alpha1': { ClusterTrustBundle: { since: 34, until: 37 } },
  'coordination.k8s.io/v1alpha2': { LeaseCandidate: { since: 35, until: 38 } },
  'coordination.k8s.io/v1beta1': { LeaseCandidate: { since: 36, until: 39 } },
  'networking.k8s.io/v1beta1': { IPAddress: { since: 34, until: 37 }, ServiceCIDR: { since: 34, until: 37 } },
  'resource.k8s.io/v1alpha3': { DeviceTaintRule: { since: 36, until: 39 } },
  'resource.k8s.io/v1beta1': resourceKinds({ since: 35, until: 38 }),
  'resource.k8s.io/v1beta2': resourceKinds({ since: 36, until: 39 }),
  'storage.k8s.io/v1beta1': {
    VolumeAttributesClass: { since: 34, until: 37, instead: 'storage.k8s.io/v1 VolumeAttributesClass' },
  },
};

function resourceKinds(deprecation: Deprecation): Readonly<Record<string, Deprecation>> {
  return {
    DeviceClass: deprecation,
    ResourceClaim: deprecation,
    ResourceClaimTemplate: deprecation,
    ResourceSlice: deprecation,
  };
}

/** Returns '' for a version that is not deprecated. */
export function deprecationWarning(version: GroupVersionKind): string {
  const groupVersion = formatGroupVersion(version);
  const deprecation = DEPRECATIONS[groupVersion]?.[version.kind];
  if (deprecation === undefined) return '';
  const { since, until, instead } = deprecation;
  const end = until === undefined ? '' : `, unavailable in v1.${until}+`;
  const use = instead === undefined ? '' : `; use ${instead}`;
  return `${groupVersion} ${version.kind} is deprecated in v1.${since}+${end}${use}`;
}
