// The kinds of k8s.io/sample-apiserver. A Flunder refers to another Flunder or to a Fischer; a Fischer is
// cluster-scoped and lists names that Flunders may not have.
import type { JsonObject } from 'keelson/client';
import { atomic, defineResource } from 'keelson/extension';
import { FieldPath, invalid } from 'keelson/server';

export const GROUP = 'wardle.example.com';

const TYPES = ['Flunder', 'Fischer'];

interface FlunderSpec {
  flunderReference?: string;
  fischerReference?: string;
  referenceType?: string;
}

/** Two versions. v1beta1 has a field for each type of reference and is stored; v1alpha1 has one field for both. */
export const flunders = defineResource<{ spec: FlunderSpec }>({
  group: GROUP,
  version: 'v1beta1',
  kind: 'Flunder',
  description: 'Flunder is an example type with a spec.',
  spec: {
    type: 'object',
    description: 'FlunderSpec is the specification of a Flunder.',
    properties: {
      flunderReference: {
        type: 'string',
        description: 'A name of another flunder, mutually exclusive to the FischerReference.',
      },
      fischerReference: {
        type: 'string',
        description: 'A name of a fischer, mutually exclusive to the FlunderReference.',
      },
      referenceType: { type: 'string', description: 'The reference type.' },
    },
  },
  validate: ({ spec }) => validateReferences(spec),
  versions: [
    {
      version: 'v1alpha1',
      deprecated: 'wardle.example.com/v1alpha1 Flunder is deprecated in v1.3+, unavailable in v1.10+',
      spec: {
        type: 'object',
        properties: {
          reference: {
            type: 'string',
            description: 'A name of another flunder or fischer, depending on the reference type.',
          },
          referenceType: {
            type: 'string',
            description: 'The reference type, defaults to "Flunder" if reference is set.',
          },
        },
      },
      toHub: (object) => ({ ...object, spec: toHubSpec((object['spec'] ?? {}) as AlphaSpec) }),
      fromHub: (object) => ({ ...object, spec: fromHubSpec((object['spec'] ?? {}) as FlunderSpec) }),
    },
  ],
});

export interface Fischer {
  metadata: { name: string };
  disallowedFlunders?: string[];
}

export const fischers = defineResource<{ disallowedFlunders?: string[] }>({
  group: GROUP,
  version: 'v1alpha1',
  kind: 'Fischer',
  scope: 'Cluster',
  schema: {
    type: 'object',
    properties: {
      disallowedFlunders: {
        type: 'array',
        items: { type: 'string' },
        description: 'DisallowedFlunders holds a list of Flunder.Names that are disallowed.',
        'x-kubernetes-list-type': atomic()['x-kubernetes-list-type'],
      },
    },
  },
});

interface AlphaSpec {
  reference?: string;
  referenceType?: string;
}

function toHubSpec({
  reference,
  referenceType = reference === undefined ? undefined : 'Flunder',
}: AlphaSpec): JsonObject {
  if (referenceType === undefined) return {};
  if (reference === undefined) return { referenceType };
  const field = referenceType === 'Fischer' ? 'fischerReference' : 'flunderReference';
  return { [field]: reference, referenceType };
}

function fromHubSpec({ flunderReference, fischerReference, referenceType }: FlunderSpec): JsonObject {
  const reference = referenceType === 'Fischer' ? fischerReference : flunderReference;
  return {
    ...(reference === undefined ? {} : { reference }),
    ...(referenceType === undefined ? {} : { referenceType }),
  };
}

function validateReferences({ flunderReference = '', fischerReference = '', referenceType = '' }: FlunderSpec) {
  const issue = (field: keyof FlunderSpec, value: string, text: string) => [
    invalid(FieldPath.of('spec', field), value, text),
  ];
  if (referenceType !== '' && !TYPES.includes(referenceType))
    return issue('referenceType', referenceType, 'must be Flunder or Fischer');
  if (flunderReference !== '' && fischerReference !== '')
    return issue('fischerReference', fischerReference, 'cannot be set with flunderReference at the same time');
  if (flunderReference !== '' && referenceType !== 'Flunder')
    return issue('flunderReference', flunderReference, 'cannot be set if referenceType is not Flunder');
  if (fischerReference !== '' && referenceType !== 'Fischer')
    return issue('fischerReference', fischerReference, 'cannot be set if referenceType is not Fischer');
  if (fischerReference === '' && referenceType === 'Fischer')
    return issue('fischerReference', fischerReference, 'cannot be empty if referenceType is Fischer');
  if (flunderReference === '' && referenceType === 'Flunder')
    return issue('flunderReference', flunderReference, 'cannot be empty if referenceType is Flunder');
  return [];
}
