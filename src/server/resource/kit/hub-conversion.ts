/**
 * Conversion between the versions of a declared resource. Every other version has functions to and from the hub
 * version. An object of one of them reaches another one through the hub. Invariant: conversion is synchronous.
 */
import { nameOf } from '../../../apimachinery/meta/meta.ts';
import { isStatusError, StatusError } from '../../../apimachinery/status/status.ts';
import { internalError } from '../../../apimachinery/status/status-catalogue.ts';
import { BugError, toError } from '../../../base/errors.ts';
import { cloneJson, isJsonObject, type JsonObject } from '../../../base/json-value.ts';
import type { Converted } from '../converted.ts';
import type { VersionDefinition } from '../version-definition.ts';
import type { KitVersion } from './kit-version.ts';
import type { SpokeVersion } from './resource-options.ts';

type Functions = Pick<SpokeVersion, 'toHub' | 'fromHub'>;

export class HubConversion {
  readonly hub: KitVersion;
  readonly #spokes: ReadonlyMap<VersionDefinition, Functions>;

  constructor(hub: KitVersion, spokes: ReadonlyMap<VersionDefinition, Functions>) {
    this.hub = hub;
    this.#spokes = spokes;
  }

  /** See ResourceDefinition.convert. */
  convert(objects: readonly JsonObject[], from: VersionDefinition, to: VersionDefinition): readonly Converted[] {
    return objects.map((object) => {
      try {
        return this.#one(object, from, to);
      } catch (caught) {
        return isStatusError(caught) ? caught : failure(object, from, to, caught);
      }
    });
  }

  /** Returns the object in the hub version, with the hub's defaults: the object itself, or a copy of its own. */
  toHub(object: JsonObject, from: VersionDefinition): JsonObject {
    return from === this.hub ? object : this.#prepared(cloneJson(object), from, this.hub);
  }

  /** Returns an object of the hub version in another version. May modify the object and return it. */
  fromHub(object: JsonObject, to: VersionDefinition): JsonObject {
    return to === this.hub ? object : this.#prepared(object, this.hub, to);
  }

  #prepared(object: JsonObject, from: VersionDefinition, to: VersionDefinition): JsonObject {
    const [converted] = this.convert([object], from, to);
    if (converted === undefined) throw new BugError('an object was converted to nothing');
    if (converted instanceof Error) throw converted;
    to.prune?.(converted);
    to.setDefaults?.(converted);
    return converted;
  }

  #one(object: JsonObject, from: VersionDefinition, to: VersionDefinition): JsonObject {
    if (from === to) return object;
    const hub = from === this.hub ? object : retyped(this.#functions(from).toHub(object), this.hub);
    return to === this.hub ? hub : retyped(this.#functions(to).fromHub(hub), to);
  }

  #functions(version: VersionDefinition): Functions {
    const found = this.#spokes.get(version);
    if (found === undefined) throw new BugError(`version ${version.version} of ${version.kind} has no conversion`);
    return found;
  }
}

/** Sets the type fields. The result of a conversion begins with them, as stored objects do. */
function retyped(object: JsonObject, { group, version, kind }: VersionDefinition): JsonObject {
  if (!isJsonObject(object)) throw new BugError(`the conversion to ${version} returned no object`);
  const { apiVersion: _, kind: _k, ...rest } = object;
  return { apiVersion: `${group}/${version}`, kind, ...rest };
}

function failure(object: JsonObject, from: VersionDefinition, to: VersionDefinition, caught: unknown): StatusError {
  const { message } = toError(caught);
  return new StatusError(
    internalError(
      `${from.kind} ${nameOf(object)} cannot be converted from ${from.version} to ${to.version}: ${message}`,
    ),
  );
}
