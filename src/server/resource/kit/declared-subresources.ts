/** The subresources of a declared resource: status, scale, actions, streams and those of the program. */
import { ConfigError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { createFieldManager } from '../create-field-manager.ts';
import type { ResourceDefinition, SubresourceDefinition } from '../resource-definition.ts';
import type { ResourceStore } from '../resource-store.ts';
import { type SchemaRules, schemaStatusStrategy, wholeObjectStrategy } from '../schema/schema-strategy.ts';
import { updateSubresource } from '../update-subresource.ts';
import type { ResourceAction } from './action.ts';
import { actionSubresource } from './action-subresource.ts';
import type { KitHooks } from './kit-hooks.ts';
import { kitScale } from './kit-scale.ts';
import { type ObjectWriter, objectWriter } from './object-writer.ts';
import type { ResourceOptions } from './resource-options.ts';
import type { ResourceStream } from './stream.ts';
import { streamSubresource } from './stream-subresource.ts';

/** The names of a resource with their defaults. */
export interface ResourceNames {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
}

export interface SubresourceParts {
  readonly options: ResourceOptions<JsonObject>;
  readonly names: ResourceNames;
  readonly hooks: KitHooks;
  readonly rules: SchemaRules;
  /** Whether the objects can only be read: then there is neither status nor scale, and actions cannot change them. */
  readonly isReadOnly: boolean;
  /** Returns the whole definition. Called with the first write of an action. */
  definition(): ResourceDefinition;
}

/** Throws ConfigError for names that paths cannot have, or that are used twice. */
export function declaredSubresources(parts: SubresourceParts): readonly SubresourceDefinition[] {
  const { options, names, hooks, rules, isReadOnly } = parts;
  const { hub } = hooks.conversion;
  const all: SubresourceDefinition[] = [];
  if (hub.hasStatus && !isReadOnly) all.push(updateSubresource('status', schemaStatusStrategy(rules)));
  if (options.scale !== undefined && !isReadOnly) all.push(kitScale(options.scale, names.kind, hooks));
  const strategy = wholeObjectStrategy(rules);
  const writing = {
    strategy,
    hooks,
    fieldManager: () => createFieldManager({ ...parts.definition(), strategy }, hub),
  };
  for (const [name, action] of Object.entries(options.actions ?? {})) {
    const manager = `${names.singular}-${name}`;
    const writer = (parent: ResourceStore): ObjectWriter | undefined =>
      isReadOnly ? undefined : objectWriter(parent, { ...writing, manager });
    all.push(actionSubresource(name, action as ResourceAction<JsonObject>, { ...names, hooks, writer }));
  }
  for (const [name, stream] of Object.entries(options.streams ?? {}))
    all.push(streamSubresource(name, stream as ResourceStream<JsonObject>, hub));
  all.push(...(options.subresources ?? []));
  const seen = new Set<string>();
  for (const { name } of all) {
    if (!/^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(name))
      throw new ConfigError(`${names.kind}: the name of a subresource, ${JSON.stringify(name)}, must be in lower case`);
    if (seen.has(name)) throw new ConfigError(`${names.kind} has two subresources ${name}`);
    seen.add(name);
  }
  return all;
}
