/**
 * The `%#v` text of a YAML node as Go prints goyaml's result, for messages that show a value. The node has been
 * composed without failure. The text is cut at MAX_SHOWN; the reference has no limit.
 */
import { compareUtf8 } from '../../../base/utf8.ts';
import { quote } from '../../go-format.ts';
import { formatGoFloat } from '../go-float.ts';
import {
  formatGoInt,
  isMergeKey,
  keyOfNode,
  mergedNodes,
  resolveNode,
  stringOfNode,
  type YamlKey,
} from './yaml-key.ts';
import type { YamlMappingNode, YamlNode, YamlScalarNode } from './yaml-tree.ts';

const MAX_SHOWN = 65_536;

export function formatGoSyntax(node: YamlNode): string {
  const printer = new GoPrinter();
  printer.print(node, '<nil>');
  return printer.text.length > MAX_SHOWN ? `${printer.text.slice(0, MAX_SHOWN)}...` : printer.text;
}

class GoPrinter {
  text = '';

  /** `nil` is the text of a null. */
  print(node: YamlNode, nil: string): void {
    if (this.text.length > MAX_SHOWN) return;
    switch (node.kind) {
      case 'alias':
        this.print(node.target, nil);
        break;
      case 'scalar':
        this.text += formatScalar(node, nil);
        break;
      case 'sequence':
        this.text += '[]interface {}{';
        node.items.forEach((item, i) => {
          this.#separate(i);
          this.print(item, NIL);
        });
        this.text += '}';
        break;
      case 'mapping':
        this.#printMapping(node);
    }
  }

  #printMapping(node: YamlMappingNode): void {
    const entries = new Map<string, Entry>();
    collect(node, entries);
    this.text += 'map[interface {}]interface {}{';
    [...entries.values()].sort(compareEntries).forEach(({ key, value }, i) => {
      this.#separate(i);
      this.text += `${key.type === 'null' ? NIL : key.shown}:`;
      this.print(value, NIL);
    });
    this.text += '}';
  }

  #separate(index: number): void {
    if (index > 0) this.text += ', ';
  }
}

const NIL = 'interface {}(nil)';

interface Entry {
  readonly key: YamlKey;
  readonly value: YamlNode;
}

function formatScalar(node: YamlScalarNode, nil: string): string {
  const scalar = resolveNode(node);
  switch (scalar.type) {
    case 'null':
      return nil;
    case 'bool':
      return String(scalar.value);
    case 'int':
      return formatGoInt(scalar.value);
    case 'float':
      return formatGoFloat(scalar.value, 64);
    default:
      return quote(stringOfNode(node).slice(0, MAX_SHOWN));
  }
}

/** The last of equal keys wins. */
function collect(node: YamlNode, entries: Map<string, Entry>): void {
  const mapping = node.kind === 'alias' ? node.target : node;
  if (mapping.kind !== 'mapping') return;
  for (let i = 0; i < mapping.items.length; i += 2) {
    const keyNode = mapping.items[i] as YamlNode;
    const value = mapping.items[i + 1] as YamlNode;
    if (isMergeKey(keyNode)) {
      for (const merged of mergedNodes(value)) collect(merged, entries);
      continue;
    }
    const target = keyNode.kind === 'alias' ? keyNode.target : keyNode;
    if (target.kind !== 'scalar') continue;
    const key = keyOfNode(target);
    entries.set(`${key.type} ${key.shown}`, { key, value });
  }
}

/**
 * By type, then by value. The reference orders types by their address in memory, so only the place of null is certain.
 */
const TYPE_ORDER: readonly YamlKey['type'][] = ['null', 'str', 'int', 'uint', 'float', 'bool'];

function compareEntries({ key: a }: Entry, { key: b }: Entry): number {
  if (a.type !== b.type) return TYPE_ORDER.indexOf(a.type) - TYPE_ORDER.indexOf(b.type);
  if (a.type === 'int' || a.type === 'float') return Number(a.shown) - Number(b.shown);
  return compareUtf8(a.text, b.text);
}
