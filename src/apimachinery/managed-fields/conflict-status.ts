/** The Status of an apply that has conflicts or whose configuration is invalid. */
import type { JsonObject } from '../../base/json-value.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import type { Conflict } from '../apply/managers.ts';
import type { TypedIssue } from '../apply/typed-issue.ts';
import { formatElement, formatPath, type Path } from '../field-set/path-element.ts';
import { quote } from '../go-format.ts';
import type { GroupKind } from '../meta/gvk.ts';
import { nameOf } from '../meta/meta.ts';
import type { Status } from '../status/status.ts';
import { applyConflict, invalid } from '../status/status-catalogue.ts';
import {
  type FieldIssue,
  forbidden,
  invalid as invalidValue,
  required,
  typeInvalid,
} from '../validation/field-issue.ts';
import { childPath, type FieldPath, keyPath } from '../validation/field-path.ts';
import type { EntryDetails, Managed, ManagerIdentity } from './managed.ts';

/**
 * Returns a 409 with a cause for each field. Managers are in the order of their identifiers; the reference has them in
 * random order.
 */
export function conflictStatus(conflicts: readonly Conflict[], { details }: Managed): Status {
  const told = conflicts
    .toSorted((a, b) => compareUtf8(a.manager, b.manager))
    .map(({ manager, path }) => {
      const { identity, source } = details.get(manager) as EntryDetails;
      // Path elements of stored entries hold doubles in the reference.
      return { manager: formatManager(identity), path: formatPath(path, source === undefined ? 'exact' : 'double') };
    });
  const causes = told.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${manager}`,
    field: path,
  }));
  return applyConflict(causes, conflictMessage(told));
}

interface ToldConflict {
  readonly manager: string;
  readonly path: string;
}

function conflictMessage(conflicts: readonly ToldConflict[]): string {
  const [only, another] = conflicts;
  if (only !== undefined && another === undefined)
    return `Apply failed with 1 conflict: conflict with ${only.manager}: ${only.path}`;
  const lines: string[] = [];
  for (const [i, { manager, path }] of conflicts.entries()) {
    if (manager !== conflicts[i - 1]?.manager) lines.push(`conflicts with ${manager}:`);
    lines.push(`- ${path}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

/** `"kubectl"`, `"x" with subresource "status"`, and for updates ` using apps/v1`. */
function formatManager({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const named = subresource === '' ? quote(manager) : `${quote(manager)} with subresource ${quote(subresource)}`;
  return operation === 'Update' ? `${named} using ${apiVersion}` : named;
}

/**
 * Returns a 422 for a configuration that does not have its type. The reference answers a bare 500
 * (kubernetes/kubernetes#139253).
 */
export function invalidConfigStatus(kind: GroupKind, config: JsonObject, issues: readonly TypedIssue[]): Status {
  return invalid(kind, nameOf(config), issues.map(toFieldIssue));
}

function toFieldIssue({ kind, path, message, value }: TypedIssue): FieldIssue {
  const where = toFieldPath(path);
  switch (kind) {
    case 'undeclared':
      return forbidden(where, message);
    case 'duplicate':
      return { reason: 'FieldValueDuplicate', path: where, value: undefined, detail: message };
    case 'keyless':
      return required(where, message);
    case 'type':
      return typeInvalid(where, value, message);
    case 'depth':
      return invalidValue(where, undefined, message);
  }
}

/** `spec.containers[name="a"].image`. */
function toFieldPath(path: Path): FieldPath | undefined {
  let at: FieldPath | undefined;
  for (const element of path)
    at = typeof element === 'string' ? childPath(at, element) : keyPath(at, formatElement(element).slice(1, -1));
  return at;
}
