/** A sequence of writes to one object. Invariant: each write has the revision that its server gave the object last. */
import type { Json } from '../diff/normalise.ts';
import { isDict, type JsonDict } from './schema.ts';
import type { Asked, Request } from './session.ts';
import type { Resource, Shrinking, SubjectRun } from './subject.ts';
import { parse } from './verdict.ts';

/** The writes to one object, with its last revision on each server. */
export class WriteSequence {
  readonly path: string;
  readonly #run: SubjectRun;
  readonly #resource: Resource;
  readonly #variables = [new Map<string, string>(), new Map<string, string>()];
  #stored: JsonDict | undefined;

  constructor(run: SubjectRun, resource: Resource, name: string) {
    this.#run = run;
    this.#resource = resource;
    this.path = `${resource.collection}/${name}`;
  }

  /** Returns true if the servers agree, so that the sequence can go on. */
  async write(title: string, request: Request, ofObject = true, shrinking?: Shrinking): Promise<boolean> {
    const asked = await this.#run.session.ask(request, this.#variables);
    const agreed = await this.#run.check(title, request, asked, shrinking);
    if (ofObject) this.#remember(asked);
    else await this.#read();
    return agreed;
  }

  put(title: string, path: string, query: string, object: JsonDict): Promise<boolean> {
    const metadata = object['metadata'];
    const body = isDict(metadata) ? { ...object, metadata: { ...metadata, resourceVersion: '{{rv}}' } } : object;
    const before = this.#stored;
    const shrinking: Shrinking = {
      schema: this.#resource.schema,
      ...(before === undefined ? {} : { before }),
      again: (smaller) => this.#again(before, path.endsWith('/status') ? '/status' : '', query, smaller),
    };
    return this.write(title, { method: 'PUT', path: `${path}?${query}`, body }, true, shrinking);
  }

  /** Sends the same put as a dry run on a new copy of the stored object. */
  async #again(before: JsonDict | undefined, suffix: string, query: string, object: JsonDict): Promise<Asked> {
    const { session } = this.#run;
    const path = `${this.#resource.collection}/shrink`;
    await session.ask({ method: 'DELETE', path });
    const made = await session.ask({
      method: 'POST',
      path: this.#resource.collection,
      body: withName({ ...this.#resource.head('shrink'), ...before }, 'shrink'),
    });
    const variables = made.answers.map(({ text }) => new Map([['rv', revisionOf(parse(text)) ?? '']]));
    const body = withName(object, 'shrink', { resourceVersion: '{{rv}}' });
    return session.ask({ method: 'PUT', path: `${path}${suffix}?dryRun=All&${query}`, body }, variables);
  }

  #remember(asked: Asked): void {
    for (const [i, { status, text }] of asked.answers.entries()) {
      if (status >= 300) continue;
      const body = parse(text);
      const revision = revisionOf(body);
      if (revision !== undefined) this.#variables[i]?.set('rv', revision);
      if (i === 0 && isDict(body)) {
        const { metadata: _metadata, ...rest } = body;
        this.#stored = rest;
      }
    }
  }

  async #read(): Promise<void> {
    this.#remember(await this.#run.session.ask({ method: 'GET', path: this.path }));
  }
}

export function withName(object: JsonDict, name: string, fields: JsonDict = {}): JsonDict {
  const metadata = isDict(object['metadata']) ? object['metadata'] : {};
  return { ...object, metadata: { ...metadata, name, ...fields } };
}

function revisionOf(body: Json | undefined): string | undefined {
  const metadata = isDict(body) ? body['metadata'] : undefined;
  const revision = isDict(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof revision === 'string' ? revision : undefined;
}
