/** Domains of name constraints, found by the names that lie in them. */
import { lowerAscii } from './domain-name.ts';

interface Domain {
  /** As it was written. */
  readonly text: string;
  /** See `keyOf`. */
  readonly key: string;
}

/**
 * A set of domains. `example.com` contains itself and its subdomains, `.example.com` only its subdomains, and the empty
 * domain contains every name. Letters are compared without regard to case.
 * Invariants: the domains are sorted by their keys, and none lies within another. So the only one that may contain a
 * name is the last one that is not sorted after it, and a lookup takes logarithmic time.
 */
export class DomainSet {
  readonly #domains: readonly Domain[];
  readonly #containsAll: boolean;
  /** By the domain in lower case without its first label, such as `.example.com` for `www.example.com`. */
  readonly #byParent = new Map<string, string>();

  constructor(domains: readonly string[]) {
    this.#containsAll = domains.includes('');
    const sorted = domains.map((text) => ({ text, key: keyOf(text) })).sort((a, b) => compare(a.key, b.key));
    const outer: Domain[] = [];
    for (const domain of sorted) {
      const before = outer.at(-1);
      if (before === undefined || !contains(before.key, domain.key)) outer.push(domain);
    }
    this.#domains = outer;
    for (const { text } of outer) {
      const lower = lowerAscii(text);
      this.#byParent.set(parentOf(lower), lower);
    }
  }

  /** Returns the domain that contains a name. */
  find(name: string): string | undefined {
    if (this.#containsAll) return '';
    const key = keyOf(name);
    let low = 0;
    let high = this.#domains.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare((this.#domains[middle] as Domain).key, key) <= 0) low = middle + 1;
      else high = middle;
    }
    const nearest = this.#domains[low - 1];
    return nearest !== undefined && contains(nearest.key, key) ? nearest.text : undefined;
  }

  /** Returns a domain that a wildcard could match: `www.example.com` for `*.example.com`. */
  findUnderWildcard(name: string): string | undefined {
    const parent = parentOf(lowerAscii(name));
    return name.startsWith('*') && parent !== '' ? this.#byParent.get(parent) : undefined;
  }
}

/** The name in lower case from its end, with a character instead of periods that is sorted before all others. */
function keyOf(name: string): string {
  return [...lowerAscii(name)].reverse().join('').replaceAll('.', '\0');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares keys. A domain that starts with a period has a key that ends with one. */
function contains(domain: string, name: string): boolean {
  if (!name.startsWith(domain)) return false;
  return domain.endsWith('\0') || name.length === domain.length || name[domain.length] === '\0';
}

/** Returns the part of a domain from its first period on; empty for a single label. */
function parentOf(domain: string): string {
  const dot = domain.indexOf('.');
  return dot < 0 ? '' : domain.slice(dot);
}
