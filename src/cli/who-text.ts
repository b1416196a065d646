/** The text output of `keelson who`: a tree of fields on the left, their owners on the right. */

import type { FieldOwner, OwnerNode, OwnerTree } from '../apimachinery/managed-fields/owner-tree.ts';
import { textAt } from '../apimachinery/meta/object-fields.ts';
import { count } from '../base/count.ts';
import type { JsonObject, JsonValue } from '../base/json-value.ts';
import { writeJson } from '../base/json-write.ts';
import { type Colour, paint } from '../node/log/colour.ts';
import { fieldsOf, objectName } from './who-json.ts';

export interface TreeTextOptions {
  readonly colours: boolean;
}

/** The colours of owners, assigned in turn. */
const OWNER_COLOURS: readonly Colour[] = ['cyan', 'green', 'magenta', 'yellow', 'blue'];
/** The largest width of the left column. A longer line pushes its owners to the right. */
const MAX_LEFT = 64;
const MAX_VALUE = 48;
/** Strings that are shown without quotes, because a reader cannot take them for a number, a boolean or null. */
const PLAIN_TEXT = /^(?!(?:true|false|null)$)[A-Za-z_/][\w./:@-]*$/;

export function treeLines(object: JsonObject, tree: OwnerTree, { colours }: TreeTextOptions): readonly string[] {
  const painter = new OwnerPainter(tree.owners, colours);
  const rows: Row[] = [];
  for (const child of tree.root.children) addRows(child, '', '', rows);
  const width = Math.min(MAX_LEFT, Math.max(0, ...rows.map(({ left }) => left.length)));
  return [
    painter.strong(`${objectName(object)} (${textAt(object, 'apiVersion')})`),
    '',
    ...managerLines(tree, painter),
    '',
    ...rows.map(({ left, node }) => rowText(left, node, width, painter)),
    '',
    ...summary(fieldsOf(tree.root)),
  ];
}

interface Row {
  readonly left: string;
  readonly node: OwnerNode;
}

/** `indent` precedes the lines of the children, `branch` the line of the node itself. */
function addRows(node: OwnerNode, branch: string, indent: string, rows: Row[]): void {
  rows.push({ left: `${branch}${label(node)}`, node });
  node.children.forEach((child, i) => {
    const isLast = i === node.children.length - 1;
    addRows(child, `${indent}${isLast ? '└─ ' : '├─ '}`, `${indent}${isLast ? '   ' : '│  '}`, rows);
  });
}

function label({ step, value, children }: OwnerNode): string {
  const name = step.startsWith('.') ? step.slice(1) : step;
  if (children.length > 0) return name;
  return value === undefined ? `${name} (not in the object)` : `${name}: ${valueText(value)}`;
}

function valueText(value: JsonValue): string {
  const text = typeof value === 'string' && PLAIN_TEXT.test(value) ? value : writeJson(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text;
}

function rowText(left: string, { owners, children }: OwnerNode, width: number, painter: OwnerPainter): string {
  if (owners.length === 0 && children.length > 0) return left;
  const names = owners.map((owner) => painter.name(owner)).join(', ');
  const right =
    owners.length === 0
      ? painter.weak('no owner')
      : owners.length === 1
        ? names
        : `${names} ${painter.strong(`(${owners.length} owners)`)}`;
  return `${left.padEnd(width)}  ${right}`;
}

function managerLines({ owners, root }: OwnerTree, painter: OwnerPainter): readonly string[] {
  const fields = fieldsOf(root);
  const table = owners.map((owner) => [
    ownerText(owner),
    owner.apiVersion,
    count(fields.filter((node) => node.owners.includes(owner)).length, 'field'),
    owner.time,
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...table.map((row) => (row[column] as string).length)));
  return table.map((row, i) => {
    const [name, ...rest] = row.map((text, column) => text.padEnd(widths[column] ?? 0)) as [string, ...string[]];
    return `  ${painter.paint(owners[i] as FieldOwner, name)}  ${rest.join('  ')}`.trimEnd();
  });
}

function summary(fields: readonly OwnerNode[]): readonly string[] {
  const shared = fields.filter(({ owners }) => owners.length > 1).length;
  const free = fields.filter(({ owners }) => owners.length === 0).length;
  const lines: string[] = [];
  if (shared > 0)
    lines.push(
      `${count(shared, 'field')} with several owners: a manager that applies another value gets a conflict with the others.`,
    );
  if (free > 0)
    lines.push(`${count(free, 'field')} without an owner: any manager can apply a value without a conflict.`);
  return lines.length === 0 ? ['Every field has one owner.'] : lines;
}

function ownerText({ manager, operation, subresource }: FieldOwner): string {
  return [manager === '' ? '(no name)' : manager, operation, subresource].filter((text) => text !== '').join(' ');
}

class OwnerPainter {
  readonly #owners: readonly FieldOwner[];
  readonly #colours: boolean;

  constructor(owners: readonly FieldOwner[], colours: boolean) {
    this.#owners = owners;
    this.#colours = colours;
  }

  name(owner: FieldOwner): string {
    return this.paint(owner, ownerText(owner));
  }

  paint(owner: FieldOwner, text: string): string {
    const colour = OWNER_COLOURS[this.#owners.indexOf(owner) % OWNER_COLOURS.length];
    return this.#colours && colour !== undefined ? paint(colour, text) : text;
  }

  strong(text: string): string {
    return this.#colours ? paint('bold', text) : text;
  }

  weak(text: string): string {
    return this.#colours ? paint('grey', text) : text;
  }
}
