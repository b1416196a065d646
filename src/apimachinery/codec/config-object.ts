/**
 * The decoding of configuration objects that flags name: their types, and the checks of apiVersion, kind and fields.
 * Messages are those of kube-apiserver's decoders.
 */
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import { quote } from '../go-format.ts';
import {
  createStructView,
  type FieldView,
  type ListView,
  type ScalarType,
  type StructView,
  type TypeView,
} from '../type-view.ts';
import { decodeStrictJson, decodeStrictYaml, formatStrictError } from './strict.ts';
import { findTypeMismatch } from './type-mismatch.ts';

/** A kind of configuration object. */
export interface ConfigKind {
  readonly kind: string;
  /** The versions that are accepted. They have the same fields. */
  readonly apiVersions: readonly string[];
  /** An older name of the kind, with the same fields. Default none. */
  readonly older?: { readonly kind: string; readonly apiVersions: readonly string[] };
  readonly view: StructView;
  /** Whether an unknown or duplicate field is an error. Otherwise it is ignored. */
  readonly strict: boolean;
}

export type DecodedConfig =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly message: string };

/** Decodes YAML or JSON. Fields of the result have the types of the kind or are absent. Never throws. */
export function decodeConfig(text: string, kind: ConfigKind): DecodedConfig {
  const { view, strict } = kind;
  const options = { fieldValidation: 'Strict', view } as const;
  const json = isJsonText(text) ? decodeStrictJson(text, options) : undefined;
  // YAML in flow style may begin as JSON does.
  const read = json?.ok === true ? json : decodeStrictYaml(text, options);
  if (!read.ok) return { ok: false, message: read.error.message };
  const { value, problems } = read;
  if (!isJsonObject(value)) return { ok: false, message: 'the configuration is not an object' };
  const [givenVersion, givenKind] = [value['apiVersion'] ?? '', value['kind'] ?? ''];
  if (givenKind === '') return { ok: false, message: "Object 'Kind' is missing" };
  if (givenVersion === '') return { ok: false, message: "Object 'apiVersion' is missing" };
  const isNamed = (one: Pick<ConfigKind, 'kind' | 'apiVersions'> | undefined): boolean =>
    one !== undefined && givenKind === one.kind && one.apiVersions.some((version) => version === givenVersion);
  if (!isNamed(kind) && !isNamed(kind.older))
    return {
      ok: false,
      message: `no kind ${quote(String(givenKind))} is registered for version ${quote(String(givenVersion))}`,
    };
  const mismatch = findTypeMismatch(value, view);
  if (mismatch !== undefined) return { ok: false, message: mismatch };
  if (strict && problems.length > 0) return { ok: false, message: formatStrictError(problems) };
  return { ok: true, value };
}

/** Whether a text is JSON rather than YAML. */
export function isJsonText(text: string): boolean {
  return text.trimStart().startsWith('{');
}

export const TEXT: TypeView = scalarType('string');

export function scalarType(scalar: ScalarType): TypeView {
  return { kind: 'scalar', scalar };
}

export function listType(items: TypeView): ListView {
  return { kind: 'list', items, listType: 'atomic', mapKeys: [] };
}

/** Returns a type whose fields are all optional. */
export function structType(name: string, fields: Readonly<Record<string, TypeView>>): StructView {
  return createStructView(name, () => Object.entries(fields).map(([field, type]) => fieldView(field, type)));
}

/** Returns the type of a configuration object: these fields besides `kind` and `apiVersion`. */
export function configType(name: string, fields: Readonly<Record<string, TypeView>>): StructView {
  return structType(name, { kind: TEXT, apiVersion: TEXT, ...fields });
}

function fieldView(name: string, type: TypeView): FieldView {
  return {
    name,
    type,
    patchStrategies: [],
    patchMergeKey: undefined,
    required: false,
    nullable: true,
    defaultValue: undefined,
    wire: undefined,
  };
}
