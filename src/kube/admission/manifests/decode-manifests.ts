/** The decoder of manifest files for webhooks and policies: strict, with defaults, validated as the API validates. */
import type { ManifestPlugin } from '../../../admission/manifests/manifest-objects.ts';
import { isJsonText } from '../../../apimachinery/codec/config-object.ts';
import { decodeStrictJson, decodeStrictYaml, formatStrictError } from '../../../apimachinery/codec/strict.ts';
import { splitYamlDocuments } from '../../../apimachinery/codec/yaml/yaml-documents.ts';
import { quote } from '../../../apimachinery/go-format.ts';
import { nameOf } from '../../../apimachinery/meta/meta.ts';
import { listAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { formatIssues } from '../../../apimachinery/validation/field-issue.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { writeJson } from '../../../base/json-write.ts';
import { MANIFEST_KINDS, type ManifestKind, missingPolicyIssues } from './manifest-kinds.ts';

export interface ManifestFile {
  readonly path: string;
  readonly text: string;
}

export type DecodedManifests =
  | { readonly ok: true; readonly objects: readonly JsonObject[] }
  /** `problem` names the file, and the object and its fields if the file can be parsed. */
  | { readonly ok: false; readonly problem: string };

const API_VERSION = 'admissionregistration.k8s.io/v1';

/** Decodes the files of a plugin. Stops at the first problem. */
export function decodeManifests(plugin: ManifestPlugin, files: readonly ManifestFile[]): DecodedManifests {
  const decoder = new Decoder(MANIFEST_KINDS[plugin]);
  for (const file of files) {
    const problem = decoder.addFile(file);
    if (problem !== undefined) return { ok: false, problem: `${file.path}: ${problem}` };
  }
  const problem = decoder.unboundProblem();
  return problem === undefined ? { ok: true, objects: decoder.objects } : { ok: false, problem };
}

/** Decodes files one after the other. Methods return the problem; undefined if there is none. */
class Decoder {
  readonly objects: JsonObject[] = [];
  readonly #kinds: readonly ManifestKind[];
  /** The file of each object, by kind and name. */
  readonly #files = new Map<string, string>();

  constructor(kinds: readonly ManifestKind[]) {
    this.#kinds = kinds;
  }

  addFile({ path, text }: ManifestFile): string | undefined {
    const split = splitYamlDocuments(text);
    if (!split.ok) return `line ${split.error.line}: ${split.error.message}`;
    for (const document of split.documents) {
      if (document.trim() === '') continue;
      const problem = this.#addDocument(document, path);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  unboundProblem(): string | undefined {
    const policies = new Set(this.objects.filter((object) => !isBinding(object)).map(nameOf));
    for (const binding of this.objects.filter(isBinding)) {
      const issues = missingPolicyIssues(binding, policies);
      if (issues.length > 0) return `${this.#files.get(keyOf(binding))}: ${describe(binding)}: ${formatIssues(issues)}`;
    }
    return undefined;
  }

  #addDocument(document: string, path: string): string | undefined {
    const options = { fieldValidation: 'Strict' } as const;
    const json = isJsonText(document) ? decodeStrictJson(document, options) : undefined;
    // YAML in flow style may begin as JSON does.
    const read = json?.ok === true ? json : decodeStrictYaml(document, options);
    if (!read.ok) return read.error.message;
    // A document that contains only comments.
    if (read.value === null) return undefined;
    if (read.problems.length > 0) return formatStrictError(read.problems);
    return this.#add(read.value, path);
  }

  #add(value: JsonValue, path: string): string | undefined {
    if (!isJsonObject(value)) return 'a manifest must be an object';
    const [apiVersion, kind] = [textAt(value, 'apiVersion'), textAt(value, 'kind')];
    if (apiVersion === 'v1' && kind === 'List') return this.#addItems(value, path, undefined);
    if (apiVersion === API_VERSION)
      for (const known of this.#kinds) {
        if (known.version.kind === kind) return this.#addObject(value, known, path);
        if (known.version.listKind === kind) return this.#addItems(value, path, known);
      }
    const accepted = this.#kinds.map(({ version }) => version.kind).join(' and ');
    return `cannot use kind ${quote(kind)} of ${quote(apiVersion)}: this plugin takes ${accepted} of ${API_VERSION}`;
  }

  /** Items of a typed list need no kind. */
  #addItems(list: JsonObject, path: string, known: ManifestKind | undefined): string | undefined {
    for (const item of listAt(list, 'items')) {
      const typed =
        known !== undefined && isJsonObject(item)
          ? { ...item, apiVersion: API_VERSION, kind: known.version.kind }
          : item;
      const problem = this.#add(typed, path);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #addObject(given: JsonObject, { version, validate }: ManifestKind, path: string): string | undefined {
    const prefix = describe(given);
    const strict = decodeStrictJson(writeJson(given), { fieldValidation: 'Strict', view: version.type() });
    if (!strict.ok) return `${prefix}: ${strict.error.message}`;
    if (strict.problems.length > 0) return `${prefix}: ${formatStrictError(strict.problems)}`;
    const normalized = version.normalize(given);
    if (!normalized.ok) return `${prefix}: ${normalized.message}`;
    const { object } = normalized;
    version.setDefaults?.(object);
    const issues = validate(object);
    if (issues.length > 0) return `${prefix}: ${formatIssues(issues)}`;
    const before = this.#files.get(keyOf(object));
    if (before !== undefined) return `${prefix}: metadata.name: ${before} has an object of the same name`;
    this.#files.set(keyOf(object), path);
    this.objects.push(object);
    return undefined;
  }
}

function isBinding(object: JsonObject): boolean {
  return textAt(object, 'kind').endsWith('Binding');
}

/** Returns a unique key: a kind does not contain the separator. */
function keyOf(object: JsonObject): string {
  return `${textAt(object, 'kind')} ${nameOf(object)}`;
}

function describe(object: JsonObject): string {
  return `${textAt(object, 'kind')} ${quote(nameOf(object))}`;
}
