/**
 * The aggregated discovery document: all groups with all their resources.
 *
 * It is assembled from parts that each published version keeps, so that a change of one version makes only that part
 * again. The ETag depends on the parts and their order, not on the media type.
 */
import type { StructView } from '../../apimachinery/type-view.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import { BugError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { sha256Hex } from '../../base/sha256.ts';
import type { MetaTypes } from '../resource/meta-types.ts';
import { DocumentForms } from './document-forms.ts';
import type { PublishedGroup, PublishedVersion } from './published-group.ts';

interface Part {
  readonly name: string;
  readonly versions: readonly PublishedVersion[];
}

export class AggregatedDocument {
  readonly #parts: readonly Part[];
  readonly #types: MetaTypes | undefined;
  readonly #forms = new Map<string, DocumentForms>();
  #etag: string | undefined;

  constructor(groups: readonly PublishedGroup[], types: MetaTypes | undefined) {
    this.#parts = groups.map((group) => ({ name: group.name, versions: group.sorted() }));
    this.#types = types;
  }

  /** The ETag with its quotes, as the header contains it. */
  get etag(): string {
    if (this.#etag === undefined) {
      let text = '';
      for (const { name, versions } of this.#parts)
        text += `${name} ${versions.map((version) => version.aggregated().hash).join(' ')}\n`;
      this.#etag = `"${sha256Hex(encodeUtf8(text))}"`;
    }
    return this.#etag;
  }

  /** Returns the document in a `version` of apidiscovery.k8s.io, `v2` or `v2beta1`. They differ only in that name. */
  forms(version: string): DocumentForms {
    let forms = this.#forms.get(version);
    if (forms === undefined) {
      forms = new DocumentForms(
        () => this.#value(version),
        () => this.#view(version),
        () => this.#json(version),
      );
      this.#forms.set(version, forms);
    }
    return forms;
  }

  #value(version: string): JsonObject {
    const items = this.#parts.map(({ name, versions }) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map((published) => published.aggregated().value),
    }));
    return { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items };
  }

  #json(version: string): string {
    const items = this.#parts.map(({ name, versions }) => {
      const metadata = name === '' ? '{}' : `{"name":${JSON.stringify(name)}}`;
      return `{"metadata":${metadata},"versions":[${versions.map((published) => published.aggregated().text).join(',')}]}`;
    });
    const head = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/${version}","metadata":{}`;
    return `${head},"items":[${items.join(',')}]}`;
  }

  #view(version: string): StructView {
    if (this.#types === undefined) throw new BugError('no facts of discovery for an answer in protobuf');
    return this.#types.view(`io.k8s.api.apidiscovery.${version}.APIGroupDiscoveryList`);
  }
}
