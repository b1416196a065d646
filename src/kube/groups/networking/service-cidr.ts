/**
 * The kind ServiceCIDR: the networks of cluster IPs, one network or one of each IP family. An update may add the second
 * network and change nothing else.
 */

import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid, required } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/validation/validate-object-meta.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { networkingShapes } from '../../../kinds/shapes/networking.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { RESETS_SPEC_AND_METADATA } from '../../../server/resource/reset-fields.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { clearStatus, keepAllButStatus, keepStatus, metaFacts } from '../../../server/resource/strategy-fields.ts';
import { updateSubresource } from '../../../server/resource/update-subresource.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { parseSloppyCidr, validateCidr } from '../../shared/ip.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';

const METADATA = FieldPath.of('metadata');
const CIDRS = FieldPath.of('spec', 'cidrs');

const serviceCidrTable: () => TableDefinition = tableOf(
  NAME,
  column('CIDRs', 'The networks.', (object) => textsAt(object, 'spec', 'cidrs').join(',')),
  AGE,
);

const VERSION = { group: 'networking.k8s.io', kind: 'ServiceCIDR', table: serviceCidrTable } as const;

export const SERVICE_CIDR: KubeResource = {
  definition: storedResource({
    plural: 'servicecidrs',
    scope: 'Cluster',
    versions: [builtInVersion({ ...VERSION, version: 'v1' }), builtInVersion({ ...VERSION, version: 'v1beta1' })],
    strategy: strategyWithDefaults({
      prepareForCreate: clearStatus,
      validate: validateServiceCidr,
      validatesMetadata: true,
      prepareForUpdate: keepStatus,
      validateUpdate: validateServiceCidrUpdate,
    }),
    subresources: [
      updateSubresource(
        'status',
        strategyWithDefaults({
          resetFields: RESETS_SPEC_AND_METADATA,
          prepareForUpdate: keepAllButStatus,
          validateUpdate: validateMetaUpdate,
        }),
      ),
    ],
  }),
};

function validateServiceCidr(object: JsonObject): FieldIssue[] {
  return [
    ...validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA),
    ...validateCidrs(cidrsOf(object)),
  ];
}

function validateServiceCidrUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const [cidrs, oldCidrs] = [cidrsOf(object), cidrsOf(old)];
  const changed = (upTo: number): FieldIssue[] =>
    oldCidrs
      .slice(0, upTo)
      .flatMap((cidr, i) => (cidr === cidrs[i] ? [] : [invalid(CIDRS.index(i), cidrs[i] ?? '', FIELD_IMMUTABLE)]));
  const issues = validateMetaUpdate(object, old);
  if (cidrs.length === oldCidrs.length) return [...issues, ...changed(2)];
  if (oldCidrs.length === 1 && cidrs.length === 2) return [...issues, ...changed(1), ...validateCidrs(cidrs)];
  return [...issues, invalid(CIDRS, cidrs.length === 0 ? null : cidrs, FIELD_IMMUTABLE)];
}

function cidrsOf(object: JsonObject): string[] {
  return [...textsAt(object, 'spec', 'cidrs')];
}

function validateCidrs(cidrs: string[]): FieldIssue[] {
  if (cidrs.length === 0) return [required(CIDRS, 'at least one CIDR required')];
  if (cidrs.length > 2) {
    const shown = goValue(networkingShapes, 'ServiceCIDRSpec', { cidrs });
    return [invalid(CIDRS, shown, 'may only hold up to 2 values')];
  }
  const issues = cidrs.flatMap((cidr, i) => validateCidr(cidr, CIDRS.index(i)));
  const [first, second] = cidrs.map((cidr) => parseSloppyCidr(cidr)?.address.length);
  if (cidrs.length === 2 && first !== undefined && first === second)
    issues.push(
      invalid(CIDRS, cidrs, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'),
    );
  return issues;
}
