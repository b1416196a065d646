/**
 * The versions of one resource: the conversion between them, and the cache forms of versions other than the storage
 * version. The storage version is the hub of conversion.
 * Invariant: an object is converted at most once per step: from the hub, to the hub, or directly from an older stored
 * version (see StoredHistory) to the requested version.
 */
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { equalBytes } from '../../base/bytes.ts';
import { BugError, toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Describe, Entry, FormKey, FormMaker, FormResult } from '../../cache/cache.ts';
import { describeJson } from '../../cache/describe-json.ts';
import { makeOwnEntry } from '../../cache/entry.ts';
import { StorageError } from '../../storage/errors.ts';
import { valueEncoding } from '../../storage/value-transformer.ts';
import { convertObject, convertObjects } from '../resource/convert-objects.ts';
import { type Converted, isFailure } from '../resource/converted.ts';
import type { ResourceDefinition } from '../resource/resource-definition.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import { encryptedReason } from './encrypted-reason.ts';
import { encodeStored, parseObject } from './stored-object.ts';

interface ServedForm {
  readonly version: VersionDefinition;
  readonly describe: Describe;
}

export class VersionForms implements FormMaker {
  readonly hub: VersionDefinition;
  /** Describes values in the storage version. */
  readonly describe: Describe;
  /** The form key of the storage version, for stored bytes that may not be exact; see StoredHistory. */
  readonly hubForm: FormKey;
  readonly #definition: ResourceDefinition;
  readonly #keys = new Map<VersionDefinition, FormKey>();
  readonly #forms = new Map<FormKey, ServedForm>();

  /** Throws BugError for a definition without a storage version. */
  constructor(definition: ResourceDefinition) {
    const { storageVersion } = definition;
    if (storageVersion === undefined) throw new BugError(`${definition.plural} has no storage version and no store`);
    this.#definition = definition;
    this.hub = storageVersion;
    this.describe = describeStored(storageVersion);
    this.hubForm = formKey(definition, storageVersion);
    if (definition.history !== undefined)
      this.#forms.set(this.hubForm, { version: storageVersion, describe: this.describe });
  }

  /** Returns the form key of a version; undefined for the storage version, which needs no form. */
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

  /** Converts an object of a request to the storage version. May modify the object and return it. */
  toHub(object: JsonObject, from: VersionDefinition): MaybePromise<JsonObject> {
    return this.formOf(from) === undefined ? object : this.#convertOne(object, from, this.hub);
  }

  /** Converts an exact stored object to the version of a request. May modify the object and return it. */
  fromHub(object: JsonObject, to: VersionDefinition): MaybePromise<JsonObject> {
    return this.formOf(to) === undefined ? object : this.#convertOne(object, this.hub, to);
  }

  /**
   * Converts an object from storage to a version. May modify the object and return it. `exact`: see StoredHistory.
   * Throws StorageError(Corrupt) if the object has an unknown version.
   */
  fromStored(object: JsonObject, to: VersionDefinition, exact: boolean): MaybePromise<JsonObject> {
    if (exact || this.#definition.history === undefined) return this.fromHub(object, to);
    const from = this.#storedVersion(object);
    refresh(object, from);
    return sameKind(from, to) ? object : this.#convertOne(object, from, to);
  }

  make(form: FormKey, entries: readonly Entry[]): MaybePromise<readonly FormResult[]> {
    const served = this.#forms.get(form);
    if (served === undefined) throw new BugError(`no version has the form ${form}`);
    if (this.#definition.history !== undefined) return this.#makeFromHistory(served, entries);
    const objects = entries.map((entry) => parseObject(entry.bytes, entry.key));
    return andThen(convertObjects(this.#definition, objects, this.hub, served.version), (converted) =>
      converted.map((object, i) => this.#resultOf(object, entries[i] as Entry, served)),
    );
  }

  /** Converts entries of the same stored version in one batch. */
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
          results[place] = this.#resultOf(object, entries[place] as Entry, served);
        }
      });
      if (isPromise(done)) pending.push(done);
    }
    return pending.length === 0 ? results : Promise.all(pending).then(() => results);
  }

  /**
   * Makes the form of a converted object. If the conversion failed, the result still has the labels, provided that
   * conversion does not change labels.
   */
  #resultOf(converted: Converted, entry: Entry, { version, describe }: ServedForm): FormResult {
    if (!isFailure(converted)) return formResult(converted, entry, describe);
    const failed = { error: converted, lasting: true };
    const hasFacts = version.selectableFields.length === 0 && this.#definition.keepsMetadata?.() === true;
    return hasFacts ? { ...failed, facts: entry.facts } : failed;
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

/** Makes a form. Returns the entry itself if the bytes are equal, so that they are not stored twice. */
function formResult(object: JsonObject, entry: Entry, describe: Describe): FormResult {
  const made = makeOwnEntry(describe, entry.key, entry.revision, encodeStored(object));
  if (made.broken !== undefined) return { error: made.broken };
  return equalBytes(made.bytes, entry.bytes) ? entry : made;
}

/**
 * Describes stored values. For an encrypted value, which a server without an encryption configuration may find in its
 * store, the reason says that the value is encrypted.
 */
function describeStored(version: VersionDefinition): Describe {
  const describe = describeVersion(version);
  return (value, key, isOwn) => {
    const description = describe(value, key, isOwn);
    if (!('reason' in description) || valueEncoding(value) !== 'encrypted') return description;
    return { reason: encryptedReason(value) };
  };
}

function describeVersion({ selectableFields: fields, fieldSources: sources }: VersionDefinition): Describe {
  return describeJson(sources === undefined ? { fields } : { fields, sources });
}
