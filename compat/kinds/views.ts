/** Views of bodies without values that depend on chance or the clock. Invariant: nothing else is dropped. */
import { isDict } from '../crds/schema.ts';
import type { Difference } from '../diff/compare.ts';
import type { Json } from '../diff/normalise.ts';

/** Addresses in the Service range that both servers are started with. */
const CLUSTER_IP = /\b10\.0\.0\.\d+(?![\d/])/g;
const NODE_PORT = /\b3[0-2]\d{3}\b/g;
const PORT_FIELDS = ['nodePort', 'healthCheckNodePort'];
const AGE = /^(?:\d+[smhdy])+$|\(\d+[smhdy]+ ago\)/;

/** Lists of a rules review, which the reference has in the order of its caches. */
const UNSORTED = ['resourceRules', 'nonResourceRules'];

/** Replaces allocated addresses and ports by placeholders, and sorts the rules of a rules review. */
export function withoutAllocations(value: Json | undefined, key = ''): Json {
  if (typeof value === 'string') return value.replace(CLUSTER_IP, '<cluster IP>');
  if (typeof value === 'number') return PORT_FIELDS.includes(key) && value >= 30_000 ? '<node port>' : value;
  if (Array.isArray(value)) return value.map((item) => withoutAllocations(item, key));
  if (!isDict(value)) return value ?? null;
  const isReview = 'incomplete' in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => {
      const plain = withoutAllocations(child, name);
      return [name, isReview && UNSORTED.includes(name) && Array.isArray(plain) ? plain.sort(byText) : plain];
    }),
  );
}

function byText(a: Json, b: Json): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

export function withoutAllocationsInText(text: string): string {
  return text.replace(CLUSTER_IP, '<cluster IP>').replace(NODE_PORT, '<node port>');
}

/** Replaces the ages in the cells of a table. */
export function withoutAges(table: Json | undefined): Json {
  const plain = withoutAllocations(table);
  if (!isDict(plain) || !Array.isArray(plain['rows'])) return plain;
  const rows = plain['rows'].map((row) => {
    if (!isDict(row) || !Array.isArray(row['cells'])) return row;
    const cells = row['cells'].map((cell) => {
      if (typeof cell !== 'string') return cell;
      return AGE.test(cell) ? '<age>' : cell.replace(NODE_PORT, '<node port>');
    });
    return { ...row, cells };
  });
  return { ...plain, rows };
}

/** Not compared in the order of fields: our server puts the revision first. */
const UNORDERED = ['managedFields', 'resourceVersion'];

/** Returns fields that both have, in another order. */
export function compareOrder(left: Json | undefined, right: Json | undefined): Difference[] {
  const differences: Difference[] = [];
  const visit = (a: Json | undefined, b: Json | undefined, path: string): void => {
    if (Array.isArray(a) && Array.isArray(b)) {
      a.forEach((item, i) => {
        visit(item, b[i], `${path}[${i}]`);
      });
    } else if (isDict(a) && isDict(b)) {
      const common = (one: object, other: object): string =>
        Object.keys(one)
          .filter((key) => key in other && !UNORDERED.includes(key))
          .join(' ');
      const [first, second] = [common(a, b), common(b, a)];
      if (first !== second) differences.push({ where: path, reference: first, candidate: second });
      for (const key of Object.keys(a)) if (key !== 'managedFields') visit(a[key], b[key], `${path}.${key}`);
    }
  };
  visit(left, right, 'order');
  return differences;
}
