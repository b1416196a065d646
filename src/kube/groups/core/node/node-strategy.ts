/** The strategies of Nodes and of their status. On create, the status that the client sent is kept. */
import { fieldAt, objectAt, textAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import type { SubresourceDefinition } from '../../../../server/resource/resource-definition.ts';
import { strategyWithDefaults } from '../../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../../server/resource/strategy.ts';
import { keepSpec, keepStatus } from '../../../../server/resource/strategy-fields.ts';
import { statusSubresource } from '../../../shared/built-in.ts';
import { cidrWarnings } from '../../../shared/ip.ts';
import { validateNode, validateNodeStatusUpdate, validateNodeUpdate } from './validate-node.ts';

const POD_CIDRS = FieldPath.of('spec', 'podCIDRs');

export const NODE_STRATEGY: Strategy = strategyWithDefaults({
  prepareForCreate: (node) => {
    drop(node, 'spec', 'configSource');
    drop(node, 'status', 'config');
  },
  validate: validateNode,
  validatesMetadata: true,
  warningsOnCreate: nodeWarnings,
  prepareForUpdate: (node, old) => {
    keepStatus(node, old);
    if (fieldAt(old, 'spec', 'configSource') === undefined) drop(node, 'spec', 'configSource');
  },
  validateUpdate: validateNodeUpdate,
  warningsOnUpdate: nodeWarnings,
});

export const NODE_STATUS: SubresourceDefinition = statusSubresource(strategyWithDefaults({}), {
  prepareForUpdate: (node, old) => {
    keepSpec(node, old);
    if (fieldAt(old, 'status', 'config') === undefined) drop(node, 'status', 'config');
  },
  validateUpdate: validateNodeStatusUpdate,
});

function drop(node: JsonObject, part: string, field: string): void {
  const owner = objectAt(node, part);
  if (owner !== undefined) delete owner[field];
}

function nodeWarnings(node: JsonObject): readonly string[] {
  const warnings: string[] = [];
  if (fieldAt(node, 'spec', 'configSource') !== undefined) warnings.push('spec.configSource: the feature is removed');
  if (textAt(node, 'spec', 'externalID') !== '')
    warnings.push('spec.externalID: this field is deprecated, and is unused by Kubernetes');
  return [
    ...warnings,
    ...textsAt(node, 'spec', 'podCIDRs').flatMap((cidr, i) => cidrWarnings(cidr, POD_CIDRS.index(i))),
  ];
}
