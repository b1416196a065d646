// usage: node scripts/prepare-openapi.mjs FOLDER DATA
//
// Writes the OpenAPI documents of the bundled server's built-in kinds to FOLDER/openapi-index.json and
// FOLDER/openapi-v2.json, so that they are not generated at every start. The server checks that they are current.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBundled } from './start-bundled.mjs';

const [folder, data] = process.argv.slice(2);
const tokens = join(data, 'tokens.csv');
const token = randomUUID();
writeFileSync(tokens, `${token},build,build,system:masters\n`, { mode: 0o600 });
const server = await startBundled(folder, [`--data-dir=${data}`, '--storage=memory', `--token-auth-file=${tokens}`]);
for (const [path, file] of [
  ['/openapi/v3', 'openapi-index.json'],
  ['/openapi/v2', 'openapi-v2.json'],
]) {
  const { status, text } = await server.ask(path, { authorization: `Bearer ${token}` });
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  writeFileSync(join(folder, file), text);
}
await server.stop();
