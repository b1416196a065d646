/** The comparison of descriptions by words. */

interface Described {
  readonly description?: string;
}

/** The `definitions` of an OpenAPI v2 document. */
export type Definitions = Readonly<
  Record<string, Described & { readonly properties?: Readonly<Record<string, Described>> }>
>;

/** The number of consecutive words that two descriptions may not share. */
const LIMIT = 8;

export function* eachDescription(definitions: Definitions): Iterable<readonly [name: string, described: Described]> {
  for (const [type, definition] of Object.entries(definitions)) {
    yield [type, definition];
    for (const [field, property] of Object.entries(definition.properties ?? {})) yield [`${type}.${field}`, property];
  }
}

/** The number of described types and fields, and the names of the others. */
export function describedNames(definitions: Definitions): { described: number; missing: readonly string[] } {
  const missing: string[] = [];
  let described = 0;
  for (const [name, { description }] of eachDescription(definitions)) {
    if (description === undefined || description === '') missing.push(name);
    else described++;
  }
  return { described, missing };
}

/** The descriptions that share LIMIT consecutive words with the other's description of the same name. */
export function sharedWords(ours: Definitions, theirs: Definitions): readonly { name: string; words: string }[] {
  const others = new Map<string, ReadonlySet<string>>();
  for (const [name, { description = '' }] of eachDescription(theirs)) others.set(name, runs(description));
  const shared: { name: string; words: string }[] = [];
  for (const [name, { description = '' }] of eachDescription(ours)) {
    const words = [...runs(description)].find((run) => others.get(name)?.has(run));
    if (words !== undefined) shared.push({ name, words });
  }
  return shared;
}

/** All runs of LIMIT words, without punctuation and case. */
function runs(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const found = new Set<string>();
  for (let start = 0; start + LIMIT <= words.length; start++) found.add(words.slice(start, start + LIMIT).join(' '));
  return found;
}
