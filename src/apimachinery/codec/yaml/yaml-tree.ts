/**
 * The parser of the first YAML document of a text, with the grammar of goyaml v2. Failures are YamlSyntaxErrors with
 * the reference's messages. Later documents are not read.
 */
import { type YamlPosition, YamlSyntaxError } from './yaml-cursor.ts';
import type { YamlTag } from './yaml-scan-tag.ts';
import { MAX_YAML_DEPTH, YamlScanner, type YamlToken, type YamlTokenType } from './yaml-scanner.ts';

export interface YamlScalarNode {
  readonly kind: 'scalar';
  readonly text: string;
  /** The long form of an explicit tag, or ''. */
  readonly tag: string;
  /** True for an unquoted scalar without a tag and for one with the tag `!`. */
  readonly implicit: boolean;
  /** The line and the column where it starts, including its tag and anchor, counted from 0. */
  readonly line: number;
  readonly column: number;
}
export interface YamlSequenceNode {
  readonly kind: 'sequence';
  readonly items: YamlNode[];
  readonly line: number;
  readonly column: number;
}
export interface YamlMappingNode {
  readonly kind: 'mapping';
  /** Keys and values in turn. */
  readonly items: YamlNode[];
  readonly line: number;
  readonly column: number;
}
export interface YamlAliasNode {
  readonly kind: 'alias';
  readonly name: string;
  readonly target: YamlNode;
  readonly line: number;
  readonly column: number;
}
export type YamlNode = YamlScalarNode | YamlSequenceNode | YamlMappingNode | YamlAliasNode;

/** The root node; undefined if there is no document. Throws YamlSyntaxError. */
export function parseYamlTree(text: string): YamlNode | undefined {
  return new TreeParser(text).document();
}

/** The anchor and the tag before a node. */
interface Properties {
  readonly anchor: string;
  readonly tag: string;
  /** The position of the first property, or of the node itself. */
  readonly line: number;
  readonly column: number;
}

const DOCUMENT_ENDS: ReadonlySet<YamlTokenType> = new Set([
  'directive',
  'document-start',
  'document-end',
  'stream-end',
]);
const ENTRY_ENDS: ReadonlySet<YamlTokenType> = new Set(['block-entry', 'block-end']);
const INDENTLESS_ENDS: ReadonlySet<YamlTokenType> = new Set(['block-entry', 'key', 'value', 'block-end']);
const PAIR_ENDS: ReadonlySet<YamlTokenType> = new Set(['key', 'value', 'block-end']);

class TreeParser {
  readonly #scanner: YamlScanner;
  readonly #anchors: Map<string, YamlNode> = new Map();
  readonly #prefixes: Map<string, string> = new Map();
  #depth = 0;

  constructor(text: string) {
    this.#scanner = new YamlScanner(text);
  }

  document(): YamlNode | undefined {
    let token = this.#scanner.peek();
    if (token.type === 'stream-end') return undefined;
    const explicit = token.type === 'directive' || token.type === 'document-start';
    this.#directives();
    if (explicit) {
      token = this.#scanner.peek();
      if (token.type !== 'document-start') this.#fail('did not find expected <document start>', token);
      token = this.#next();
    }
    const root = explicit && DOCUMENT_ENDS.has(token.type) ? empty(token) : this.#node(true, false);
    // The reference reads one more token, which may be malformed.
    this.#scanner.peek();
    return root;
  }

  #next(): YamlToken {
    this.#scanner.skip();
    return this.#scanner.peek();
  }

  /** Fails with a parser message. The reference counts its lines from 0 and does not name the first. */
  #fail(message: string, at: YamlPosition): never {
    throw new YamlSyntaxError(at.line === 0 ? message : `line ${at.line}: ${message}`, at, message);
  }

  #directives(): void {
    let hasVersion = false;
    for (let token = this.#scanner.peek(); token.directive !== undefined; token = this.#next()) {
      const { directive } = token;
      if (directive.kind === 'version') {
        if (hasVersion) this.#fail('found duplicate %YAML directive', token);
        if (directive.major !== 1 || directive.minor !== 1) this.#fail('found incompatible YAML document', token);
        hasVersion = true;
        continue;
      }
      if (this.#prefixes.has(directive.handle)) this.#fail('found duplicate %TAG directive', token);
      this.#prefixes.set(directive.handle, directive.prefix);
    }
    if (!this.#prefixes.has('!')) this.#prefixes.set('!', '!');
    if (!this.#prefixes.has('!!')) this.#prefixes.set('!!', 'tag:yaml.org,2002:');
  }

  /** `block`: a block collection may begin here. `indentless`: also a sequence at the column of its key. */
  #node(block: boolean, indentless: boolean): YamlNode {
    const first = this.#scanner.peek();
    if (first.type === 'alias') return this.#alias(first);
    const properties = this.#properties(first);
    const token = this.#scanner.peek();
    if (token.type === 'scalar') {
      this.#scanner.skip();
      const { tag, line, column } = properties;
      const implicit = (tag === '' && token.plain) || tag === '!';
      return this.#anchored({ kind: 'scalar', text: token.text, tag, implicit, line, column }, properties);
    }
    if (indentless && token.type === 'block-entry')
      return this.#collection('sequence', properties, (items) => this.#indentlessSequence(items));
    if (token.type === 'flow-sequence-start')
      return this.#collection('sequence', properties, (items) => this.#flowSequence(items));
    if (token.type === 'flow-mapping-start')
      return this.#collection('mapping', properties, (items) => this.#flowMapping(items));
    if (block && token.type === 'block-sequence-start')
      return this.#collection('sequence', properties, (items) => this.#blockSequence(items));
    if (block && token.type === 'block-mapping-start')
      return this.#collection('mapping', properties, (items) => this.#blockMapping(items));
    if (properties.anchor === '' && properties.tag === '') this.#fail('did not find expected node content', token);
    const { tag, line, column } = properties;
    return this.#anchored({ kind: 'scalar', text: '', tag, implicit: tag === '', line, column }, properties);
  }

  #alias(token: YamlToken): YamlNode {
    const target = this.#anchors.get(token.text);
    if (target === undefined) throw new YamlSyntaxError(`unknown anchor '${token.text}' referenced`, token);
    this.#scanner.skip();
    return { kind: 'alias', name: token.text, target, line: token.line, column: token.column };
  }

  /** Reads an anchor and a tag, in any order, each at most once. */
  #properties(first: YamlToken): Properties {
    let anchor = '';
    let tag: YamlTag | undefined;
    let tagAt: YamlPosition = first;
    for (let token = first; ; token = this.#next()) {
      if (token.type === 'anchor' && anchor === '') anchor = token.text;
      else if (token.type === 'tag' && tag === undefined) {
        tag = token.tag;
        tagAt = token;
      } else break;
    }
    return { anchor, tag: tag === undefined ? '' : this.#longTag(tag, tagAt), line: first.line, column: first.column };
  }

  #longTag(tag: YamlTag, at: YamlPosition): string {
    if (tag.handle === '') return tag.suffix;
    const prefix = this.#prefixes.get(tag.handle);
    return prefix === undefined ? this.#fail('found undefined tag handle', at) : prefix + tag.suffix;
  }

  #anchored<T extends YamlNode>(node: T, { anchor }: Properties): T {
    if (anchor !== '') this.#anchors.set(anchor, node);
    return node;
  }

  #collection(kind: 'sequence' | 'mapping', properties: Properties, read: (items: YamlNode[]) => void): YamlNode {
    if (++this.#depth > MAX_YAML_DEPTH)
      throw new YamlSyntaxError(`exceeded max depth of ${MAX_YAML_DEPTH}`, properties);
    const node = this.#anchored<YamlSequenceNode | YamlMappingNode>(
      { kind, items: [], line: properties.line, column: properties.column },
      properties,
    );
    read(node.items);
    this.#depth--;
    return node;
  }

  #blockSequence(items: YamlNode[]): void {
    let token = this.#next();
    for (; token.type === 'block-entry'; token = this.#scanner.peek()) items.push(this.#entry(token, ENTRY_ENDS));
    if (token.type !== 'block-end') this.#fail("did not find expected '-' indicator", token);
    this.#scanner.skip();
  }

  #indentlessSequence(items: YamlNode[]): void {
    for (let token = this.#scanner.peek(); token.type === 'block-entry'; token = this.#scanner.peek())
      items.push(this.#entry(token, INDENTLESS_ENDS));
  }

  #entry(indicator: YamlToken, ends: ReadonlySet<YamlTokenType>): YamlNode {
    return ends.has(this.#next().type) ? empty(indicator) : this.#node(true, false);
  }

  #blockMapping(items: YamlNode[]): void {
    let token = this.#next();
    for (; token.type === 'key'; token = this.#scanner.peek()) {
      items.push(this.#pairPart(token));
      const value = this.#scanner.peek();
      items.push(value.type === 'value' ? this.#pairPart(value) : empty(value));
    }
    if (token.type !== 'block-end') this.#fail('did not find expected key', token);
    this.#scanner.skip();
  }

  /** The node after a key or value indicator. */
  #pairPart(indicator: YamlToken): YamlNode {
    return PAIR_ENDS.has(this.#next().type) ? empty(indicator) : this.#node(true, true);
  }

  #flowSequence(items: YamlNode[]): void {
    this.#flowEntries('flow-sequence-end', "did not find expected ',' or ']'", (token) => {
      items.push(token.type === 'key' ? this.#flowPair(token) : this.#node(false, false));
    });
  }

  /** A mapping of one pair, written without braces. */
  #flowPair(indicator: YamlToken): YamlNode {
    const properties: Properties = { anchor: '', tag: '', line: indicator.line, column: indicator.column };
    return this.#collection('mapping', properties, (items) => {
      const token = this.#next();
      if (token.type === 'value' || token.type === 'flow-entry' || token.type === 'flow-sequence-end') {
        // The reference consumes the token, whatever it is.
        this.#scanner.skip();
        items.push(empty(token));
      } else items.push(this.#node(false, false));
      items.push(this.#flowValue('flow-sequence-end'));
    });
  }

  #flowMapping(items: YamlNode[]): void {
    this.#flowEntries('flow-mapping-end', "did not find expected ',' or '}'", (token) => {
      if (token.type !== 'key') {
        items.push(this.#node(false, false), empty(this.#scanner.peek()));
        return;
      }
      const next = this.#next();
      const { type } = next;
      const isEmpty = type === 'value' || type === 'flow-entry' || type === 'flow-mapping-end';
      items.push(isEmpty ? empty(next) : this.#node(false, false));
      items.push(this.#flowValue('flow-mapping-end'));
    });
  }

  #flowValue(end: YamlTokenType): YamlNode {
    let token = this.#scanner.peek();
    if (token.type === 'value') {
      token = this.#next();
      if (token.type !== 'flow-entry' && token.type !== end) return this.#node(false, false);
    }
    return empty(token);
  }

  #flowEntries(end: YamlTokenType, unexpected: string, read: (token: YamlToken) => void): void {
    let token = this.#next();
    for (let first = true; token.type !== end; first = false) {
      if (!first) {
        if (token.type !== 'flow-entry') this.#fail(unexpected, token);
        token = this.#next();
        if (token.type === end) break;
      }
      read(token);
      token = this.#scanner.peek();
    }
    this.#scanner.skip();
  }
}

function empty({ line, column }: YamlPosition): YamlScalarNode {
  return { kind: 'scalar', text: '', tag: '', implicit: true, line, column };
}
