/**
 * Names of properties as CEL identifiers, as the reference escapes them. Invariant: different names never escape to the same identifier.
 */

/** Words that CEL keeps for itself; `namespace` is the one that people meet. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return ' +
    'var void while'
  ).split(' '),
);

const ESCAPED: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** The identifier that rules use for a property; undefined for a name that has none, which rules cannot reach. */
export function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (part) => ESCAPED[part] as string);
}
