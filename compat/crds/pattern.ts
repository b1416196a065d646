/**
 * The generator of texts that match an RE2 pattern. It ignores syntax that it does not know (assertions inside, rare
 * escapes), so a text may not match; the reference decides which objects are valid.
 */
import type { Random } from '../../test/fuzz/random.ts';

const MOST_REPEATS = 4;
const ANY = 'abcdefghijklmnopqrstuvwxyz0123456789';
const CLASSES: Readonly<Record<string, string>> = {
  d: '0123456789',
  w: 'abcxyzABCXYZ0123456789_',
  s: ' ',
  D: 'abc-',
  W: '-.',
  S: 'abcxyz019',
  n: '\n',
  t: '\t',
};

type Node =
  | { readonly kind: 'text'; readonly letters: string }
  | { readonly kind: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly kind: 'choice'; readonly nodes: readonly Node[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly least: number; readonly most: number };

/** Returns a text of at least `minLength` characters if the repetitions of the pattern allow it. */
export function matching(pattern: string, random: Random, minLength = 0): string {
  const tree = new PatternReader(pattern).choice();
  let longest = '';
  for (let i = 0; i < 8 && (i === 0 || longest.length < minLength); i++) {
    const text = write(tree, random, i);
    if (text.length >= longest.length) longest = text;
  }
  return longest;
}

function write(node: Node, random: Random, more: number): string {
  switch (node.kind) {
    case 'text':
      return node.letters === '' ? '' : random.pick([...node.letters]);
    case 'sequence':
      return node.nodes.map((child) => write(child, random, more)).join('');
    case 'choice':
      return write(random.pick(node.nodes), random, more);
    case 'repeat': {
      const most = Math.min(node.most, node.least + MOST_REPEATS + more * 8);
      const times = node.least + random.int(most - node.least + 1);
      return Array.from({ length: times }, () => write(node.node, random, more)).join('');
    }
  }
}

class PatternReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  choice(): Node {
    const nodes = [this.#sequence()];
    while (this.#text[this.#at] === '|') {
      this.#at++;
      nodes.push(this.#sequence());
    }
    return nodes.length === 1 ? (nodes[0] as Node) : { kind: 'choice', nodes };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    while (this.#at < this.#text.length && !'|)'.includes(this.#text[this.#at] as string)) {
      const atom = this.#atom();
      nodes.push(this.#repeated(atom));
    }
    return { kind: 'sequence', nodes };
  }

  #atom(): Node {
    const c = this.#text[this.#at++] as string;
    if (c === '(') {
      const group = /^\?(?:P?<\w+>|[a-zA-Z-]*:)/.exec(this.#text.slice(this.#at));
      if (group !== null) this.#at += group[0].length;
      const inner = this.choice();
      this.#at++;
      return inner;
    }
    if (c === '[') return this.#set();
    if (c === '^' || c === '$') return { kind: 'text', letters: '' };
    if (c === '.') return { kind: 'text', letters: ANY };
    if (c === '\\') return { kind: 'text', letters: this.#escape() };
    return { kind: 'text', letters: c };
  }

  #escape(): string {
    const c = this.#text[this.#at++] ?? '';
    if (/[AzbB]/.test(c)) return '';
    if (c === 'p' || c === 'P') {
      this.#at += /^(?:\{\^?\w+\}|\w)/.exec(this.#text.slice(this.#at))?.[0].length ?? 0;
      return 'abcXYZ';
    }
    return CLASSES[c] ?? c;
  }

  #set(): Node {
    const negated = this.#text[this.#at] === '^';
    if (negated) this.#at++;
    let letters = '';
    for (let first = true; this.#at < this.#text.length && (first || this.#text[this.#at] !== ']'); first = false) {
      const named = /^\[:(\w+):\]/.exec(this.#text.slice(this.#at));
      if (named !== null) {
        letters += named[1] === 'digit' ? '0123456789' : named[1] === 'space' ? ' ' : 'abcxyz';
        this.#at += named[0].length;
        continue;
      }
      const c = this.#text[this.#at++] as string;
      const low = c === '\\' ? this.#escape() : c;
      const range = this.#text[this.#at] === '-' && this.#text[this.#at + 1] !== ']' && low.length === 1;
      if (!range) {
        letters += low;
        continue;
      }
      this.#at++;
      const end = this.#text[this.#at++] as string;
      const high = end === '\\' ? this.#escape() : end;
      for (let code = low.charCodeAt(0); code <= high.charCodeAt(0) && letters.length < 200; code++)
        letters += String.fromCharCode(code);
    }
    this.#at++;
    if (!negated) return { kind: 'text', letters };
    return { kind: 'text', letters: [...`${ANY}-_./:`].filter((letter) => !letters.includes(letter)).join('') };
  }

  #repeated(node: Node): Node {
    const bounds = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.#text.slice(this.#at));
    if (bounds === null) return node;
    this.#at += bounds[0].length;
    const [, sign, least, comma, most] = bounds;
    if (sign !== undefined)
      return {
        kind: 'repeat',
        node,
        least: sign === '+' ? 1 : 0,
        most: sign === '?' ? 1 : Number.POSITIVE_INFINITY,
      };
    const from = Number(least);
    const to = comma === '' ? from : most === '' ? Number.POSITIVE_INFINITY : Number(most);
    return { kind: 'repeat', node, least: from, most: to };
  }
}
