/** A server of Leases as a transport: get, create, update and delete, with resourceVersions. Nothing else. */
import type { Transport, TransportRequest, TransportResponse } from '../apimachinery/http/transport.ts';
import { json } from './scripted-transport.fixtures.ts';

export interface LeaseObject {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly spec: Readonly<Record<string, string | number>>;
}

export class LeaseServer {
  readonly leases: Map<string, LeaseObject> = new Map();
  readonly requests: string[] = [];
  #revision = 0;

  /** Handles a request at once. */
  readonly transport: Transport = async (request) => this.handle(request);

  handle(request: TransportRequest): TransportResponse {
    const { method, target } = request;
    const name = /\/leases\/([^/?]+)/.exec(target)?.[1] ?? '';
    this.requests.push(`${method} ${name}`.trim());
    const body =
      request.body === undefined ? undefined : (JSON.parse(new TextDecoder().decode(request.body)) as LeaseObject);
    if (method === 'POST' && body !== undefined) return this.#create(body);
    const present = this.leases.get(name);
    if (present === undefined) return refusal(404, 'NotFound');
    if (method === 'GET') return json(present);
    if (method === 'PUT' && body !== undefined)
      return body.metadata.resourceVersion === present.metadata.resourceVersion
        ? this.#store({ ...present.metadata, ...body.metadata }, body.spec)
        : refusal(409, 'Conflict');
    return refusal(405, 'MethodNotAllowed');
  }

  /** Changes a Lease as another program would. */
  edit(name: string, change: (spec: LeaseObject['spec']) => LeaseObject['spec']): void {
    const { metadata, spec } = this.leases.get(name) as LeaseObject;
    this.#store(metadata, change(spec));
  }

  delete(name: string): void {
    this.leases.delete(name);
  }

  #create(body: LeaseObject): TransportResponse {
    if (this.leases.has(body.metadata.name)) return refusal(409, 'AlreadyExists');
    return this.#store({ ...body.metadata, uid: `uid-${this.#revision}` }, body.spec, 201);
  }

  #store(metadata: LeaseObject['metadata'], spec: LeaseObject['spec'], status = 200): TransportResponse {
    const stored: LeaseObject = { metadata: { ...metadata, resourceVersion: `${++this.#revision}` }, spec };
    this.leases.set(metadata.name, stored);
    return json(stored, status);
  }
}

function refusal(code: number, reason: string): TransportResponse {
  return json({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, message: reason }, code);
}
