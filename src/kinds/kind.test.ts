import { describe, expect, expectTypeOf, it } from 'vitest';
import { CustomResourceDefinition, type JSONSchemaProps } from './api/apiextensions/v1.ts';
import { Deployment } from './api/apps/v1.ts';
import { SubjectAccessReview } from './api/authorization/v1.ts';
import { type Container, Endpoints, Namespace, Pod } from './api/core/v1.ts';
import type { LabelSelector, ObjectMeta } from './api/meta/v1.ts';
import { Ingress, IngressClass, NetworkPolicy } from './api/networking/v1.ts';
import { PodDisruptionBudget } from './api/policy/v1.ts';
import { ResourceSlice } from './api/resource/v1.ts';
import { CSIStorageCapacity, StorageClass } from './api/storage/v1.ts';
import type { Kind, ObjectOf } from './kind.ts';

describe('tokens of kinds', () => {
  it('name the resource', () => {
    expect(Deployment).toEqual({
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
      plural: 'deployments',
      scope: 'Namespaced',
    });
    const tokens: readonly Kind<unknown>[] = [
      Pod,
      Endpoints,
      Ingress,
      NetworkPolicy,
      PodDisruptionBudget,
      CSIStorageCapacity,
      Namespace,
      IngressClass,
      StorageClass,
      ResourceSlice,
      SubjectAccessReview,
      CustomResourceDefinition,
    ];
    expect(tokens.map(({ plural, scope }) => `${plural} ${scope}`)).toEqual([
      'pods Namespaced',
      'endpoints Namespaced',
      'ingresses Namespaced',
      'networkpolicies Namespaced',
      'poddisruptionbudgets Namespaced',
      'csistoragecapacities Namespaced',
      'namespaces Cluster',
      'ingressclasses Cluster',
      'storageclasses Cluster',
      'resourceslices Cluster',
      'subjectaccessreviews Cluster',
      'customresourcedefinitions Cluster',
    ]);
  });

  it('carry the type of their objects and their scope', () => {
    expectTypeOf<ObjectOf<typeof Pod>>().toEqualTypeOf<Pod>();
    expectTypeOf(Pod.scope).toEqualTypeOf<'Namespaced'>();
    expectTypeOf(Namespace.scope).toEqualTypeOf<'Cluster'>();
  });
});

describe('types of objects', () => {
  it('say what is required, which values there are and what numbers may be', () => {
    const web: Deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
        template: { spec: { containers: [{ name: 'web', image: 'nginx', imagePullPolicy: 'Always' }] } },
      },
    };
    expect(web.spec?.selector).toBeDefined();
    expectTypeOf<Container['name']>().toEqualTypeOf<string>();
    expectTypeOf<Container['imagePullPolicy']>().toEqualTypeOf<'Always' | 'IfNotPresent' | 'Never' | undefined>();
    expectTypeOf<ObjectMeta['generation']>().toEqualTypeOf<number | bigint | undefined>();
    expectTypeOf<NonNullable<Deployment['spec']>['selector']>().toEqualTypeOf<LabelSelector>();
    // A schema is a schema, a list of them, or in some places a boolean.
    expectTypeOf<JSONSchemaProps['items']>().toEqualTypeOf<JSONSchemaProps | JSONSchemaProps[] | undefined>();
    expectTypeOf<JSONSchemaProps['additionalProperties']>().toEqualTypeOf<JSONSchemaProps | boolean | undefined>();
  });
});
