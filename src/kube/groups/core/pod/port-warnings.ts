/** Warnings about container ports that overlap or have the same name. */
import { quote } from '../../../../apimachinery/go-format.ts';
import { numberAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { visitContainers } from './spec/pod-containers.ts';

interface PlacedPort {
  readonly path: FieldPath;
  readonly port: JsonObject;
}

export function containerPortWarnings(spec: JsonObject, path: FieldPath): readonly string[] {
  const placed: PlacedPort[] = [];
  visitContainers(spec, path, (container, at) => {
    objectsAt(container, 'ports').forEach((port, i) => {
      placed.push({ path: at().child('ports').index(i), port });
    });
  });
  return placed.length === 0 ? [] : [...overlaps(placed), ...sameNames(placed)];
}

/** Each port is compared with all earlier ones of its number. Bounds the number of pairs. */
const MAX_PAIRS = 500_000;
const MAX_OVERLAPS = 1000;

function overlaps(placed: readonly PlacedPort[]): readonly string[] {
  const warnings: string[] = [];
  let pairs = 0;
  const byNumber = new Map<string, PlacedPort[]>();
  for (const one of placed) {
    const { port, path } = one;
    if (textAt(port, 'hostIP') !== '' && Number(numberAt(port, 'hostPort')) === 0)
      warnings.push(`${path}: hostIP set without hostPort: ${goPort(port)}`);
    const key = `${numberAt(port, 'containerPort')}/${textAt(port, 'protocol')}`;
    const others = byNumber.get(key);
    for (const other of others ?? []) {
      if (++pairs > MAX_PAIRS || warnings.length >= MAX_OVERLAPS) return warnings;
      const relation = relationOf(port, other.port);
      if (relation !== '') warnings.push(`${path}: ${relation} port definition with ${other.path}`);
    }
    if (others === undefined) byNumber.set(key, [one]);
    else others.push(one);
  }
  return warnings;
}

function relationOf(a: JsonObject, b: JsonObject): string {
  const [ipA, ipB] = [textAt(a, 'hostIP'), textAt(b, 'hostIP')];
  const [portA, portB] = [Number(numberAt(a, 'hostPort')), Number(numberAt(b, 'hostPort'))];
  if (ipA === ipB && portA === portB) return 'duplicate';
  if (portA === 0 || portB === 0) return 'overlapping';
  return portA === portB && (ipA === '') !== (ipB === '') ? 'dangerously ambiguous' : '';
}

/** The port as Go prints the struct. */
function goPort(port: JsonObject): string {
  const [name, protocol, ip] = [textAt(port, 'name'), textAt(port, 'protocol'), textAt(port, 'hostIP')];
  const numbers = `HostPort:${numberAt(port, 'hostPort')} ContainerPort:${numberAt(port, 'containerPort')}`;
  return `{Name:${name} ${numbers} Protocol:${protocol} HostIP:${ip}}`;
}

function sameNames(placed: readonly PlacedPort[]): readonly string[] {
  const warnings: string[] = [];
  const byName = new Map<string, FieldPath>();
  for (const { port, path } of placed) {
    const name = textAt(port, 'name');
    if (name === '') continue;
    const other = byName.get(name);
    if (other === undefined) byName.set(name, path);
    else
      warnings.push(
        `${path}: duplicate port name ${quote(name)} with ${other}, services and probes that select ports by name will use ${other}`,
      );
  }
  return warnings;
}
