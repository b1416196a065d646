/** CustomResourceDefinitions that are written through one server and served by both. */
import type { JsonObject } from '../../src/base/json-value.ts';
import { expectEqual } from '../../src/storage/suite-assert.ts';
import { expectStatus, mergePatch, must, nameOf, send, versionOf } from '../common/json-requests.ts';
import type { Client } from '../diff/client.ts';
import { DEFINITIONS, definition, version } from '../diff/topics/definition-bodies.ts';
import { readKeys } from './etcd-keys.ts';
import { API_SERVICES } from './objects.ts';
import { eventOf, hasCondition, type ServerCase, type Servers, watching } from './servers.ts';

const ROUNDS = 5;
const CREATORS = 8;

interface Names {
  readonly plural: string;
  readonly kind: string;
  readonly group: string;
}

function definitionOf({ plural, kind, group }: Names): JsonObject {
  const spec = { group, names: { kind, listKind: `${kind}List` } };
  return definition(plural, spec, { metadata: { name: `${plural}.${group}` } }) as JsonObject;
}

function instances({ plural, group }: Names, apiVersion = 'v1'): string {
  return `/apis/${group}/${apiVersion}/namespaces/default/${plural}`;
}

function instance({ kind, group }: Names, name: string): JsonObject {
  return { apiVersion: `${group}/v1`, kind, metadata: { name } };
}

/** The server that wrote a definition serves it at once; the other one when its watch shows it as established. */
async function served({ a, b }: Servers): Promise<void> {
  for (let i = 0; i < ROUNDS; i++) {
    const names = { plural: 'anchors', kind: 'Anchor', group: `served-${i}.example.com` };
    const object = definitionOf(names);
    await watching(b, DEFINITIONS, async (stream) => {
      await must(a, { method: 'POST', path: DEFINITIONS, body: object });
      await expectStatus(a, { method: 'GET', path: instances(names) }, 200);
      await stream.until('Established', hasCondition(nameOf(object), 'Established', 'True'));
    });
    await must(b, { method: 'POST', path: instances(names), body: instance(names, 'one') });
    await expectStatus(a, { method: 'GET', path: `${instances(names)}/one` }, 200);
    for (const client of [a, b]) {
      const { resources } = (await must(client, { method: 'GET', path: `/apis/${names.group}/v1` })) as {
        resources: JsonObject[];
      };
      expectEqual(
        resources.map((one) => one['name']),
        ['anchors'],
        'the resources in discovery',
      );
    }
    await watching(a, DEFINITIONS, async (stream) => {
      const versions = [version('v1'), version('v2', { storage: false })];
      const path = `${DEFINITIONS}/${nameOf(object)}`;
      const changed = await must(b, mergePatch(path, { spec: { versions: versions as JsonObject[] } }));
      await expectStatus(b, { method: 'GET', path: `${instances(names, 'v2')}/one` }, 200);
      await stream.until('v2', ({ object: seen }) => versionOf(seen) === versionOf(changed));
    });
    await expectStatus(a, { method: 'GET', path: `${instances(names, 'v2')}/one` }, 200);
  }
}

/** Both servers register the version of a definition. Neither removes the APIService of the other. */
async function registered({ a, b }: Servers): Promise<void> {
  await watching(a, API_SERVICES, async (stream) => {
    for (let i = 0; i < ROUNDS; i++) {
      const names = { plural: 'buoys', kind: 'Buoy', group: `registered-${i}.example.com` };
      const name = `v1.${names.group}`;
      const path = `${DEFINITIONS}/buoys.${names.group}`;
      await must(i % 2 === 0 ? a : b, { method: 'POST', path: DEFINITIONS, body: definitionOf(names) });
      await stream.until('Available', hasCondition(name, 'Available', 'True'));
      await must(i % 2 === 0 ? b : a, { method: 'DELETE', path });
      await stream.until('deletion', eventOf('DELETED', name));
      const types = stream.events.filter(({ object }) => nameOf(object) === name).map(({ type }) => type);
      expectEqual(
        types.filter((type) => type !== 'MODIFIED'),
        ['ADDED', 'DELETED'],
        'creations and deletions',
      );
    }
  });
}

/** Two definitions want the same kind. The second gets it when the first one is gone. */
async function conflictingNames({ a, b }: Servers): Promise<void> {
  const group = 'conflicts.example.com';
  const first = { plural: 'ropes', kind: 'Rope', group };
  const second = { plural: 'lines', kind: 'Rope', group };
  await watching(b, DEFINITIONS, async (stream) => {
    await must(a, { method: 'POST', path: DEFINITIONS, body: definitionOf(first) });
    await stream.until('Established', hasCondition('ropes.conflicts.example.com', 'Established', 'True'));
  });
  await watching(a, DEFINITIONS, async (stream) => {
    await must(b, { method: 'POST', path: DEFINITIONS, body: definitionOf(second) });
    await stream.until('refused names', hasCondition('lines.conflicts.example.com', 'NamesAccepted', 'False'));
  });
  for (const client of [a, b]) await expectStatus(client, { method: 'GET', path: instances(second) }, 404);
  await watching(b, DEFINITIONS, async (stream) => {
    await must(a, { method: 'DELETE', path: `${DEFINITIONS}/ropes.conflicts.example.com` });
    await stream.until('accepted names', hasCondition('lines.conflicts.example.com', 'Established', 'True'));
  });
  await expectStatus(b, { method: 'GET', path: instances(second) }, 200);
}

/**
 * Both servers create definitions with the same kind at the same time. Each server decides on what it has seen, as in
 * the reference, so both definitions may get the name. The other one gets it when the first is deleted.
 */
async function namesAtOnce({ a, b }: Servers): Promise<void> {
  for (let i = 0; i < ROUNDS; i++) {
    const group = `race-${i}.example.com`;
    const definitions = ['sheets', 'halyards'].map((plural) => definitionOf({ plural, kind: 'Cord', group }));
    const names = definitions.map(nameOf);
    await watching(a, DEFINITIONS, async (stream) => {
      await Promise.all(
        [a, b].map((client, at) => must(client, { method: 'POST', path: DEFINITIONS, body: definitions[at]! })),
      );
      const { object } = await stream.until('accepted names', (event) =>
        names.some((name) => hasCondition(name, 'Established', 'True')(event)),
      );
      const other = names.find((name) => name !== nameOf(object))!;
      await must(b, { method: 'DELETE', path: `${DEFINITIONS}/${nameOf(object)}` });
      await stream.until('other definition', hasCondition(other, 'Established', 'True'));
      await must(b, { method: 'DELETE', path: `${DEFINITIONS}/${other}` });
      await stream.until('deletion', eventOf('DELETED', other));
    });
  }
}

/** A definition is deleted while both servers create instances. No instance stays in etcd. */
async function deletedUnderLoad({ a, b, etcdUrl }: Servers): Promise<void> {
  for (let i = 0; i < ROUNDS; i++) {
    const names = { plural: 'waves', kind: 'Wave', group: `deleted-${i}.example.com` };
    const object = definitionOf(names);
    await watching(b, DEFINITIONS, async (stream) => {
      await must(a, { method: 'POST', path: DEFINITIONS, body: object });
      await stream.until('Established', hasCondition(nameOf(object), 'Established', 'True'));
    });
    let isGone = false;
    let created = 0;
    const create = async (client: Client, creator: number): Promise<void> => {
      for (let n = 0; !isGone; n++) {
        const body = instance(names, `${client.peer.name}-${creator}-${n}`);
        const { status } = await send(client, { method: 'POST', path: instances(names), body });
        if (status === 201) created++;
      }
    };
    const creators = [a, b].flatMap((client) =>
      Array.from({ length: CREATORS }, (_, creator) => create(client, creator)),
    );
    await watching(b, DEFINITIONS, async (stream) => {
      await must(a, { method: 'DELETE', path: `${DEFINITIONS}/${nameOf(object)}` });
      await stream.until('deletion', eventOf('DELETED', nameOf(object)));
    });
    isGone = true;
    await Promise.all(creators);
    for (const client of [a, b]) await expectStatus(client, { method: 'GET', path: instances(names) }, 404);
    const { keys } = await readKeys(etcdUrl, `/registry/${names.group}/`);
    if (keys.length > 0)
      throw new Error(`round ${i}: ${keys.length} of ${created} instances are left: ${keys[0]?.key}`);
  }
}

export const DEFINITION_CASES: readonly ServerCase[] = [
  ['both servers serve a definition and its changes', served],
  ['the version of a definition is registered once', registered],
  ['a name that a definition has is refused to another one', conflictingNames],
  ['a name that two servers give away at the same time is used in the end', namesAtOnce],
  ['a deleted definition leaves no instance', deletedUnderLoad],
];
