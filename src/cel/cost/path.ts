/**
 * The paths from variables to values: the variable, then fields, `@items`, `@keys` and `@values`. Paths share storage
 * like Go slices: extending a path twice may overwrite the first extension. cel-go's estimates are wrong in such cases,
 * and definitions are accepted or refused by them; therefore the sharing is reproduced here.
 */
export interface Path {
  /** May be shared with other paths. Only the first `length` names belong to this path. */
  readonly names: string[];
  readonly length: number;
  readonly capacity: number;
}

export const NO_PATH: Path = { names: [], length: 0, capacity: 0 };

export function rootPath(name: string): Path {
  return { names: [name], length: 1, capacity: 1 };
}

/** Appends a name. Writes to the storage of `path` if its capacity allows, like Go's `append`. */
export function extendPath(path: Path, name: string): Path {
  const length = path.length + 1;
  if (length <= path.capacity) {
    path.names[path.length] = name;
    return { names: path.names, length, capacity: path.capacity };
  }
  const names = path.names.slice(0, path.length);
  names.push(name);
  return { names, length, capacity: Math.max(1, path.capacity * 2) };
}

export function pathNames(path: Path): string[] {
  return path.names.slice(0, path.length);
}
