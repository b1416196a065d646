/**
 * Compares the descriptions in OpenAPI with the reference's: ours must exist for every type and field, and must be our
 * own words.
 *
 * usage: npm run compat:descriptions -- [--save FILE | --against FILE]
 *   --save     writes the reference's document to a file and stops
 *   --against  reads the reference's document from a file and the descriptions from src, and starts no server
 * Fails on a type or field of our document without a description, and on eight consecutive words that the reference's
 * description of the same type or field has too.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { packages } from '../../src/kinds/facts/all.ts';
import { describedTypes } from '../../test/descriptions/described-types.ts';
import { createClient } from '../diff/client.ts';
import { onFreshPair } from '../peers/pair.ts';
import type { Peer } from '../peers/peer.ts';
import { type Definitions, describedNames, sharedWords } from './shared-words.ts';

const FLAGS = [
  '--runtime-config=api/all=true',
  '--feature-gates=ClusterTrustBundle=true,PodCertificateRequest=true,StorageVersionMigrator=true,GenericWorkload=true',
];

const { values } = parseArgs({ options: { save: { type: 'string' }, against: { type: 'string' } } });

async function definitionsOf(peer: Peer): Promise<Definitions> {
  const client = createClient(peer, 60_000);
  try {
    const { status, text } = await client.send({ method: 'GET', path: '/openapi/v2' }, new Map());
    if (status !== 200) throw new Error(`${peer.name}: /openapi/v2 answers ${status}`);
    return (JSON.parse(text) as { definitions: Definitions }).definitions;
  } finally {
    client.close();
  }
}

/** Our descriptions as the text files have them. */
function writtenDefinitions(): Definitions {
  const definitions: Record<string, { description?: string; properties: Record<string, { description?: string }> }> =
    {};
  for (const { id, modelPrefix } of packages) {
    for (const { type, field, text } of describedTypes(id)) {
      const described = text === undefined ? {} : { description: text };
      if (field === undefined) definitions[modelPrefix + type] = { ...described, properties: {} };
      else Object.assign(definitions[modelPrefix + type]?.properties ?? {}, { [field.name]: described });
    }
  }
  return definitions;
}

function judge(ours: Definitions, reference: Definitions): void {
  const { described, missing } = describedNames(ours);
  const shared = sharedWords(ours, reference);
  for (const name of missing) console.log(`no description: ${name}`);
  for (const { name, words } of shared) console.log(`the reference's words: ${name}: ${words}`);
  console.log(`descriptions: ${described} of ${described + missing.length}; ${shared.length} share eight words`);
  if (missing.length > 0 || shared.length > 0) process.exitCode = 1;
}

if (values.against === undefined) {
  await onFreshPair('keelson', FLAGS, async ({ candidate, reference }) => {
    const theirs = await definitionsOf(reference);
    if (values.save === undefined) judge(await definitionsOf(candidate), theirs);
    else writeFileSync(values.save, JSON.stringify(theirs));
  });
} else judge(writtenDefinitions(), JSON.parse(readFileSync(values.against, 'utf8')) as Definitions);
