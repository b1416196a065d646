/** Steps of a path as strict decoding prints it: `spec.ports[0].name`. */
export function stepsOf(path: string): readonly string[] {
  return path.match(/[^.[\]]+/g) ?? [];
}
