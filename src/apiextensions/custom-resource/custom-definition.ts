/**
 * A custom resource as the generic server takes it: a definition like that of any built-in kind. Invariant: it belongs to one generation of its CustomResourceDefinition and reads nothing else.
 */
import type { JsonObject } from '../../base/json-value.ts';
import type { ResourceDefinition, StoredDefinition } from '../../server/resource/resource-definition.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import type { ConverterFactory } from '../conversion/custom-converter.ts';
import type { Crd } from '../crd.ts';
import { CUSTOM_SCALE } from './custom-scale.ts';
import { type CustomRules, customStatusStrategy, customStrategy } from './custom-strategy.ts';
import { CustomVersion, type SchemaCompiler } from './custom-version.ts';

export interface CustomDefinitionParts {
  readonly compile: SchemaCompiler;
  readonly converter: ConverterFactory;
  /** See StoredHistory. */
  exactSince(): number;
  /** The definition is being deleted: no object is created any more. */
  isTerminating(): boolean;
}

export interface CustomDefinition extends StoredDefinition {
  /** The served ones. */
  readonly versions: readonly CustomVersion[];
  readonly storageVersion: CustomVersion;
  /** Lets the converter go. */
  release(): void;
}

/** Undefined for a definition without a storage version, which validation does not let pass. */
export function customDefinition(crd: Crd, parts: CustomDefinitionParts): CustomDefinition | undefined {
  const { acceptedNames: names, group, scope } = crd;
  const all = crd.versions.map((version) => new CustomVersion(crd, version, parts.compile));
  const storageVersion = all.find(({ declared }) => declared.storage);
  if (storageVersion === undefined) return undefined;
  const versions = all.filter(({ declared }) => declared.served);
  const rules: CustomRules = {
    plural: names.plural,
    namespaced: scope === 'Namespaced',
    isTerminating: () => parts.isTerminating(),
  };
  const conversion = conversionOf(crd, parts.converter);
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

/** The subresources that a version has. */
export function subresourcesOf({ declared }: CustomVersion): readonly string[] {
  return [...(declared.hasStatus ? ['status'] : []), ...(declared.scale === undefined ? [] : ['scale'])];
}

type Convert = NonNullable<ResourceDefinition['convert']>;

function conversionOf(
  crd: Crd,
  factory: ConverterFactory,
): { readonly convert: Convert; readonly release: () => void } {
  let converter: ReturnType<ConverterFactory> | 'unknown' = 'unknown';
  return {
    convert: (objects, from, to) => {
      if (converter === 'unknown') converter = factory(crd);
      if (converter !== undefined) return converter.convert(objects, from.version, to.version);
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
