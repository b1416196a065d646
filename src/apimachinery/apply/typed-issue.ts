/** The issues of a value that does not have its merge type, as data. */
import type { JsonValue } from '../../base/json-value.ts';
import { formatPath, type Path, type PathElement } from '../field-set/path-element.ts';

export type TypedIssueKind =
  /** A field that the type does not have. */
  | 'undeclared'
  /** An item of an associative list whose key another item has. */
  | 'duplicate'
  /** An item of an associative list without a key. */
  | 'keyless'
  /** A value of another kind than the type has. */
  | 'type'
  /** A value nested deeper than MAX_TYPED_DEPTH. */
  | 'depth';

export interface TypedIssue {
  readonly kind: TypedIssueKind;
  readonly path: Path;
  readonly message: string;
  /** The offending value, of an issue of kind `type`. */
  readonly value?: JsonValue;
}

/** An issue whose path begins at the value that was validated. Callers prepend the elements of its parents. */
export interface PendingIssue {
  readonly kind: TypedIssueKind;
  readonly path: PathElement[];
  readonly message: string;
  readonly value?: JsonValue;
}

/** Formats issues as `.spec.x: field not declared in schema`, one per line if there are several. */
export function formatTypedIssues(issues: readonly TypedIssue[]): string {
  const lines = issues.map(({ path, message }) => (path.length === 0 ? message : `${formatPath(path)}: ${message}`));
  return lines.length === 1 ? (lines[0] as string) : ['errors:', ...lines.map((line) => `  ${line}`)].join('\n');
}
