/** Random access to the bytes of a file, or of a buffer in tests. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { allocateBytes } from '../../base/bytes.ts';
import { ConfigError, toError } from '../../base/errors.ts';
import { StorageError } from '../errors.ts';

export interface RandomAccess {
  /** A name for messages: the path of the file. */
  readonly name: string;
  readonly size: number;
  /**
   * Returns a copy of `length` bytes from `offset`. The caller checks the range against `size`. Throws
   * StorageError(Unavailable) if the bytes cannot be read.
   */
  read(offset: number, length: number): Uint8Array;
}

export interface OpenFile extends RandomAccess {
  close(): void;
}

/** Opens a file for reading. Throws ConfigError if it does not exist or is not a file. */
export function openFile(path: string): OpenFile {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (caught) {
    throw new ConfigError(`cannot open ${path}: ${toError(caught).message}`, { cause: caught });
  }
  const status = fstatSync(descriptor);
  if (!status.isFile()) {
    closeSync(descriptor);
    throw new ConfigError(`${path} is not a file`);
  }
  return {
    name: path,
    size: status.size,
    read: (offset, length) => {
      const bytes = allocateBytes(length);
      let done = 0;
      while (done < length) {
        const count = readAt(descriptor, bytes, done, offset + done, path);
        if (count === 0)
          throw new StorageError('Unavailable', `${path}: the file became shorter than ${offset + length} bytes`);
        done += count;
      }
      return bytes;
    },
    close: () => closeSync(descriptor),
  };
}

function readAt(descriptor: number, into: Uint8Array, at: number, offset: number, path: string): number {
  try {
    return readSync(descriptor, into, at, into.byteLength - at, offset);
  } catch (caught) {
    throw new StorageError('Unavailable', `${path}: cannot read at offset ${offset}: ${toError(caught).message}`, {
      cause: caught,
    });
  }
}

export function memoryAccess(name: string, bytes: Uint8Array): RandomAccess {
  return { name, size: bytes.byteLength, read: (offset, length) => bytes.slice(offset, offset + length) };
}
