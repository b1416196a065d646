/** Scalars and keys of a YAML tree with their Go types. Failures are YamlSyntaxErrors with the reference's messages. */
import { decodeBase64 } from '../../../base/base64.ts';
import { decodeLikeGo } from '../../../base/json-read.ts';
import { quote } from '../../go-format.ts';
import { formatGoFloat } from '../go-float.ts';
import { YamlSyntaxError } from './yaml-cursor.ts';
import { resolveScalar, YAML_TAG, type YamlScalar } from './yaml-scalar.ts';
import type { YamlNode, YamlScalarNode } from './yaml-tree.ts';

/** A key with its Go type. goyaml distinguishes the integer 1 from the string "1" until the map becomes JSON. */
export interface YamlKey {
  /** JSON has no keys of the types `null` and `uint`. */
  readonly type: 'null' | 'str' | 'int' | 'uint' | 'float' | 'bool';
  /** The key in JSON. */
  readonly text: string;
  /** The text of `%#v`. */
  readonly shown: string;
}

const RESOLVED_TAGS: ReadonlySet<string> = new Set([
  YAML_TAG.str,
  YAML_TAG.bool,
  YAML_TAG.int,
  YAML_TAG.float,
  YAML_TAG.null,
  YAML_TAG.timestamp,
]);

const MAX_INT64: bigint = 2n ** 63n - 1n;

/** Resolves a scalar with its tag. A tag that does not fit is a failure; an unknown tag makes a string. */
export function resolveNode(node: YamlScalarNode): YamlScalar {
  if (node.tag === '') return node.implicit ? resolveScalar(node.text) : { type: 'str' };
  if (!RESOLVED_TAGS.has(node.tag)) return { type: 'str' };
  const scalar = resolveScalar(node.text, node.tag);
  if (node.tag === YAML_TAG.str || node.tag === YAML_TAG[scalar.type]) return scalar;
  if (node.tag === YAML_TAG.float && scalar.type === 'int' && scalar.value <= MAX_INT64)
    return { type: 'float', value: Number(scalar.value) };
  const wanted = node.tag.slice('tag:yaml.org,2002:'.length);
  throw new YamlSyntaxError(`cannot decode !!${scalar.type} \`${node.text}\` as a !!${wanted}`, node);
}

/** The text of a string scalar. `!!binary` is decoded. */
export function stringOfNode(node: YamlScalarNode): string {
  if (node.tag !== YAML_TAG.binary) return node.text;
  const decoded = decodeBase64(node.text);
  if (decoded === undefined) throw new YamlSyntaxError('!!binary value contains invalid base64 data', node);
  return decodeLikeGo(decoded);
}

export function keyOfNode(node: YamlScalarNode): YamlKey {
  const scalar = resolveNode(node);
  switch (scalar.type) {
    case 'null':
      return { type: 'null', text: '', shown: '<nil>' };
    case 'bool':
      return { type: 'bool', text: String(scalar.value), shown: String(scalar.value) };
    case 'int': {
      if (scalar.value > MAX_INT64) return { type: 'uint', text: '', shown: formatGoInt(scalar.value) };
      const text = scalar.value.toString();
      return { type: 'int', text, shown: text };
    }
    case 'float':
      return { type: 'float', text: floatKey(scalar.value), shown: formatGoFloat(scalar.value, 64) };
    default: {
      const text = stringOfNode(node);
      return { type: 'str', text, shown: quote(text) };
    }
  }
}

/** An integer as `%#v` prints it: one that needs 64 unsigned bits is printed in base 16. */
export function formatGoInt(value: bigint): string {
  return value > MAX_INT64 ? `0x${value.toString(16)}` : value.toString();
}

/** A float as a key, printed with 32-bit precision as sigs.k8s.io/yaml does. */
function floatKey(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  const text = formatGoFloat(value, 32);
  return text === '+Inf' ? '.inf' : text === '-Inf' ? '-.inf' : text;
}

export function isMergeKey(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.text === '<<' && (node.implicit || node.tag === YAML_TAG.merge);
}

/** The mappings of a merge value in the order in which they are applied: the last of a list first. */
export function mergedNodes(node: YamlNode): readonly YamlNode[] {
  return node.kind === 'sequence' ? node.items.toReversed() : [node];
}
