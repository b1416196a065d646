/**
 * The escaping of property names to CEL identifiers, as kube-apiserver does it.
 *
 * Invariant: different names never escape to the same identifier.
 */

/** The reserved words of CEL. `namespace` is the only one that is common as a property name. */
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

/**
 * The identifier of a property in rules; undefined for a name that cannot be escaped. Rules cannot read such a
 * property.
 */
export function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (part) => ESCAPED[part] as string);
}
