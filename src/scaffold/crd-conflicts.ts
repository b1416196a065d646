/**
 * The names that several definitions want. Of two definitions with one name the server refuses the second; of two with
 * a name inside their group in common it does not accept the names of the second.
 */
import type { Crd } from '../apiextensions/crd.ts';
import { namingConditions } from '../apiextensions/definition/naming.ts';
import type { CheckedCrd } from './crd-check.ts';
import type { Finding } from './finding.ts';

/** Returns the conflicts in the order of the definitions; each is reported at the later definition. */
export function definitionConflicts(checked: readonly CheckedCrd[]): readonly Finding[] {
  const findings: Finding[] = [];
  const byName = new Map<string, CheckedCrd>();
  const accepted: Pick<Crd, 'group' | 'acceptedNames'>[] = [];
  for (const candidate of checked) {
    const { crd, manifest } = candidate;
    if (crd === undefined || crd.name === '') continue;
    const first = byName.get(crd.name);
    const report = (path: readonly string[], message: string): void => {
      findings.push({ kind: 'duplicate', file: manifest.file, place: manifest.place(path), message });
    };
    if (first !== undefined) {
      const { line } = first.manifest.place(['metadata', 'name']);
      report(['metadata', 'name'], `${crd.name} is defined already at ${first.manifest.file}:${line}`);
      continue;
    }
    byName.set(crd.name, candidate);
    const { namesAccepted, acceptedNames } = namingConditions({ ...crd, acceptedNames: NO_NAMES }, accepted);
    if (namesAccepted.status === 'False')
      report(['spec', 'names'], `the names of ${crd.name} would not be accepted: ${namesAccepted.message}`);
    accepted.push({ group: crd.group, acceptedNames });
  }
  return findings;
}

const NO_NAMES: Crd['acceptedNames'] = {
  plural: '',
  singular: '',
  shortNames: [],
  kind: '',
  listKind: '',
  categories: [],
};
