/**
 * The places of fields in a YAML document. Invariant: a document is parsed at most once, when a place is first asked
 * for.
 */
import { parseYamlTree, type YamlNode } from '../apimachinery/codec/yaml/yaml-tree.ts';

/** Line and column, both counted from one. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export class DocumentPlaces {
  readonly #text: string;
  /** Undefined until the first search. */
  #root: { readonly node: YamlNode | undefined } | undefined;

  /** The text must be one valid YAML document. */
  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Returns the place of the longest prefix of the path that the document has, and the length of that prefix. `path`
   * names fields and indices from the root. The place of a field is that of its key.
   */
  find(path: readonly string[]): { readonly place: Place; readonly depth: number } {
    this.#root ??= { node: parseYamlTree(this.#text) };
    let { node } = this.#root;
    let place = placeOf(node);
    let depth = 0;
    for (const step of path) {
      const next = node === undefined ? undefined : child(node, step);
      if (next === undefined) break;
      node = next.value;
      place = placeOf(next.key ?? node);
      depth++;
    }
    return { place, depth };
  }
}

function placeOf(node: YamlNode | undefined): Place {
  return node === undefined ? { line: 1, column: 1 } : { line: node.line + 1, column: node.column + 1 };
}

interface Child {
  /** Undefined for an item of a sequence. */
  readonly key: YamlNode | undefined;
  readonly value: YamlNode;
}

/** Returns the child under a name or index. The last of equal keys wins, as when the document is read. */
function child(parent: YamlNode, step: string): Child | undefined {
  const node = parent.kind === 'alias' ? parent.target : parent;
  if (node.kind === 'sequence') {
    const value = node.items[Number(step)];
    return value === undefined ? undefined : { key: undefined, value };
  }
  if (node.kind !== 'mapping') return undefined;
  for (let i = node.items.length - 2; i >= 0; i -= 2) {
    const key = node.items[i] as YamlNode;
    const value = node.items[i + 1] as YamlNode;
    if (key.kind === 'scalar' && key.text === step) return { key, value };
  }
  return undefined;
}
