/** The addresses and ports of Services, and the address of this server. */
import { ConfigError } from '../../base/errors.ts';
import { IpRange } from '../allocators/ip-range.ts';
import type { PortRange } from '../allocators/port-range.ts';

export interface ServiceNetwork {
  /** `--service-cluster-ip-range`: one range, or one per IP family. The first is preferred. */
  readonly ranges: readonly [IpRange, ...IpRange[]];
  /** `--service-node-port-range`. */
  readonly nodePorts: PortRange;
  /**
   * Called at startup, when the server listens. Undefined: the server has no address and writes no endpoints or Lease.
   */
  self(): ServerIdentity | undefined;
}

/** The address of this server for other machines. */
export interface ServerIdentity {
  readonly hostname: string;
  /** `--advertise-address`. */
  readonly address: string;
  readonly port: number;
  /** `--kubernetes-service-node-port`. 0 for none. */
  readonly nodePort: number;
  /** `--endpoint-reconciler-type`: whether this server writes the endpoints of `default/kubernetes`. */
  readonly writesEndpoints: boolean;
}

/** The reference's defaults. */
export const DEFAULT_SERVICE_RANGE = '10.0.0.0/24';
export const DEFAULT_NODE_PORTS: PortRange = { first: 30000, size: 2768 };

/**
 * Parses one range, or one per IP family, separated by a comma. '' is the default. Throws ConfigError for other texts.
 */
export function parseServiceRanges(text: string): readonly [IpRange, ...IpRange[]] {
  const cidrs = text === '' ? [DEFAULT_SERVICE_RANGE] : text.split(',').map((cidr) => cidr.trim());
  const ranges = cidrs.map((cidr) => {
    const range = IpRange.parse(cidr);
    if (range === undefined)
      throw new ConfigError(
        `--service-cluster-ip-range: "${cidr}" is not a CIDR for Services (IPv6 needs a prefix of /64 or longer)`,
      );
    return range;
  });
  const families = new Set(ranges.map(({ family }) => family));
  const [first, ...more] = ranges;
  if (first === undefined || families.size < ranges.length)
    throw new ConfigError(`--service-cluster-ip-range: "${text}" must be one CIDR, or one IPv4 and one IPv6 CIDR`);
  return [first, ...more];
}

/** Returns the default ranges, without an address of this server. */
export function defaultServiceNetwork(): ServiceNetwork {
  return { ranges: parseServiceRanges(''), nodePorts: DEFAULT_NODE_PORTS, self: () => undefined };
}
