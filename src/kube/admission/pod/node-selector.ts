/** The text form of node selectors in annotations and configurations. */
import { labelKeyIssue } from '../../../apimachinery/selectors/label-selector.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { unknown } from '../../../apimachinery/status/status-catalogue.ts';
import { formatIssue } from '../../../apimachinery/validation/field-issue.ts';

export type Labels = Readonly<Record<string, string>>;

/** Parses `a=b,c=d`. Throws a 500, as the reference does, for an invalid text. */
export function parseNodeSelector(text: string): Labels {
  const labels: Record<string, string> = {};
  if (text === '') return labels;
  for (const part of text.split(',')) {
    const pair = part.split('=');
    if (pair.length !== 2) throw new StatusError(unknown(`invalid selector: [${pair.join(' ')}]`));
    const [key, value] = pair.map((side) => side.trim()) as [string, string];
    const issue = labelKeyIssue(key, undefined);
    if (issue !== undefined) throw new StatusError(unknown(formatIssue(issue)));
    labels[key] = value;
  }
  return labels;
}
