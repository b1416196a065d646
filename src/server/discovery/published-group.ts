/**
 * The published versions of one group, in the order in which they are shown. The documents of a version are made on
 * their first request, and do not change when another version is published.
 */
import { compareKubeAwareVersions } from '../../apimachinery/meta/version-order.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { sha256Hex } from '../../base/sha256.ts';
import { aggregatedVersion } from './discovery-documents.ts';
import type { DiscoveryVersion } from './discovery-publisher.ts';
import type { DocumentForms } from './document-forms.ts';

export class PublishedVersion {
  readonly version: DiscoveryVersion;
  /** The document of `/apis/<group>/<version>`. */
  readonly resourceList: DocumentForms;
  #aggregated: { readonly value: JsonObject; readonly text: string; readonly hash: string } | undefined;

  constructor(version: DiscoveryVersion, resourceList: DocumentForms) {
    this.version = version;
    this.resourceList = resourceList;
  }

  /** Returns the version's part of the aggregated form: the value, its JSON text, and a hash of that text. */
  aggregated(): { readonly value: JsonObject; readonly text: string; readonly hash: string } {
    if (this.#aggregated === undefined) {
      const value = aggregatedVersion(this.version);
      const text = writeJson(value);
      this.#aggregated = { value, text, hash: sha256Hex(encodeUtf8(text)) };
    }
    return this.#aggregated;
  }
}

export class PublishedGroup {
  readonly name: string;
  readonly #versions = new Map<string, PublishedVersion>();
  #sorted: readonly PublishedVersion[] | undefined;
  #priority = 0;
  #ownsGroup = false;
  /** The document of `/apis/<group>`. The manager sets it; `set` and `delete` clear it. */
  document: DocumentForms | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get size(): number {
    return this.#versions.size;
  }

  /** The highest group priority of its versions. */
  get priority(): number {
    this.sorted();
    return this.#priority;
  }

  get ownsGroup(): boolean {
    this.sorted();
    return this.#ownsGroup;
  }

  get(version: string): PublishedVersion | undefined {
    return this.#versions.get(version);
  }

  /** Publishes a version. Returns true if other documents of the group change too, not only those of this version. */
  set(published: PublishedVersion): boolean {
    const { version } = published.version;
    const old = this.#versions.get(version)?.version;
    this.#versions.set(version, published);
    const { groupPriority, versionPriority, ownsGroup = false } = published.version;
    const isSame =
      old !== undefined &&
      old.groupPriority === groupPriority &&
      old.versionPriority === versionPriority &&
      (old.ownsGroup ?? false) === ownsGroup;
    this.#sorted = undefined;
    if (!isSame) this.document = undefined;
    return !isSame;
  }

  delete(version: string): boolean {
    if (!this.#versions.delete(version)) return false;
    this.#sorted = undefined;
    this.document = undefined;
    return true;
  }

  /** Returns the versions, the preferred one first. */
  sorted(): readonly PublishedVersion[] {
    if (this.#sorted === undefined) {
      this.#sorted = [...this.#versions.values()].sort(
        ({ version: a }, { version: b }) =>
          b.versionPriority - a.versionPriority || compareKubeAwareVersions(b.version, a.version),
      );
      this.#priority = Math.max(0, ...this.#sorted.map(({ version }) => version.groupPriority));
      this.#ownsGroup = this.#sorted.some(({ version }) => version.ownsGroup === true);
    }
    return this.#sorted;
  }
}
