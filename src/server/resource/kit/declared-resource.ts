/**
 * Makes the ResourceDefinition of a declared resource. From here on the options have no type parameter: objects are
 * plain JSON.
 */
import { ConfigError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { Converted } from '../converted.ts';
import type { ResourceDefinition } from '../resource-definition.ts';
import { type SchemaRules, schemaStrategy } from '../schema/schema-strategy.ts';
import type { VersionDefinition } from '../version-definition.ts';
import { checkedRows, readsOf } from './declared-rows.ts';
import { declaredSubresources, type ResourceNames } from './declared-subresources.ts';
import { hookedStore } from './hooked-store.ts';
import { HubConversion } from './hub-conversion.ts';
import { KitHooks, refinementsOf } from './kit-hooks.ts';
import { hubVersion, spokeVersion } from './kit-versions.ts';
import type { ResourceOptions, SpokeVersion } from './resource-options.ts';

export function declaredResource(options: ResourceOptions<JsonObject>): ResourceDefinition {
  const { group, kind, scope = 'Namespaced', nameRule, store } = options;
  const names: ResourceNames = {
    group,
    kind,
    plural: options.plural ?? `${kind.toLowerCase()}s`,
    singular: options.singular ?? kind.toLowerCase(),
  };
  const rows = checkedRows(options);
  const hub = hubVersion(options, names);
  const spokes = new Map<VersionDefinition, SpokeVersion>();
  for (const spoke of options.versions ?? []) spokes.set(spokeVersion(spoke, options, names), spoke);
  checkVersions(options);
  const conversion = new HubConversion(hub, spokes);
  const hooks = new KitHooks(options, refinementsOf({ spec: options.spec, status: options.status }), conversion);
  const rules: SchemaRules = {
    namespaced: scope === 'Namespaced',
    ...(nameRule && { nameRule }),
    ...(options.mutate && { prepare: (object, old, context) => hooks.mutate(object, old, context) }),
    ...(options.warnings && { warnings: (object, old, context) => hooks.warnings(object, old, context) }),
  };
  const place = { scope, storagePrefix: `${group}/${names.plural}` };
  const isReadOnly = rows?.readOnly === true;
  const subresources = declaredSubresources({ options, names, hooks, rules, isReadOnly, definition: () => definition });
  const served = [...spokes].filter(([, { served: isServed = true }]) => isServed).map(([version]) => version);
  const definition: ResourceDefinition = {
    plural: names.plural,
    singular: names.singular,
    shortNames: options.shortNames ?? [],
    categories: options.categories ?? [],
    ...place,
    versions: [hub, ...served],
    storageVersion: store === undefined ? hub : undefined,
    generation: '1',
    // An earlier program may have stored objects in another version or without today's defaults.
    ...(store === undefined && rows === undefined
      ? { history: { versions: [hub, ...spokes.keys()], defaultsEveryVersion: true } }
      : undefined),
    keepsMetadata: () => spokes.size === 0,
    strategy: schemaStrategy(rules),
    ...(spokes.size === 0
      ? undefined
      : { convert: (objects, from, to): readonly Converted[] => conversion.convert(objects, from, to) }),
    ...(store && { store: (host) => store.call(options, host) }),
    ...(rows && { storage: (host) => rows.open({ ...place, storageVersion: hub }, host) }),
    wrap: (opened) => hookedStore(isReadOnly ? readsOf(opened) : opened, hooks),
    subresources,
  };
  return definition;
}

function checkVersions({ kind, version, versions = [] }: ResourceOptions<JsonObject>): void {
  const seen = new Set([version]);
  for (const spoke of versions) {
    if (seen.has(spoke.version)) throw new ConfigError(`${kind} has two versions ${spoke.version}`);
    seen.add(spoke.version);
  }
}
