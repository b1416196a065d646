/** Issues of an object as tests compare them: sorted, because entries of maps come in no order. */
import { type FieldIssue, formatIssue } from '../../apimachinery/validation/field-issue.ts';

export function texts(issues: readonly FieldIssue[]): readonly string[] {
  return issues.map(formatIssue).sort();
}
