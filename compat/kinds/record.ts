/**
 * The recorded answers of the reference about a kind, in files, so that a run needs no reference. Invariant: a request
 * is answered from the record only if it is identical; otherwise the run ends, and the record must be made again.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Answer, Client } from '../diff/client.ts';
import { PEERS } from '../peers/programs.ts';

/** In the folder of the reference programs. */
const FOLDER = join(PEERS, 'answers', 'kinds');

interface Kept {
  readonly url: string;
  readonly answers: [string, Answer[]][];
}

export interface Recorder {
  readonly client: Client;
  save(): void;
}

/** A client that records the answers until `save`. */
export function createRecorder(name: string, client: Client): Recorder {
  const answers = new Map<string, Answer[]>();
  return {
    client: {
      ...client,
      async send(step, variables) {
        const answer = await client.send(step, variables);
        const key = JSON.stringify(step);
        const kept = { status: answer.status, headers: pick(answer.headers), text: answer.text };
        answers.set(key, [...(answers.get(key) ?? []), kept]);
        return answer;
      },
    },
    save() {
      mkdirSync(FOLDER, { recursive: true });
      const kept: Kept = { url: client.peer.url, answers: [...answers] };
      writeFileSync(fileOf(name), gzipSync(JSON.stringify(kept)));
    },
  };
}

/** A client that answers from the record. `like` provides its credentials. Throws if there is no record. */
export function createReplayer(name: string, like: Client): Client {
  const file = fileOf(name);
  if (!existsSync(file)) throw new Error(`there is no record of ${name}; make one with --record`);
  const { url, answers: kept } = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as Kept;
  const answers = new Map(kept);
  return {
    peer: { ...like.peer, name: 'record', url },
    async send(step) {
      const known = answers.get(JSON.stringify(step));
      const answer = known !== undefined && known.length > 1 ? known.shift() : known?.[0];
      if (answer !== undefined) return answer;
      console.error(`the record of ${name} lacks ${step.method} ${step.path}; make a new one with --record`);
      process.exit(2);
    },
    close() {},
  };
}

function pick({ warning }: Readonly<Record<string, string>>): Record<string, string> {
  return warning === undefined ? {} : { warning };
}

function fileOf(name: string): string {
  return join(FOLDER, `${name.replaceAll('/', '-')}.json.gz`);
}
