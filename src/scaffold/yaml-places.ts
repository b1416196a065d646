/** The places of fields in a YAML document. */
import { parseYamlTree, type YamlNode } from '../apimachinery/codec/yaml/yaml-tree.ts';

/** Line and column, both counted from one. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/**
 * Returns the place of the longest prefix of the path that the document has. `path` names fields and indices from the
 * root. The document must be valid YAML.
 */
export function placeOf(document: string, path: readonly string[]): Place {
  const lines = document.split('\n');
  let node = parseYamlTree(document);
  let place: Place = node === undefined ? { line: 1, column: 1 } : placeOfNode(node, lines);
  for (const step of path) {
    const next = node === undefined ? undefined : child(node, step, lines);
    if (next === undefined) break;
    ({ node, place } = next);
  }
  return place;
}

/** Returns the number of steps of the path that the document has. */
export function depthOf(document: string, path: readonly string[]): number {
  const lines = document.split('\n');
  let node = parseYamlTree(document);
  let depth = 0;
  for (const step of path) {
    const next = node === undefined ? undefined : child(node, step, lines);
    if (next === undefined) break;
    node = next.node;
    depth++;
  }
  return depth;
}

function child(
  parent: YamlNode,
  step: string,
  lines: readonly string[],
): { readonly node: YamlNode; readonly place: Place } | undefined {
  const node = parent.kind === 'alias' ? parent.target : parent;
  if (node.kind === 'sequence') {
    const item = node.items[Number(step)];
    return item === undefined ? undefined : { node: item, place: placeOfNode(item, lines) };
  }
  if (node.kind !== 'mapping') return undefined;
  for (let i = 0; i + 1 < node.items.length; i += 2) {
    const key = node.items[i] as YamlNode;
    if (key.kind === 'scalar' && key.text === step)
      return { node: node.items[i + 1] as YamlNode, place: placeOfKey(step, key.line, lines) };
  }
  return undefined;
}

function placeOfNode({ line }: YamlNode, lines: readonly string[]): Place {
  return { line: line + 1, column: (lines[line] ?? '').search(/\S|$/) + 1 };
}

/** Returns the first place on the line where the key is used as a key. */
function placeOfKey(key: string, line: number, lines: readonly string[]): Place {
  const text = lines[line] ?? '';
  for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const quoted = before === '"' || before === "'";
    if (/[\s{,[\-?"']/.test(before) && /^["']?\s*(:|$)/.test(text.slice(at + key.length)))
      return { line: line + 1, column: at + (quoted ? 0 : 1) };
  }
  return { line: line + 1, column: text.search(/\S|$/) + 1 };
}
