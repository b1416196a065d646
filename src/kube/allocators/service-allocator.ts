/**
 * What a Service gets when it is written: families, cluster IPs, node ports. Invariant: an allocation is either committed, after the Service is stored, or reverted; what the
 * stored Service no longer has is given back only after the write.
 */
import { numberAt, objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { internalError, invalid as invalidObject, unknown } from '../../apimachinery/status/status-catalogue.ts';
import { type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../base/json-value.ts';
import {
  type ClusterFamilies,
  isUnchangedPreferDualStack,
  resolveIpFamilies,
} from '../groups/core/service/ip-families.ts';
import {
  clusterIps,
  HEADLESS,
  ipFamilies,
  mayHaveNodePorts,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePorts,
  nodePorts,
} from '../groups/core/service/service-fields.ts';
import type { KubeContext } from '../kube-context.ts';
import type { IpFamily } from '../shared/ip.ts';
import { ClusterIps, type ServiceName } from './cluster-ip-allocator.ts';
import { type NodePortClaim, NodePorts } from './node-port-allocator.ts';
import type { PortRange } from './port-range.ts';

const CLUSTER_IPS = FieldPath.of('spec', 'clusterIPs');
const PORTS = FieldPath.of('spec', 'ports');

export interface Allocation {
  commit(): Promise<void>;
  revert(): Promise<void>;
}

/** The spec of a Service being written, and what of its addresses was taken and is to be given back. */
interface Work {
  readonly service: ServiceName;
  readonly spec: JsonObject;
  readonly old: JsonObject | undefined;
  readonly dryRun: boolean;
  readonly taken: string[];
  readonly released: string[];
}

export class ServiceAllocator {
  readonly #families: ClusterFamilies;
  readonly #ips: ClusterIps;
  readonly #ports: NodePorts;

  constructor(world: KubeContext, families: ClusterFamilies, range: PortRange) {
    this.#families = families;
    this.#ips = new ClusterIps(world);
    this.#ports = new NodePorts(world, range);
  }

  get primaryFamily(): IpFamily {
    return this.#families[0];
  }

  /** Fills in the spec; `old` is the stored one, complete. Throws what the client is to be told, with everything given back. */
  async allocate(
    service: ServiceName,
    spec: JsonObject,
    old: JsonObject | undefined,
    dryRun: boolean,
  ): Promise<Allocation> {
    const work: Work = { service, spec, old, dryRun, taken: [], released: [] };
    const issues = resolveIpFamilies(spec, old, this.#families);
    if (issues.length > 0) throw refused(service, issues);
    let claim: NodePortClaim | undefined;
    try {
      await this.#allocateIps(work);
      if (old === undefined ? mayHaveNodePorts(spec) : mayHaveNodePorts(spec) || mayHaveNodePorts(old)) {
        claim = await this.#ports.claim(dryRun);
        if (mayHaveNodePorts(spec))
          if (old === undefined) takeNodePorts(work, claim);
          else changeNodePorts(work, old, claim);
        if (needsHealthCheckPort(spec) && (old === undefined || !needsHealthCheckPort(old)))
          takeHealthPort(spec, claim);
      }
    } catch (error) {
      claim?.revert();
      await this.#ips.release(work.taken, service);
      throw error;
    }
    return {
      commit: async () => {
        await claim?.commit();
        await this.#ips.release(work.released, service);
      },
      revert: async () => {
        claim?.revert();
        await this.#ips.release(work.taken, service);
      },
    };
  }

  /** The addresses of a Service that is gone, but not those that the `next` Service of its name has. Its ports are free with it. */
  async release(service: ServiceName, spec: JsonObject, next: JsonObject): Promise<void> {
    if (!needsClusterIp(spec) || clusterIps(spec)[0] === HEADLESS) return;
    const kept = clusterIps(next);
    await this.#ips.release(
      clusterIps(spec).filter((ip) => !kept.includes(ip)),
      service,
    );
  }

  async #allocateIps(work: Work): Promise<void> {
    const { spec, old } = work;
    if (old === undefined) return this.#takeIps(work, 0);
    if (isUnchangedPreferDualStack(spec, old)) return;
    if (!needsClusterIp(old)) return needsClusterIp(spec) ? this.#takeIps(work, 0) : undefined;
    if (clusterIps(old)[0] === HEADLESS) return;
    const release = (from: number): unknown => work.dryRun || work.released.push(...clusterIps(old).slice(from));
    if (!needsClusterIp(spec)) release(0);
    else if (ipFamilies(old).length === 1 && ipFamilies(spec).length === 2) await this.#takeIps(work, 1);
    else if (ipFamilies(old).length === 2 && ipFamilies(spec).length === 1) release(1);
  }

  /** From the family at `from` on. */
  async #takeIps(work: Work, from: number): Promise<void> {
    const { spec, service } = work;
    if (!needsClusterIp(spec) || clusterIps(spec)[0] === HEADLESS) return;
    const families = ipFamilies(spec);
    const ips = families.map((_family, i) => clusterIps(spec)[i] ?? '');
    for (const [i, family] of families.entries()) {
      if (i < from) continue;
      const wanted = ips[i] as string;
      const answer = await this.#takeIp(work, wanted, family as IpFamily);
      if (answer.outcome === 'full') {
        const because = `failed to allocate a serviceIP for Service "${service.name}": range is full`;
        throw new StatusError(internalError(because));
      }
      if (answer.outcome === 'problem') {
        const what = wanted === '' ? 'IP' : `IP ${wanted}`;
        throw refused(service, [invalid(CLUSTER_IPS, ips, `failed to allocate ${what}: ${answer.problem}`)]);
      }
      if (!work.dryRun) work.taken.push(answer.ip);
      ips[i] = answer.ip;
    }
    if (ips.length === 0) return;
    spec['clusterIP'] = ips[0] as string;
    spec['clusterIPs'] = ips;
  }

  #takeIp({ service, dryRun }: Work, ip: string, family: IpFamily) {
    if (dryRun) return this.#ips.pretend(ip, family);
    return ip === '' ? this.#ips.takeAny(family, service) : this.#ips.take(ip, family, service);
  }
}

/** Ports of one number (TCP and UDP) share a node port. */
function takeNodePorts({ service, spec }: Work, claim: NodePortClaim): void {
  const ports = objectsAt(spec, 'ports');
  const byNumber = new Map<number, number>();
  const requested = requestedPorts(ports);
  for (const [i, port] of ports.entries()) {
    const own = Number(numberAt(port, 'nodePort'));
    if (own === 0 && !needsNodePorts(spec)) continue;
    const number = Number(numberAt(port, 'port'));
    const known = byNumber.get(number);
    if (known === undefined) {
      const wanted = requested.get(number) ?? 0;
      if (wanted !== 0) takePort(service, claim, wanted, i);
      const nodePort = wanted === 0 ? anyPort(claim) : wanted;
      port['nodePort'] = nodePort;
      byNumber.set(number, nodePort);
    } else if (own === 0) port['nodePort'] = known;
    else if (own !== known) takePort(service, claim, own, i);
  }
}

/** By number of the port: the first node port that somebody chose for it. */
function requestedPorts(ports: readonly JsonObject[]): ReadonlyMap<number, number> {
  const requested = new Map<number, number>();
  for (const port of ports) {
    const [number, nodePort] = [Number(numberAt(port, 'port')), Number(numberAt(port, 'nodePort'))];
    if (nodePort !== 0 && !requested.has(number)) requested.set(number, nodePort);
  }
  return requested;
}

function changeNodePorts({ service, spec }: Work, old: JsonObject, claim: NodePortClaim): void {
  const had = new Set(nodePorts(old));
  const seen = new Set<string>();
  const taken = new Set<number>();
  for (const [i, port] of objectsAt(spec, 'ports').entries()) {
    let nodePort = Number(numberAt(port, 'nodePort'));
    if (nodePort === 0) {
      if (!needsNodePorts(spec)) continue;
      nodePort = anyPort(claim);
      port['nodePort'] = nodePort;
    } else if (!had.has(nodePort) && !taken.has(nodePort)) {
      takePort(service, claim, nodePort, i);
      taken.add(nodePort);
    }
    const protocol = textAt(port, 'protocol');
    const key = `${protocol} ${nodePort}`;
    if (seen.has(key)) throw new StatusError(unknown(`duplicate nodePort: {${key}}`));
    seen.add(key);
  }
}

function takePort(service: ServiceName, claim: NodePortClaim, port: number, index: number): void {
  const problem = claim.take(port);
  if (problem !== undefined) throw refused(service, [invalid(PORTS.index(index).child('nodePort'), port, problem)]);
}

function anyPort(claim: NodePortClaim): number {
  const port = claim.takeAny();
  if (port === undefined) throw new StatusError(internalError('failed to allocate a nodePort: range is full'));
  return port;
}

function takeHealthPort(spec: JsonObject, claim: NodePortClaim): void {
  const wanted = Number(numberAt(spec, 'healthCheckNodePort'));
  if (wanted !== 0) {
    const problem = claim.take(wanted);
    if (problem === undefined) return;
    const because = `failed to allocate requested HealthCheck NodePort ${wanted}: ${problem}`;
    throw new StatusError(internalError(because));
  }
  const port = claim.takeAny();
  if (port === undefined)
    throw new StatusError(internalError('failed to allocate a HealthCheck NodePort 0: range is full'));
  spec['healthCheckNodePort'] = port;
}

function refused({ name }: ServiceName, issues: readonly FieldIssue[]): StatusError {
  return new StatusError(invalidObject({ group: '', kind: 'Service' }, name, issues));
}
