/**
 * The ResourceDefinition of a custom resource. Invariant: it belongs to one generation of its CustomResourceDefinition
 * and reads no other.
 */
import type { JsonObject } from '../../base/json-value.ts';
import type { ResourceDefinition, StoredDefinition } from '../../server/resource/resource-definition.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import type { Converter, ConverterFactory } from '../conversion/custom-converter.ts';
import { FIELD_RULES_ANNOTATION } from '../conversion/fields/field-rules.ts';
import type { Crd } from '../crd.ts';
import { CUSTOM_SCALE } from './custom-scale.ts';
import { type CustomRules, customStatusStrategy, customStrategy } from './custom-strategy.ts';
import { CustomVersion, type SchemaCompiler } from './custom-version.ts';
import { storedIssues } from './validate-stored.ts';

export interface CustomDefinitionParts {
  readonly compile: SchemaCompiler;
  readonly converter: ConverterFactory;
  /** See StoredHistory. */
  exactSince(): number;
  /** Reports whether the definition is being deleted: creates are then refused. */
  isTerminating(): boolean;
}

export interface CustomDefinition extends StoredDefinition {
  /** The served versions. */
  readonly versions: readonly CustomVersion[];
  readonly storageVersion: CustomVersion;
  /** Stops the converter. */
  release(): void;
}

/** Returns undefined for a definition without a storage version, which validation refuses. */
export function customDefinition(crd: Crd, parts: CustomDefinitionParts): CustomDefinition | undefined {
  const { acceptedNames: names, group, scope } = crd;
  const all = crd.versions.map((version) => new CustomVersion(crd, version, parts.compile));
  const storageVersion = all.find(({ declared }) => declared.storage);
  if (storageVersion === undefined) return undefined;
  const versions = all.filter(({ declared }) => declared.served);
  const conversion = conversionOf(crd, parts.converter);
  const rules: CustomRules = {
    plural: names.plural,
    namespaced: scope === 'Namespaced',
    isTerminating: () => parts.isTerminating(),
    ...(hasFieldRules(crd)
      ? {
          validateStored: (object, old, { version }) => {
            const converter = conversion.converter();
            if (converter === undefined) return [];
            return storedIssues(converter, { storageVersion, versions }, version, object, old);
          },
        }
      : {}),
  };
  return {
    plural: names.plural,
    singular: names.singular,
    shortNames: names.shortNames,
    categories: names.categories,
    scope,
    versions,
    storageVersion,
    storagePrefix: `${group}/${names.plural}`,
    generation: `${crd.uid} ${crd.generation}`,
    history: { versions: all, exactSince: () => parts.exactSince() },
    convert: conversion.convert,
    keepsMetadata: () => hasFieldRules(crd) && conversion.converter()?.keepsMetadata === true,
    release: conversion.release,
    strategy: customStrategy(rules),
    subresources: [
      ...(versions.some(({ declared }) => declared.hasStatus)
        ? [updateSubresource('status', customStatusStrategy(rules))]
        : []),
      ...(versions.some(({ declared }) => declared.scale !== undefined) ? [CUSTOM_SCALE] : []),
    ],
  };
}

/** Returns the names of the subresources of a version. */
export function subresourcesOf({ declared }: CustomVersion): readonly string[] {
  return [...(declared.hasStatus ? ['status'] : []), ...(declared.scale === undefined ? [] : ['scale'])];
}

function hasFieldRules({ webhook, annotations }: Crd): boolean {
  return webhook === undefined && annotations[FIELD_RULES_ANNOTATION] !== undefined;
}

type Convert = NonNullable<ResourceDefinition['convert']>;

function conversionOf(
  crd: Crd,
  factory: ConverterFactory,
): {
  readonly convert: Convert;
  readonly converter: () => Converter | undefined;
  readonly release: () => void;
} {
  let converter: Converter | undefined | 'unknown' = 'unknown';
  const converterOf = (): Converter | undefined => {
    if (converter === 'unknown') converter = factory(crd);
    return converter;
  };
  return {
    converter: converterOf,
    convert: (objects, from, to) => {
      const chosen = converterOf();
      if (chosen !== undefined) return chosen.convert(objects, from.version, to.version);
      return objects.map((object) => retyped(object, `${to.group}/${to.version}`));
    },
    release: () => {
      if (converter !== 'unknown') converter?.stop?.();
    },
  };
}

function retyped(object: JsonObject, apiVersion: string): JsonObject {
  object['apiVersion'] = apiVersion;
  return object;
}
