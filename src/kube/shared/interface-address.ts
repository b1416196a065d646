/** Validation of network interface addresses: an IP address with a prefix length. */
import { quote } from '../../apimachinery/go-format.ts';
import { type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { formatIp } from '../../pki/ip.ts';
import { parseSloppyCidr } from './ip.ts';

/** Unlike in a CIDR, bits after the prefix may be set. Only the canonical form is valid. */
export function validateInterfaceAddress(value: string, path: FieldPath): FieldIssue[] {
  const network = parseSloppyCidr(value);
  if (network === undefined)
    return [invalid(path, value, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')];
  const canonical = `${formatIp(network.address)}/${network.bits}`;
  return value === canonical ? [] : [invalid(path, value, `must be in canonical form (${quote(canonical)})`)];
}
