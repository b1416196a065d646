/** The network of Services as the flags describe it, and this server's place in it. Invariant: plain data. */
import { ConfigError } from '../../base/errors.ts';
import { IpRange } from '../allocators/ip-range.ts';
import type { PortRange } from '../allocators/port-range.ts';

export interface ServiceNetwork {
  /** `--service-cluster-ip-range`: one network, or one of each family; the first is preferred. */
  readonly ranges: readonly [IpRange, ...IpRange[]];
  /** `--service-node-port-range`. */
  readonly nodePorts: PortRange;
  /** Asked when the server starts: it listens by then. Undefined: it is reached by nobody. */
  self(): ServerIdentity | undefined;
}

/** How others reach this server. */
export interface ServerIdentity {
  readonly hostname: string;
  /** `--advertise-address`. */
  readonly address: string;
  readonly port: number;
  /** `--kubernetes-service-node-port`; 0 for none. */
  readonly nodePort: number;
  /** Whether the endpoints of `default/kubernetes` are this server's to write: `--endpoint-reconciler-type`. */
  readonly writesEndpoints: boolean;
}

/** The reference's defaults. */
export const DEFAULT_SERVICE_RANGE = '10.0.0.0/24';
export const DEFAULT_NODE_PORTS: PortRange = { first: 30000, size: 2768 };

/** Networks, at most one of each family. Throws ConfigError for anything else. */
export function parseServiceRanges(text: string): readonly [IpRange, ...IpRange[]] {
  const cidrs = text === '' ? [DEFAULT_SERVICE_RANGE] : text.split(',').map((cidr) => cidr.trim());
  const ranges = cidrs.map((cidr) => {
    const range = IpRange.parse(cidr);
    if (range === undefined) throw new ConfigError(`--service-cluster-ip-range: "${cidr}" is no network for Services`);
    return range;
  });
  const families = new Set(ranges.map(({ family }) => family));
  const [first, ...more] = ranges;
  if (first === undefined || families.size < ranges.length)
    throw new ConfigError('--service-cluster-ip-range takes one network, or one of each family');
  return [first, ...more];
}

/** The network of a server that nobody described. */
export function defaultServiceNetwork(): ServiceNetwork {
  return { ranges: parseServiceRanges(''), nodePorts: DEFAULT_NODE_PORTS, self: () => undefined };
}
