/**
 * The text form of the descriptions of types: one text per package, one entry per type and per field.
 *
 * ```
 * # A comment.
 * inherits: resource-v1
 * Pod: One or more containers that run together on a node.
 * Pod.spec: The wanted state.
 *   A line that begins with spaces continues the entry above it.
 * ```
 *
 * The types `*` and `*List` stand for every kind and every list: their fields describe fields that have no entry.
 * `inherits` names packages, separated by spaces, whose entries apply where this text has none. An entry may end with
 * the sentence `Default: <value>.` and then with `Deprecated: <what to use instead>.`, which become tags in TypeScript.
 */

/** The descriptions of one package. */
export interface PackageDescriptions {
  /** The ids of packages that are looked up next, in this order. */
  readonly inherits: readonly string[];
  /** By `Type` or `Type.field`. */
  readonly entries: ReadonlyMap<string, string>;
  /** The lines that are neither an entry nor a comment, and repeated entries. Empty for a correct text. */
  readonly problems: readonly string[];
}

const INHERITS = 'inherits';
const ENTRY = /^([*\w]+(?:\.[$\w-]+)?|inherits): (.*)$/;

/** Parses a text. */
export function readDescriptions(text: string): PackageDescriptions {
  const entries = new Map<string, string>();
  const problems: string[] = [];
  let inherits: readonly string[] = [];
  let last = '';
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    if (line.startsWith(' ')) {
      const begun = entries.get(last);
      if (begun === undefined) problems.push(`no entry above: ${line}`);
      else entries.set(last, `${begun} ${line.trim()}`);
      continue;
    }
    const [, name = '', description = ''] = ENTRY.exec(line) ?? [];
    if (name === '') problems.push(`no entry: ${line}`);
    else if (name === INHERITS) inherits = description.trim().split(' ');
    else if (entries.has(name)) problems.push(`repeated: ${name}`);
    else entries.set(name, description.trim());
    last = name;
  }
  return { inherits, entries, problems };
}

/** The descriptions of the types of a server. The answers never change. */
export interface TypeDescriptions {
  /** Returns the description of a type, or of a field of it, by its name in OpenAPI documents. */
  readonly describe: (typeName: string, field?: string) => string | undefined;
  /** Returns a text that changes whenever a description changes. */
  readonly fingerprint: () => string;
}

/** The descriptions of several packages. A text is read and parsed when one of its types is first described. */
export class Descriptions {
  readonly #read: (packageId: string) => string | undefined;
  readonly #packages = new Map<string, PackageDescriptions | undefined>();

  /** `read` returns the text of a package, and undefined if it has none. */
  constructor(read: (packageId: string) => string | undefined) {
    this.#read = read;
  }

  /** Returns the description of a type, or of a field of it. */
  find(packageId: string, type: string, field?: string): string | undefined {
    return this.#find(packageId, field === undefined ? type : `${type}.${field}`);
  }

  #find(packageId: string, name: string): string | undefined {
    const known = this.#package(packageId);
    const own = known?.entries.get(name);
    if (known === undefined || own !== undefined) return own;
    for (const inherited of known.inherits) {
      const found = this.#find(inherited, name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #package(id: string): PackageDescriptions | undefined {
    if (!this.#packages.has(id)) {
      const text = this.#read(id);
      this.#packages.set(id, text === undefined ? undefined : readDescriptions(text));
    }
    return this.#packages.get(id);
  }
}

/** The parts of a description that TypeScript shows as tags. */
export interface DescriptionParts {
  readonly text: string;
  readonly defaultValue: string | undefined;
  readonly deprecated: string | undefined;
}

/** Splits the sentences `Default: ....` and `Deprecated: ....` off the end of a description. */
export function descriptionParts(description: string): DescriptionParts {
  const [beforeDeprecated = '', deprecated] = splitAt(description, 'Deprecated: ');
  const [text = '', value] = splitAt(beforeDeprecated, 'Default: ');
  return { text, defaultValue: value?.replace(/\.$/, ''), deprecated };
}

function splitAt(text: string, marker: string): readonly [string, string?] {
  const at = text.lastIndexOf(marker);
  return at < 0 ? [text] : [text.slice(0, at).trimEnd(), text.slice(at + marker.length)];
}
