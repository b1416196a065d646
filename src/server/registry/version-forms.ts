/**
 * The versions of one resource: conversion between them, and the cache's forms for those that are not stored. Invariant: the stored version is the hub; an
 * object of another version is converted from it or to it, given that version's defaults, and nothing is ever converted twice on the way. What storage holds of
 * other versions (see StoredHistory) goes straight from there to the version asked for.
 */
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { equalBytes } from '../../base/bytes.ts';
import { BugError, toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Describe, Entry, FormKey, FormMaker, FormResult } from '../../cache/cache.ts';
import { describeJson } from '../../cache/describe-json.ts';
import { makeEntry } from '../../cache/entry.ts';
import { StorageError } from '../../storage/errors.ts';
import { convertObject, convertObjects } from '../resource/convert-objects.ts';
import type { ResourceDefinition } from '../resource/resource-definition.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import { encodeStored, parseObject } from './stored-object.ts';

interface ServedForm {
  readonly version: VersionDefinition;
  readonly describe: Describe;
}

export class VersionForms implements FormMaker {
  readonly hub: VersionDefinition;
  /** Of stored values. */
  readonly describe: Describe;
  /** The cache's key of the stored version where stored bytes may not be exact; see StoredHistory. */
  readonly hubForm: FormKey;
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
    this.hubForm = formKey(definition, storageVersion);
    if (definition.history !== undefined)
      this.#forms.set(this.hubForm, { version: storageVersion, describe: this.describe });
  }

  /** The cache's key of a version; undefined for the stored one, which is free. */
  formOf(version: VersionDefinition): FormKey | undefined {
    return version === this.hub ? undefined : (this.#keys.get(version) ?? this.#add(version));
  }

  #add(version: VersionDefinition): FormKey | undefined {
    const apiVersion = formatGroupVersion(version);
    if (apiVersion === formatGroupVersion(this.hub) && version.kind === this.hub.kind) return undefined;
    const key = formKey(this.#definition, version);
    this.#keys.set(version, key);
    this.#forms.set(key, { version, describe: describeVersion(version) });
    return key;
  }

  /** An object of the request's version as stored. It may be changed in place. */
  toHub(object: JsonObject, from: VersionDefinition): MaybePromise<JsonObject> {
    return this.formOf(from) === undefined ? object : this.#convertOne(object, from, this.hub);
  }

  /** A stored object, exact, as the request's version. It may be changed in place. */
  fromHub(object: JsonObject, to: VersionDefinition): MaybePromise<JsonObject> {
    return this.formOf(to) === undefined ? object : this.#convertOne(object, this.hub, to);
  }

  /** What storage holds, as a version. It may be changed in place. `exact`: see StoredHistory. Throws StorageError(Corrupt) for an unknown version. */
  fromStored(object: JsonObject, to: VersionDefinition, exact: boolean): MaybePromise<JsonObject> {
    if (exact || this.#definition.history === undefined) return this.fromHub(object, to);
    const from = this.#storedVersion(object);
    refresh(object, from);
    return sameKind(from, to) ? object : this.#convertOne(object, from, to);
  }

  make(form: FormKey, entries: readonly Entry[]): MaybePromise<readonly FormResult[]> {
    const served = this.#forms.get(form);
    if (served === undefined) throw new BugError(`nobody serves the form ${form}`);
    if (this.#definition.history !== undefined) return this.#makeFromHistory(served, entries);
    const objects = entries.map((entry) => parseObject(entry.bytes, entry.key));
    return andThen(convertObjects(this.#definition, objects, this.hub, served.version), (converted) =>
      converted.map((object, i) => formResult(object, entries[i] as Entry, served.describe)),
    );
  }

  /** Entries of one stored version are converted together. */
  #makeFromHistory(served: ServedForm, entries: readonly Entry[]): MaybePromise<readonly FormResult[]> {
    const results = new Array<FormResult>(entries.length);
    const groups = new Map<VersionDefinition, { readonly objects: JsonObject[]; readonly places: number[] }>();
    for (const [i, entry] of entries.entries()) {
      try {
        const object = parseObject(entry.bytes, entry.key);
        const from = this.#storedVersion(object);
        refresh(object, from);
        if (sameKind(from, served.version)) {
          results[i] = formResult(object, entry, served.describe);
          continue;
        }
        const group = groups.get(from) ?? { objects: [], places: [] };
        group.objects.push(object);
        group.places.push(i);
        groups.set(from, group);
      } catch (caught) {
        results[i] = { error: toError(caught) };
      }
    }
    const pending: Promise<void>[] = [];
    for (const [from, { objects, places }] of groups) {
      const done = andThen(convertObjects(this.#definition, objects, from, served.version), (converted) => {
        for (const [at, object] of converted.entries()) {
          const place = places[at] as number;
          results[place] = formResult(object, entries[place] as Entry, served.describe);
        }
      });
      if (isPromise(done)) pending.push(done);
    }
    return pending.length === 0 ? results : Promise.all(pending).then(() => results);
  }

  #storedVersion(object: JsonObject): VersionDefinition {
    const { apiVersion } = object;
    for (const version of this.#definition.history?.versions ?? [])
      if (formatGroupVersion(version) === apiVersion) return version;
    throw new StorageError(
      'Corrupt',
      `a stored object is of version ${JSON.stringify(apiVersion)}, which is not known`,
    );
  }

  #convertOne(object: JsonObject, from: VersionDefinition, to: VersionDefinition): MaybePromise<JsonObject> {
    return convertObject(this.#definition, object, from, to);
  }
}

function formKey({ generation }: ResourceDefinition, version: VersionDefinition): FormKey {
  return `${formatGroupVersion(version)} ${generation}`;
}

function refresh(object: JsonObject, version: VersionDefinition): void {
  version.prune?.(object);
  version.setDefaults?.(object);
}

function sameKind(a: VersionDefinition, b: VersionDefinition): boolean {
  return a === b || (a.group === b.group && a.version === b.version && a.kind === b.kind);
}

/** The entry itself if it is the same, so that nothing is kept twice. */
function formResult(object: JsonObject, entry: Entry, describe: Describe): FormResult {
  const made = makeEntry(describe, entry.key, entry.revision, encodeStored(object));
  if (made.broken !== undefined) return { error: made.broken };
  return equalBytes(made.bytes, entry.bytes) ? entry : made;
}

function describeVersion({ selectableFields: fields, fieldSources: sources }: VersionDefinition): Describe {
  return describeJson(sources === undefined ? { fields } : { fields, sources });
}
