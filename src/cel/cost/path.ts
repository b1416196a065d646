/**
 * The way from a variable to a value: the variable, then fields, `@items`, `@keys`, `@values`. Invariant: paths share storage exactly as cel-go's slices do. Two extensions
 * of one path may therefore be the same path afterwards, with the later name; estimates that the reference gets wrong because of it come out the same here, and whether a
 * CRD is accepted depends on them.
 */
export interface Path {
  /** Shared with other paths; only the first `length` names are this one's. */
  readonly names: string[];
  readonly length: number;
  readonly capacity: number;
}

export const NO_PATH: Path = { names: [], length: 0, capacity: 0 };

export function rootPath(name: string): Path {
  return { names: [name], length: 1, capacity: 1 };
}

/** The path to a part of what `path` leads to. Where there is room behind `path` its storage is written to. */
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
