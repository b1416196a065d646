/**
 * The definitions of the benchmark and their objects. Invariant: the same index gives the same definition, for each
 * side and in every run.
 */
import type { JsonObject } from '../../../src/base/json-value.ts';

export interface CustomKind {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  /** `/apis/<group>/v1/namespaces/default/<plural>`. */
  readonly collection: string;
}

const VERSION = 'v1';
/** The number of definitions per group, as in a larger project. */
const PER_GROUP = 10;

export function customKind(set: string, index: number): CustomKind {
  const group = `${set}${Math.floor(index / PER_GROUP)}.bench.example.com`;
  const plural = `${set}${index}s`;
  const collection = `/apis/${group}/${VERSION}/namespaces/default/${plural}`;
  return { group, plural, kind: `${set.charAt(0).toUpperCase()}${set.slice(1)}${index}`, collection };
}

/** Ten fields, a pattern, a default, the status subresource. */
export function smallDefinition(of: CustomKind): JsonObject {
  return definition(of, {
    type: 'object',
    required: ['image', 'owner'],
    properties: {
      image: { type: 'string', description: 'What is run.', minLength: 1, maxLength: 200 },
      owner: { type: 'string', description: 'Who answers for it.', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
      replicas: { type: 'integer', format: 'int32', minimum: 0, maximum: 1000, default: 1 },
      port: { type: 'integer', minimum: 1, maximum: 65_535 },
      policy: { type: 'string', enum: ['Always', 'Never', 'OnFailure'] },
      paused: { type: 'boolean' },
      arguments: { type: 'array', maxItems: 32, items: { type: 'string' } },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      weight: { type: 'number', minimum: 0 },
      note: { type: 'string', description: 'Free text.' },
    },
  });
}

export function smallObject(of: CustomKind): JsonObject {
  return {
    apiVersion: `${of.group}/${VERSION}`,
    kind: of.kind,
    metadata: { generateName: 'bench-', labels: { app: 'bench', tier: 'backend' } },
    spec: smallSpec(),
  };
}

/** The spec of an object of the small definition, without the field that has a default. */
export function smallSpec(): JsonObject {
  return {
    image: 'registry.example.com/shop/cart:1.2.3',
    owner: 'team-cart',
    port: 8080,
    policy: 'OnFailure',
    paused: false,
    arguments: ['--level=info', '--listen=:8080', '--cache=64Mi'],
    labels: { region: 'north', stage: 'test' },
    weight: 0.5,
    note: 'made by the benchmark',
  };
}

const LARGE_FIELDS = 200;

/**
 * Two hundred fields in objects of ten, each with a description, as generators of providers write them, with the
 * annotation of `kubectl apply`.
 */
export function largeDefinition(of: CustomKind): JsonObject {
  const properties: JsonObject = {};
  for (let i = 0; i < LARGE_FIELDS / 10; i++) properties[`section${i}`] = section(of, i);
  const made = definition(of, { type: 'object', properties });
  const metadata = made['metadata'] as JsonObject;
  metadata['annotations'] = { 'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(made)}\n` };
  return made;
}

function section(of: CustomKind, index: number): JsonObject {
  const properties: JsonObject = {};
  for (let i = 0; i < 9; i++) {
    const description = `Setting ${i} of section ${index} of a ${of.kind}: what the provider is told when the resource is made.`;
    properties[`setting${i}`] =
      i % 3 === 0
        ? { description, type: 'integer', format: 'int64', minimum: 0 }
        : i % 3 === 1
          ? { description, type: 'string', maxLength: 256 }
          : { description, type: 'array', items: { type: 'string' } };
  }
  return { description: `Section ${index} of a ${of.kind}.`, type: 'object', properties };
}

function definition({ group, plural, kind }: CustomKind, spec: JsonObject): JsonObject {
  const status = { type: 'object', properties: { phase: { type: 'string' }, ready: { type: 'boolean' } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
          subresources: { status: {} },
        },
      ],
    },
  };
}
