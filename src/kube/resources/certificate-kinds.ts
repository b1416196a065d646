/** certificates.k8s.io: certificates that somebody asks for, and whom to trust. Invariant: how its kinds work is in `rules/`. */
import type { ResourceDefinition, Strategy } from '../../server/resource/resource-definition.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import {
  certificateSigningRequestTable,
  prepareRequestApprovalForUpdate,
  prepareRequestForCreate,
  prepareRequestForUpdate,
  prepareRequestStatusForUpdate,
  requestSignatureProblem,
  validateRequest,
  validateRequestApprovalUpdate,
  validateRequestStatusUpdate,
  validateRequestUpdate,
} from '../groups/certificates/certificate-signing-request.ts';
import {
  clusterTrustBundleTable,
  validateTrustBundle,
  validateTrustBundleUpdate,
} from '../groups/certificates/cluster-trust-bundle.ts';
import {
  podCertificateRequestTable,
  possessionProblem,
  setPodCertificateRequestDefaults,
  validatePodCertificateRequest,
  validatePodCertificateRequestStatusUpdate,
  validatePodCertificateRequestUpdate,
} from '../groups/certificates/pod-certificate-request.ts';
import { signedBySigners } from '../groups/certificates/pod-certificate-signers.ts';
import { SignatureNotes } from '../groups/certificates/signature-notes.ts';
import type { KubeResource } from '../kube-context.ts';
import { LateKubeContext } from '../late-context.ts';
import { builtInStrategy, builtInVersion, storedResource } from '../shared/built-in.ts';
import { clearStatus, keepAllButStatus, keepStatus } from '../shared/object-fields.ts';

const GROUP = 'certificates.k8s.io';

export function certificateResources(): readonly KubeResource[] {
  const notes = new SignatureNotes();
  const late = new LateKubeContext();
  return [
    {
      definition: signingRequests(notes),
      wrapStore: ({ store }) => notes.front(store, requestSignatureProblem),
    },
    { definition: CLUSTER_TRUST_BUNDLES },
    {
      definition: podRequests(notes, late),
      wrapStore: ({ store }, world) => {
        late.attach(world);
        return notes.front(store, possessionProblem);
      },
    },
  ];
}

function signingRequests(notes: SignatureNotes): ResourceDefinition {
  const strategy: Strategy = builtInStrategy({
    prepareForCreate: prepareRequestForCreate,
    validate: (object, { request }) => validateRequest(object, notes.problemOf(request)),
    prepareForUpdate: prepareRequestForUpdate,
    validateUpdate: validateRequestUpdate,
  });

  return storedResource({
    plural: 'certificatesigningrequests',
    shortNames: ['csr'],
    scope: 'Cluster',
    versions: [
      builtInVersion({
        group: GROUP,
        version: 'v1',
        kind: 'CertificateSigningRequest',
        table: certificateSigningRequestTable,
        selectableFields: ['spec.signerName'],
      }),
    ],
    strategy,
    subresources: [
      updateSubresource('status', {
        ...strategy,
        prepareForUpdate: prepareRequestStatusForUpdate,
        validateUpdate: validateRequestStatusUpdate,
      }),
      updateSubresource('approval', {
        ...strategy,
        prepareForUpdate: prepareRequestApprovalForUpdate,
        validateUpdate: validateRequestApprovalUpdate,
      }),
    ],
  });
}

const BUNDLE = {
  group: GROUP,
  kind: 'ClusterTrustBundle',
  table: clusterTrustBundleTable,
  selectableFields: ['spec.signerName'],
} as const;

const CLUSTER_TRUST_BUNDLES: ResourceDefinition = storedResource({
  plural: 'clustertrustbundles',
  scope: 'Cluster',
  versions: [builtInVersion({ ...BUNDLE, version: 'v1beta1' }), builtInVersion({ ...BUNDLE, version: 'v1alpha1' })],
  strategy: builtInStrategy({
    allowUnconditionalUpdate: false,
    validate: validateTrustBundle,
    validateUpdate: validateTrustBundleUpdate,
  }),
});

function podRequests(notes: SignatureNotes, late: LateKubeContext): ResourceDefinition {
  const strategy: Strategy = builtInStrategy({
    allowUnconditionalUpdate: false,
    prepareForCreate: clearStatus,
    validate: (object, { request }) => validatePodCertificateRequest(object, notes.problemOf(request)),
    validatesMetadata: true,
    prepareForUpdate: keepStatus,
    validateUpdate: validatePodCertificateRequestUpdate,
  });

  return storedResource({
    plural: 'podcertificaterequests',
    scope: 'Namespaced',
    versions: [
      builtInVersion({
        group: GROUP,
        version: 'v1beta1',
        kind: 'PodCertificateRequest',
        setDefaults: setPodCertificateRequestDefaults,
        table: podCertificateRequestTable,
        selectableFields: ['spec.signerName', 'spec.podName', 'spec.nodeName'],
      }),
    ],
    strategy,
    subresources: [
      signedBySigners(
        updateSubresource('status', {
          ...strategy,
          prepareForUpdate: keepAllButStatus,
          validateUpdate: validatePodCertificateRequestStatusUpdate,
        }),
        () => late.get().authorizer(),
      ),
    ],
  });
}
