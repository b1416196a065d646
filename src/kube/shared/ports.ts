/** Validation of ports and protocols. */
import { complain, type FieldIssue, notSupported, required } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { checkPortName, checkPortNumber } from '../../apimachinery/validation/name-syntax.ts';
import type { JsonValue } from '../../base/json-value.ts';

export const PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP'];

export function validateProtocol(protocol: string, path: FieldPath): FieldIssue[] {
  if (protocol === '') return [required(path, '')];
  return PROTOCOLS.includes(protocol) ? [] : [notSupported(path, protocol, PROTOCOLS)];
}

/** Validates a port number or the name of a container port. An absent value is the number 0. */
export function validatePortNumberOrName(given: JsonValue | undefined, path: FieldPath): FieldIssue[] {
  const port = given ?? 0;
  return complain(typeof port === 'string' ? checkPortName(port) : checkPortNumber(Number(port)), port, path);
}
