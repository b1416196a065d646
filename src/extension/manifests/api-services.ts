/** The APIServices of an extension server: one per group and version. */
import { encodeBase64 } from '../../base/base64.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { ResourceDefinition } from '../../server/resource/resource-definition.ts';
import type { ServiceNames } from './service-names.ts';

export interface ApiServiceOptions {
  readonly ca: string;
  readonly port: number;
  readonly groupPriority?: number;
  readonly versionPriority?: number;
}

/** The default priorities: those of a CustomResourceDefinition's group. */
const GROUP_PRIORITY = 1000;
const VERSION_PRIORITY = 100;

export function apiServices(
  { namespace, name }: ServiceNames,
  resources: readonly ResourceDefinition[],
  { ca, port, groupPriority = GROUP_PRIORITY, versionPriority = VERSION_PRIORITY }: ApiServiceOptions,
): readonly JsonObject[] {
  const caBundle = encodeBase64(encodeUtf8(ca));
  return servedVersions(resources).map(({ group, version }, index) => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      groupPriorityMinimum: groupPriority,
      versionPriority: Math.max(1, versionPriority - index),
      service: { namespace, name, port },
      caBundle,
    },
  }));
}

/** Returns every group and version that the resources serve, in the order of the resources. */
export function servedVersions(
  resources: readonly ResourceDefinition[],
): readonly { readonly group: string; readonly version: string }[] {
  const found = new Map<string, { readonly group: string; readonly version: string }>();
  for (const { versions } of resources)
    for (const { group, version } of versions) found.set(`${group}/${version}`, { group, version });
  return [...found.values()];
}
