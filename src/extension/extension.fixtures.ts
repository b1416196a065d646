/** A resource for the tests of extension servers. */

import type { UntypedObject } from '../client/object-types.ts';
import { untypedKind } from '../client/untyped-kind.ts';
import type { Kind } from '../kinds/kind.ts';
import { defineResource } from '../server/resource/define-resource.ts';
import type { ResourceDefinition } from '../server/resource/resource-definition.ts';

export const ACCOUNT_RESOURCE: ResourceDefinition = defineResource<{ spec: { owner: string } }>({
  group: 'bank.example.com',
  version: 'v1',
  kind: 'Account',
  shortNames: ['acc'],
  schema: {
    type: 'object',
    description: 'An account of a bank.',
    properties: {
      spec: {
        type: 'object',
        required: ['owner'],
        properties: { owner: { type: 'string', minLength: 1, description: 'The name of the owner.' } },
      },
      status: { type: 'object', properties: { balance: { type: 'integer' } } },
    },
  },
  columns: [
    { name: 'Owner', jsonPath: '.spec.owner' },
    { name: 'Balance', jsonPath: '.status.balance', type: 'integer', priority: 1 },
  ],
});

export const ACCOUNT: Kind<UntypedObject, 'Namespaced'> = untypedKind({
  group: 'bank.example.com',
  version: 'v1',
  kind: 'Account',
  plural: 'accounts',
  scope: 'Namespaced',
});
