/** The steps of a path as strict decoding prints it, such as `spec.ports[0].name`. */
export function stepsOf(path: string): readonly string[] {
  return path.match(/[^.[\]]+/g) ?? [];
}
