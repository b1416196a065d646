/**
 * The nodes of the first YAML document of a text, made from js-yaml's events. Invariant: every failure is a YamlSyntaxError with the
 * reference's words where they are known; nothing else is thrown.
 */
import { type Event, getScalarValue, parseEvents, type ScalarEvent, YAMLException } from 'js-yaml';

/** The reference allows 10,000; here js-yaml and what walks the value use the call stack. */
export const MAX_YAML_DEPTH = 1000;

export interface YamlScalarNode {
  readonly kind: 'scalar';
  readonly text: string;
  /** The long form of an explicit tag; '' without one. */
  readonly tag: string;
  /** True for an unquoted scalar without a tag, whose meaning its text decides. */
  readonly plain: boolean;
  readonly offset: number;
}
export interface YamlSequenceNode {
  readonly kind: 'sequence';
  readonly items: YamlNode[];
  readonly offset: number;
}
export interface YamlMappingNode {
  readonly kind: 'mapping';
  /** Keys and values in turn. */
  readonly items: YamlNode[];
  readonly offset: number;
}
export interface YamlAliasNode {
  readonly kind: 'alias';
  readonly name: string;
  readonly target: YamlNode;
  readonly offset: number;
}
export type YamlNode = YamlScalarNode | YamlSequenceNode | YamlMappingNode | YamlAliasNode;

/** Carries a failure to the one place that turns it into a result. */
export class YamlSyntaxError {
  readonly message: string;
  readonly offset: number;
  constructor(message: string, offset: number) {
    this.message = message;
    this.offset = offset;
  }
}

/** The root node, or undefined if there is no document. Throws YamlSyntaxError. */
export function parseYamlTree(text: string): YamlNode | undefined {
  const document = firstDocument(text);
  return new TreeBuilder(document, eventsOf(document)).build();
}

/** Tells lines of offsets; the first question costs one pass over the text, later ones a binary search. */
export class LineIndex {
  readonly #text: string;
  #breaks: number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Zero-based line of an offset. */
  lineAt(offset: number): number {
    this.#breaks ??= findBreaks(this.#text);
    let low = 0;
    let high = this.#breaks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#breaks[middle] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function findBreaks(text: string): number[] {
  const breaks: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x0a || (c === 0x0d && text.charCodeAt(i + 1) !== 0x0a)) breaks.push(i);
  }
  return breaks;
}

const MARKER = /^(---|\.\.\.)(?:[ \t\r\n]|$)/;

/** What follows the first document is not looked at, as in the reference. */
function firstDocument(text: string): string {
  let started = false;
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline + 1;
    const first = text.charCodeAt(at);
    const marker = first === 0x2d || first === 0x2e ? MARKER.exec(text.slice(at, at + 4)) : null;
    if (marker !== null) {
      if (started) return text.slice(0, marker[1] === '...' ? end : at);
      started = marker[1] === '---';
    } else if (!started && first !== 0x23 && first !== 0x25) started = text.slice(at, end).trim() !== '';
    at = end;
  }
  return text;
}

function eventsOf(text: string): Event[] {
  try {
    return parseEvents(text, { maxDepth: MAX_YAML_DEPTH });
  } catch (caught) {
    if (caught instanceof YAMLException) throw translate(text, caught);
    // Nesting that js-yaml counts as one level may still exhaust the call stack.
    if (caught instanceof RangeError) throw new YamlSyntaxError(`exceeded max depth of ${MAX_YAML_DEPTH}`, 0);
    throw caught;
  }
}

/** js-yaml's reasons in the reference's words. `scanner`: the reference counts lines from one there, elsewhere from zero. */
const REASONS: readonly (readonly [pattern: RegExp, message: string, scanner: boolean])[] = [
  [/within a (single|double) quoted scalar/, 'found unexpected end of stream', true],
  [/unknown escape sequence/, 'found unknown escape character', true],
  [/expected hexadecimal character/, 'did not find expected hexdecimal number', true],
  [/tab characters/, 'found character that cannot start any token', true],
  [/multiline key|expected ':' after a mapping key/, "could not find expected ':'", true],
  [/bad indentation of a sequence entry/, "did not find expected '-' indicator", false],
  [/alias node must|anchor node must/, 'did not find expected alphabetic or numeric character', true],
  [/expected the node content/, 'did not find expected node content', false],
  [/bad explicit indentation/, 'found an indentation indicator equal to 0', true],
  [/a line break is expected|identifier/, 'did not find expected comment or line break', true],
  [/duplication of an? (tag|anchor) property/, 'did not find expected key', false],
  [/undeclared tag handle/, 'found undefined tag handle', false],
  [/directives end mark/, 'did not find expected <document start>', false],
  [/duplication of %YAML/, 'found duplicate %YAML directive', false],
  [/non-printable|null byte|valid JSON character/, 'control characters are not allowed', false],
];

/** Indicators that js-yaml finds after a complete value on the same line. */
const MISPLACED: ReadonlyMap<string, string> = new Map([
  [':', 'mapping values are not allowed in this context'],
  ['-', 'block sequence entries are not allowed in this context'],
  ['?', 'mapping keys are not allowed in this context'],
  ['%', 'found character that cannot start any token'],
  ['@', 'found character that cannot start any token'],
  ['`', 'found character that cannot start any token'],
  ['\t', 'found character that cannot start any token'],
]);

function translate(text: string, error: YAMLException): YamlSyntaxError {
  const offset = error.mark?.position ?? 0;
  const c = text[offset];
  const reason = error.reason;
  if (reason.startsWith('nesting exceeded'))
    return new YamlSyntaxError(`exceeded max depth of ${MAX_YAML_DEPTH}`, offset);
  if (reason.includes('bad indentation of a mapping entry')) {
    const misplaced = MISPLACED.get(c ?? '');
    return misplaced === undefined
      ? located(text, offset, 'did not find expected key', false)
      : located(text, offset, misplaced, true);
  }
  if (reason.includes('end of the stream or a document separator'))
    return located(text, offset, afterRoot(text), false);
  if (/missed comma|within a flow collection|deficient indentation/.test(reason)) {
    const close = text.lastIndexOf('[', offset - 1) > text.lastIndexOf('{', offset - 1) ? ']' : '}';
    return located(text, offset, `did not find expected ',' or '${close}'`, offset >= text.trimEnd().length);
  }
  for (const [pattern, message, scanner] of REASONS) {
    if (!pattern.test(reason)) continue;
    if (message.startsWith('control characters')) return new YamlSyntaxError(message, offset);
    return located(text, offset, message, scanner);
  }
  return located(text, offset, reason, true);
}

/** What the reference expects after a complete root, which its first significant line tells. */
function afterRoot(text: string): string {
  const first = /^(?![ \t]*(?:#|$)|---[ \t]*$).*$/m.exec(text)?.[0] ?? '';
  if (/^- |^-$/.test(first)) return "did not find expected '-' indicator";
  return /^[^[{"'].*:(?:[ \t]|$)/.test(first) ? 'did not find expected key' : 'did not find expected <document start>';
}

/** With the line in front, as the reference counts it; it leaves out a line 0. */
function located(text: string, offset: number, message: string, scanner: boolean): YamlSyntaxError {
  const line = new LineIndex(text).lineAt(offset);
  const shown = line === 0 ? 0 : scanner ? line + 1 : line;
  return new YamlSyntaxError(shown === 0 ? message : `line ${shown}: ${message}`, offset);
}

class TreeBuilder {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #anchors: Map<string, YamlNode> = new Map();
  readonly #handles: Map<string, string> = new Map([['!!', 'tag:yaml.org,2002:']]);
  #lastOffset = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  build(): YamlNode | undefined {
    const open: (YamlSequenceNode | YamlMappingNode)[] = [];
    for (const event of this.#events) {
      if (event.type === 1) {
        for (const directive of event.directives)
          if (directive.kind === 'tag') this.#handles.set(directive.handle, directive.prefix);
        continue;
      }
      if (event.type === 6) {
        const closed = open.pop();
        if (closed === undefined) return undefined;
        if (open.length === 0) return closed;
        continue;
      }
      const node = this.#node(event);
      open.at(-1)?.items.push(node);
      if (node.kind === 'sequence' || node.kind === 'mapping') open.push(node);
      else if (open.length === 0) return node;
    }
    return undefined;
  }

  #node(event: Exclude<Event, { type: 1 } | { type: 6 }>): YamlNode {
    if (event.type === 5) {
      const name = this.#text.slice(event.anchorStart, event.anchorEnd);
      const target = this.#anchors.get(name);
      if (target === undefined) throw new YamlSyntaxError(`unknown anchor '${name}' referenced`, event.anchorStart);
      return { kind: 'alias', name, target, offset: event.anchorStart };
    }
    const node = this.#content(event);
    if (event.anchorStart >= 0) this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), node);
    return node;
  }

  #content(event: Extract<Event, { type: 2 | 3 | 4 }>): YamlNode {
    if (event.type !== 4) {
      const offset = earliest(event.start, event.tagStart, event.anchorStart);
      this.#lastOffset = offset;
      return { kind: event.type === 2 ? 'sequence' : 'mapping', items: [], offset };
    }
    const tag = event.tagStart < 0 ? '' : this.#longTag(this.#text.slice(event.tagStart, event.tagEnd));
    const offset = this.#scalarOffset(event);
    this.#lastOffset = Math.max(offset, event.valueEnd);
    return {
      kind: 'scalar',
      text: getScalarValue(this.#text, event),
      tag,
      plain: event.style === 1 && tag === '',
      offset,
    };
  }

  /** Where the node starts, its tag, anchor and block header included; an absent value starts where what precedes it ends. */
  #scalarOffset(event: ScalarEvent): number {
    const isBlock = event.style === 4 || event.style === 5;
    const start = event.valueStart >= 0 && isBlock ? event.valueStart - 1 : event.valueStart;
    const offset = earliest(start, event.tagStart, event.anchorStart);
    return offset === Number.POSITIVE_INFINITY ? this.#lastOffset : offset;
  }

  #longTag(tag: string): string {
    if (tag.startsWith('!<')) return tag.slice(2, -1);
    const end = tag.indexOf('!', 1);
    if (end < 0) return tag;
    const prefix = this.#handles.get(tag.slice(0, end + 1));
    return prefix === undefined ? tag : prefix + tag.slice(end + 1);
  }
}

function earliest(...offsets: number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const offset of offsets) if (offset >= 0 && offset < least) least = offset;
  return least;
}
