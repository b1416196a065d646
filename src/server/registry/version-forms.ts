/**
 * The versions of one resource: conversion between them, and the cache's forms for those that are not stored. Invariant: the stored version is the hub; an
 * object of another version is converted from it or to it, given that version's defaults, and nothing is ever converted twice on the way.
 */
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { BugError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Describe, Entry, FormKey, FormMaker, FormResult } from '../../cache/cache.ts';
import { describeJson } from '../../cache/describe-json.ts';
import { makeEntry } from '../../cache/entry.ts';
import type { ResourceDefinition } from './definition.ts';
import { encodeStored, parseObject } from './stored-object.ts';
import type { VersionDefinition } from './version-definition.ts';

interface ServedForm {
  readonly version: VersionDefinition;
  readonly describe: Describe;
}

export class VersionForms implements FormMaker {
  readonly hub: VersionDefinition;
  /** Of stored values. */
  readonly describe: Describe;
  readonly #definition: ResourceDefinition;
  readonly #keys = new Map<VersionDefinition, FormKey>();
  readonly #forms = new Map<FormKey, ServedForm>();

  /** Throws BugError for a definition that stores nothing. */
  constructor(definition: ResourceDefinition) {
    const { storageVersion } = definition;
    if (storageVersion === undefined) throw new BugError(`${definition.plural} has no storage version and no store`);
    this.#definition = definition;
    this.hub = storageVersion;
    this.describe = describeVersion(storageVersion);
  }

  /** The cache's key of a version; undefined for the stored one, which is free. */
  formOf(version: VersionDefinition): FormKey | undefined {
    return version === this.hub ? undefined : (this.#keys.get(version) ?? this.#add(version));
  }

  #add(version: VersionDefinition): FormKey | undefined {
    const apiVersion = formatGroupVersion(version);
    if (apiVersion === formatGroupVersion(this.hub) && version.kind === this.hub.kind) return undefined;
    const key = `${apiVersion} ${this.#definition.generation}`;
    this.#keys.set(version, key);
    this.#forms.set(key, { version, describe: describeVersion(version) });
    return key;
  }

  /** An object of the request's version as stored. It may be changed in place. */
  toHub(object: JsonObject, from: VersionDefinition): MaybePromise<JsonObject> {
    return this.formOf(from) === undefined ? object : this.#convertOne(object, from, this.hub);
  }

  /** A stored object as the request's version. It may be changed in place. */
  fromHub(object: JsonObject, to: VersionDefinition): MaybePromise<JsonObject> {
    return this.formOf(to) === undefined ? object : this.#convertOne(object, this.hub, to);
  }

  make(form: FormKey, entries: readonly Entry[]): MaybePromise<readonly FormResult[]> {
    const served = this.#forms.get(form);
    if (served === undefined) throw new BugError(`nobody serves the form ${form}`);
    const objects = entries.map((entry) => parseObject(entry.bytes, entry.key));
    return andThen(this.#convert(objects, this.hub, served.version), (converted) =>
      converted.map((object, i) => formResult(object, entries[i] as Entry, served.describe)),
    );
  }

  #convertOne(object: JsonObject, from: VersionDefinition, to: VersionDefinition): MaybePromise<JsonObject> {
    return andThen(this.#convert([object], from, to), ([converted]) => converted as JsonObject);
  }

  #convert(
    objects: readonly JsonObject[],
    from: VersionDefinition,
    to: VersionDefinition,
  ): MaybePromise<readonly JsonObject[]> {
    const converted = this.#definition.convert?.(objects, from, to) ?? objects.map((object) => retype(object, to));
    return andThen(converted, (results) => {
      if (results.length !== objects.length)
        throw new BugError(`${objects.length} objects were converted to ${results.length}`);
      if (to.setDefaults !== undefined) for (const object of results) to.setDefaults(object);
      return results;
    });
  }
}

function formResult(object: JsonObject, entry: Entry, describe: Describe): FormResult {
  const made = makeEntry(describe, entry.key, entry.revision, encodeStored(object));
  return made.broken === undefined ? made : { error: made.broken };
}

function describeVersion({ selectableFields: fields, fieldSources: sources }: VersionDefinition): Describe {
  return describeJson(sources === undefined ? { fields } : { fields, sources });
}

/** Versions that differ in their type fields alone. */
function retype(object: JsonObject, to: VersionDefinition): JsonObject {
  object['apiVersion'] = formatGroupVersion(to);
  object['kind'] = to.kind;
  return object;
}
