/** Formats issues for comparison in tests. */
import { type FieldIssue, formatIssue } from '../../apimachinery/validation/field-issue.ts';

/** Sorted, because issues about entries of a map have no defined order. */
export function texts(issues: readonly FieldIssue[]): readonly string[] {
  return issues.map(formatIssue).sort();
}
