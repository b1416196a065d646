/**
 * What is published of one group, in the order in which it is shown. Invariant: what a version needs (its resource
 * list, its part of the aggregated form) is made on first use and belongs to that publication alone; publishing another
 * version leaves it as it is.
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
  /** The answer of `/apis/<group>/<version>`. */
  readonly resourceList: DocumentForms;
  #aggregated: { readonly value: JsonObject; readonly text: string; readonly hash: string } | undefined;

  constructor(version: DiscoveryVersion, resourceList: DocumentForms) {
    this.version = version;
    this.resourceList = resourceList;
  }

  /** Its part of the aggregated form: the value, its JSON text, and a hash of that text. */
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
  /** The answer of `/apis/<group>`; whoever makes it puts it here, and `set` and `delete` drop it. */
  document: DocumentForms | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get size(): number {
    return this.#versions.size;
  }

  /** The highest that any of its versions asks for. */
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

  /** True if the group is shown differently now, and not only this version of it. */
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

  /** The most preferred version first. */
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
