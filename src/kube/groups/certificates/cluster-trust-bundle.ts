/** The kind ClusterTrustBundle. spec.signerName is immutable, and the object's name starts with it. */

import { objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { addIssues, type FieldIssue, invalid, tooLong } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { validateImmutableField } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import { formatHex } from '../../../base/bytes.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { utf8Length } from '../../../base/utf8.ts';
import { parseCertificate } from '../../../pki/certificate.ts';
import { parsePem } from '../../../pki/pem.ts';
import { column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { checkTrustBundleName, validateSignerName } from '../../shared/signer-name.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';

const METADATA = FieldPath.of('metadata');
const SIGNER = FieldPath.of('spec', 'signerName');
const BUNDLE = FieldPath.of('spec', 'trustBundle');
const MAX_BUNDLE = 1024 * 1024;

const clusterTrustBundleTable: () => TableDefinition = tableOf(
  NAME,
  column('SignerName', 'The signer that it is for.', (object) => textAt(object, 'spec', 'signerName') || '<none>'),
);

const VERSION = {
  group: 'certificates.k8s.io',
  kind: 'ClusterTrustBundle',
  table: clusterTrustBundleTable,
  selectableFields: ['spec.signerName'],
} as const;

export const CLUSTER_TRUST_BUNDLE: KubeResource = {
  definition: storedResource({
    plural: 'clustertrustbundles',
    scope: 'Cluster',
    versions: [builtInVersion({ ...VERSION, version: 'v1beta1' }), builtInVersion({ ...VERSION, version: 'v1alpha1' })],
    strategy: strategyWithDefaults({
      allowUnconditionalUpdate: false,
      validate: validateTrustBundle,
      validateUpdate: validateTrustBundleUpdate,
    }),
  }),
};

function validateTrustBundle(object: JsonObject): FieldIssue[] {
  return validateParts(object, true);
}

/** Parses the certificates only if they changed. */
function validateTrustBundleUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const changed = textAt(object, 'spec', 'trustBundle') !== textAt(old, 'spec', 'trustBundle');
  const [signer, before] = [object, old].map((one) => textAt(one, 'spec', 'signerName')) as [string, string];
  return [
    ...validateParts(object, changed),
    ...validateMetaUpdate(object, old),
    ...validateImmutableField(signer, before, SIGNER),
  ];
}

function validateParts(object: JsonObject, parsesBundle: boolean): FieldIssue[] {
  const spec = objectAt(object, 'spec') ?? {};
  const signer = textAt(spec, 'signerName');
  const issues = validateKubeMeta(
    metaFacts(object),
    { namespaced: false, name: (name, isPrefix) => checkTrustBundleName(name, signer, isPrefix) },
    METADATA,
  );
  if (signer !== '') addIssues(issues, validateSignerName(signer, SIGNER));
  if (parsesBundle) addIssues(issues, validateBundle(textAt(spec, 'trustBundle')));
  return issues;
}

function validateBundle(bundle: string): FieldIssue[] {
  if (utf8Length(bundle) > MAX_BUNDLE) return [tooLong(BUNDLE, undefined, MAX_BUNDLE)];
  const problems: string[] = [];
  const anchors = new Map<string, number[]>();
  for (const [i, { type, bytes, hasHeaders }] of parsePem(bundle).entries()) {
    const certificate = parseCertificate(bytes);
    if (type !== 'CERTIFICATE') problems.push(`entry ${i} has bad block type: ${type}`);
    else if (hasHeaders === true) problems.push(`entry ${i} has PEM block headers`);
    else if (certificate === undefined) problems.push(`entry ${i} does not parse as X.509`);
    else if (!certificate.extensions.isCa) problems.push(`entry ${i} does not have the CA bit set`);
    else {
      const key = formatHex(bytes);
      anchors.set(key, [...(anchors.get(key) ?? []), i]);
    }
  }
  if (problems.length === 0) {
    if (anchors.size === 0) problems.push('at least one trust anchor must be provided');
    for (const places of anchors.values())
      if (places.length > 1) problems.push(`duplicate trust anchor (indices [${places.join(' ')}])`);
  }
  return problems.map((problem) => invalid(BUNDLE, '<value omitted>', problem));
}
