/**
 * The allocator of a Service's IP families, cluster IPs and node ports.
 * Invariant: an allocation is either committed, after the Service is stored, or reverted. Addresses that an update
 * removes from a Service are released only after the write.
 */
import { numberAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../../apimachinery/status/status.ts';
import { internalError, invalid as invalidObject, unknown } from '../../../../apimachinery/status/status-catalogue.ts';
import { type FieldIssue, invalid } from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { ClusterIpAllocator, type IpAnswer, type ServiceName } from '../../../allocators/cluster-ip-allocator.ts';
import { NodePortAllocator, type NodePortOperation } from '../../../allocators/node-port-allocator.ts';
import type { PortRange } from '../../../allocators/port-range.ts';
import type { KubeContext } from '../../../kube-context.ts';
import type { IpFamily } from '../../../shared/ip.ts';
import { type ClusterFamilies, isUnchangedPreferDualStack, resolveIpFamilies } from './ip-families.ts';
import {
  clusterIps,
  HEADLESS,
  ipFamilies,
  mayHaveNodePorts,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePorts,
  nodePorts,
} from './service-fields.ts';

const CLUSTER_IPS = FieldPath.of('spec', 'clusterIPs');
const PORTS = FieldPath.of('spec', 'ports');

/** The allocation for one write. The caller calls exactly one of the methods. */
export interface Allocation {
  /** Called after the Service is stored. Releases the addresses that it no longer has. */
  commit(): Promise<void>;
  /** Called if the Service is not stored. Releases the addresses and ports that were allocated. */
  revert(): Promise<void>;
}

/** The state of one allocation. */
interface Work {
  readonly service: ServiceName;
  readonly spec: JsonObject;
  readonly old: JsonObject | undefined;
  readonly dryRun: boolean;
  /** The addresses that were allocated. */
  readonly allocated: string[];
  /** The addresses to release after the write. */
  readonly released: string[];
}

export class ServiceAllocator {
  readonly #families: ClusterFamilies;
  readonly #ips: ClusterIpAllocator;
  readonly #ports: NodePortAllocator;

  constructor(kube: KubeContext, families: ClusterFamilies, range: PortRange) {
    this.#families = families;
    this.#ips = new ClusterIpAllocator(kube, addressesOf);
    this.#ports = new NodePortAllocator(kube, range, portsOf);
  }

  get primaryFamily(): IpFamily {
    return this.#families[0];
  }

  /**
   * Sets families, addresses and ports in `spec`. `old` is the stored spec with all defaults. Throws StatusError if a
   * value cannot be allocated; everything is released then.
   */
  async allocate(
    service: ServiceName,
    spec: JsonObject,
    old: JsonObject | undefined,
    dryRun: boolean,
  ): Promise<Allocation> {
    const work: Work = { service, spec, old, dryRun, allocated: [], released: [] };
    const issues = resolveIpFamilies(spec, old, this.#families);
    if (issues.length > 0) throw refused(service, issues);
    let ports: NodePortOperation | undefined;
    try {
      await this.#allocateIps(work);
      if (old === undefined ? mayHaveNodePorts(spec) : mayHaveNodePorts(spec) || mayHaveNodePorts(old)) {
        ports = await this.#ports.start(dryRun);
        if (mayHaveNodePorts(spec))
          if (old === undefined) await allocateNodePorts(work, ports);
          else await updateNodePorts(work, old, ports);
        if (needsHealthCheckPort(spec) && (old === undefined || !needsHealthCheckPort(old)))
          await allocateHealthPort(spec, ports);
      }
    } catch (error) {
      await ports?.revert();
      await this.#ips.release(work.allocated, service);
      throw error;
    }
    return {
      commit: async () => {
        await ports?.commit();
        if (old !== undefined && !dryRun) await this.#ports.release(removedPorts(old, spec));
        await this.#ips.release(work.released, service);
      },
      revert: async () => {
        await ports?.revert();
        await this.#ips.release(work.allocated, service);
      },
    };
  }

  /**
   * Releases the addresses and node ports of a deleted Service, except those that the `next` Service of the same name
   * has.
   */
  async release(service: ServiceName, spec: JsonObject, next: JsonObject): Promise<void> {
    await this.#ports.release(removedPorts(spec, next));
    if (!needsClusterIp(spec) || clusterIps(spec)[0] === HEADLESS) return;
    const kept = clusterIps(next);
    await this.#ips.release(
      clusterIps(spec).filter((ip) => !kept.includes(ip)),
      service,
    );
  }

  async #allocateIps(work: Work): Promise<void> {
    const { spec, old } = work;
    if (old === undefined) return this.#allocateFrom(work, 0);
    if (isUnchangedPreferDualStack(spec, old)) return;
    if (!needsClusterIp(old)) return needsClusterIp(spec) ? this.#allocateFrom(work, 0) : undefined;
    if (clusterIps(old)[0] === HEADLESS) return;
    const release = (from: number): unknown => work.dryRun || work.released.push(...clusterIps(old).slice(from));
    if (!needsClusterIp(spec)) release(0);
    else if (ipFamilies(old).length === 1 && ipFamilies(spec).length === 2) await this.#allocateFrom(work, 1);
    else if (ipFamilies(old).length === 2 && ipFamilies(spec).length === 1) release(1);
  }

  /** Allocates an address for each family from index `from` on. */
  async #allocateFrom(work: Work, from: number): Promise<void> {
    const { spec, service } = work;
    if (!needsClusterIp(spec) || clusterIps(spec)[0] === HEADLESS) return;
    const families = ipFamilies(spec);
    const ips = families.map((_family, i) => clusterIps(spec)[i] ?? '');
    for (const [i, family] of families.entries()) {
      if (i < from) continue;
      const wanted = ips[i] as string;
      const answer = await this.#allocateIp(work, wanted, family as IpFamily);
      if (answer.outcome === 'full') {
        const because = `failed to allocate a serviceIP for Service "${service.name}": range is full`;
        throw new StatusError(internalError(because));
      }
      if (answer.outcome === 'problem') {
        const what = wanted === '' ? 'IP' : `IP ${wanted}`;
        throw refused(service, [invalid(CLUSTER_IPS, ips, `failed to allocate ${what}: ${answer.problem}`)]);
      }
      if (!work.dryRun) work.allocated.push(answer.ip);
      ips[i] = answer.ip;
    }
    if (ips.length === 0) return;
    spec['clusterIP'] = ips[0] as string;
    spec['clusterIPs'] = ips;
  }

  #allocateIp({ service, dryRun }: Work, ip: string, family: IpFamily): Promise<IpAnswer> {
    if (dryRun) return this.#ips.dryRun(ip, family);
    return ip === '' ? this.#ips.allocateNext(family, service) : this.#ips.allocate(ip, family, service);
  }
}

/** Ports with the same number but different protocols share a node port. */
async function allocateNodePorts({ service, spec }: Work, operation: NodePortOperation): Promise<void> {
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
      if (wanted !== 0) await allocatePort(service, operation, wanted, i);
      const nodePort = wanted === 0 ? await nextPort(operation) : wanted;
      port['nodePort'] = nodePort;
      byNumber.set(number, nodePort);
    } else if (own === 0) port['nodePort'] = known;
    else if (own !== known) await allocatePort(service, operation, own, i);
  }
}

/** Returns the first node port that the spec requests for each port number. */
function requestedPorts(ports: readonly JsonObject[]): ReadonlyMap<number, number> {
  const requested = new Map<number, number>();
  for (const port of ports) {
    const [number, nodePort] = [Number(numberAt(port, 'port')), Number(numberAt(port, 'nodePort'))];
    if (nodePort !== 0 && !requested.has(number)) requested.set(number, nodePort);
  }
  return requested;
}

async function updateNodePorts({ service, spec }: Work, old: JsonObject, operation: NodePortOperation): Promise<void> {
  const present = new Set(nodePorts(old));
  const seen = new Set<string>();
  const allocated = new Set<number>();
  for (const [i, port] of objectsAt(spec, 'ports').entries()) {
    let nodePort = Number(numberAt(port, 'nodePort'));
    if (nodePort === 0) {
      if (!needsNodePorts(spec)) continue;
      nodePort = await nextPort(operation);
      port['nodePort'] = nodePort;
    } else if (!present.has(nodePort) && !allocated.has(nodePort)) {
      await allocatePort(service, operation, nodePort, i);
      allocated.add(nodePort);
    }
    const protocol = textAt(port, 'protocol');
    const key = `${protocol} ${nodePort}`;
    if (seen.has(key)) throw new StatusError(unknown(`duplicate nodePort: {${key}}`));
    seen.add(key);
  }
}

async function allocatePort(
  service: ServiceName,
  operation: NodePortOperation,
  port: number,
  index: number,
): Promise<void> {
  const problem = await operation.allocate(port);
  if (problem !== undefined) throw refused(service, [invalid(PORTS.index(index).child('nodePort'), port, problem)]);
}

async function nextPort(operation: NodePortOperation): Promise<number> {
  const port = await operation.allocateNext();
  if (port === undefined) throw new StatusError(internalError('failed to allocate a nodePort: range is full'));
  return port;
}

async function allocateHealthPort(spec: JsonObject, operation: NodePortOperation): Promise<void> {
  const wanted = Number(numberAt(spec, 'healthCheckNodePort'));
  if (wanted !== 0) {
    const problem = await operation.allocate(wanted);
    if (problem === undefined) return;
    const because = `failed to allocate requested HealthCheck NodePort ${wanted}: ${problem}`;
    throw new StatusError(internalError(because));
  }
  const port = await operation.allocateNext();
  if (port === undefined)
    throw new StatusError(internalError('failed to allocate a HealthCheck NodePort 0: range is full'));
  spec['healthCheckNodePort'] = port;
}

function addressesOf(service: JsonObject): readonly string[] {
  return clusterIps(objectAt(service, 'spec') ?? {}).filter((ip) => ip !== HEADLESS);
}

function portsOf(service: JsonObject): readonly number[] {
  return portsOfSpec(objectAt(service, 'spec') ?? {});
}

/** Returns the node ports of the old spec that the new one does not have. */
function removedPorts(old: JsonObject, next: JsonObject): readonly number[] {
  const kept = new Set(portsOfSpec(next));
  return portsOfSpec(old).filter((port) => !kept.has(port));
}

function portsOfSpec(spec: JsonObject): readonly number[] {
  const health = needsHealthCheckPort(spec) ? Number(numberAt(spec, 'healthCheckNodePort')) : 0;
  return health === 0 ? nodePorts(spec) : [...nodePorts(spec), health];
}

function refused({ name }: ServiceName, issues: readonly FieldIssue[]): StatusError {
  return new StatusError(invalidObject({ group: '', kind: 'Service' }, name, issues));
}
