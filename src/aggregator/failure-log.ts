/** Logs failures to fetch the documents of a service. A failure that repeats is logged once, and so is the recovery. */
import type { LogFields, Logger } from '../base/logger.ts';
import type { RemoteVersion } from './remote-version.ts';

export class FailureLog {
  readonly #logger: Logger;
  readonly #documents: string;
  /** The message that was logged last; '' after a success. */
  #logged = '';

  /** `documents` names the documents in the log: `discovery`. */
  constructor(logger: Logger, documents: string) {
    this.#logger = logger;
    this.#documents = documents;
  }

  /** Called after each failed fetch. `versions` are the versions of the service. */
  failed(versions: readonly RemoteVersion[], { message }: Error): void {
    if (message === this.#logged) return;
    this.#logged = message;
    const fields = { ...fieldsOf(versions), message };
    this.#logger.warn(`the ${this.#documents} documents of a service cannot be read`, fields);
  }

  succeeded(versions: readonly RemoteVersion[]): void {
    if (this.#logged === '') return;
    this.#logged = '';
    this.#logger.info(`the ${this.#documents} documents of a service can be read again`, fieldsOf(versions));
  }
}

function fieldsOf([first]: readonly RemoteVersion[]): LogFields {
  if (first === undefined) return {};
  const { namespace, name, port } = first.service;
  return { service: `${namespace}/${name}:${port}`, apiService: first.name };
}
