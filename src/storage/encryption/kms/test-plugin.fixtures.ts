/**
 * A KMS v2 plugin for tests, in this process or as a gRPC server on a Unix socket. Keys are derived from their ids, so
 * the plugin can decrypt with any key id.
 */
import { createHash } from 'node:crypto';
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { concatBytes, encodeUtf8 } from '../../../base/bytes.ts';
import { toError } from '../../../base/errors.ts';
import { GRPC, GrpcError, isGrpcError } from '../../../base/grpc.ts';
import { readBytes, readFields, readText } from '../../wire/field-reader.ts';
import { grpcFrame, writeBytes, writeText } from '../../wire/field-writer.ts';
import { aesgcm, type Cipher } from '../cipher-provider.ts';
import {
  type Annotations,
  ENCRYPT,
  type KmsEncrypted,
  type KmsService,
  type KmsStatus,
  NO_ANNOTATIONS,
  readAnnotation,
  STATUS,
  writeAnnotations,
} from './kms-service.ts';

/** How the server of a plugin answers calls: as it should, never, with bytes that are not a message, or as another server. */
export type ServedAs = 'plugin' | 'silent' | 'garbage' | 'another server';

export class TestPlugin implements KmsService {
  /** The key of `status()` and `encrypt()`. */
  keyId = 'key-1';
  /** The key id that `encrypt()` returns. Default: `keyId`. */
  encryptsAs: string | undefined;
  healthz = 'ok';
  version = 'v2';
  annotations: Annotations = NO_ANNOTATIONS;
  /** If set, the plugin rejects all calls with this error. */
  failure: GrpcError | undefined;
  servedAs: ServedAs = 'plugin';
  /** The methods that were called, in order. */
  readonly calls: ('status' | 'encrypt' | 'decrypt')[] = [];

  async status(): Promise<KmsStatus> {
    this.#begin('status');
    return { version: this.version, healthz: this.healthz, keyId: this.keyId };
  }

  async encrypt(plaintext: Uint8Array): Promise<KmsEncrypted> {
    this.#begin('encrypt');
    const keyId = this.encryptsAs ?? this.keyId;
    return { ciphertext: keyCipher(keyId).seal(plaintext, keyId), keyId, annotations: this.annotations };
  }

  async decrypt({ ciphertext, keyId }: KmsEncrypted): Promise<Uint8Array> {
    this.#begin('decrypt');
    try {
      return keyCipher(keyId).open(ciphertext, keyId) ?? new Uint8Array(0);
    } catch (cause) {
      throw new GrpcError(GRPC.invalidArgument, 'the ciphertext is not of this key', { progress: 'refused', cause });
    }
  }

  #begin(call: (typeof this.calls)[number]): void {
    this.calls.push(call);
    if (this.failure !== undefined) throw this.failure;
  }
}

function keyCipher(keyId: string): Cipher {
  return aesgcm(createHash('sha256').update(`the key ${keyId}`).digest());
}

export interface ServedPlugin {
  stop(): Promise<void>;
}

/** The flag and the length in front of a message. */
const FRAME_HEAD = 5;

/** Serves the plugin on a Unix socket. */
export async function servePlugin(plugin: TestPlugin, socketPath: string): Promise<ServedPlugin> {
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    const chunks: Uint8Array[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    stream.on('end', () => {
      const message = concatBytes(chunks).subarray(FRAME_HEAD);
      void serve(plugin, stream, String(headers[':path']), message);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  return {
    stop: () => {
      for (const session of sessions) session.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function serve(plugin: TestPlugin, stream: ServerHttp2Stream, path: string, message: Uint8Array): Promise<void> {
  if (plugin.servedAs === 'silent') return;
  if (plugin.servedAs === 'another server') {
    stream.respond({ ':status': 404 });
    stream.end('not found');
    return;
  }
  try {
    const answer = plugin.servedAs === 'garbage' ? GARBAGE : await answerTo(plugin, path, message);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(answer);
  } catch (caught) {
    const { message: text } = toError(caught);
    const code = isGrpcError(caught) ? caught.code : GRPC.internal;
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(code), 'grpc-message': text },
      { endStream: true },
    );
  }
}

/** A frame whose message ends within a field. */
const GARBAGE = Uint8Array.of(0, 0, 0, 0, 2, 0x0a, 0x7f);
const MAX_BYTES = 1024 * 1024;

async function answerTo(plugin: TestPlugin, path: string, message: Uint8Array): Promise<Uint8Array> {
  if (path === STATUS) {
    const { version, healthz, keyId } = await plugin.status();
    return grpcFrame(MAX_BYTES, (writer) => {
      for (const [i, text] of [keyId, healthz, version].entries()) writeText(writer, 3 - i, text);
    });
  }
  const request = readRequest(message, path);
  if (path === ENCRYPT) {
    const { ciphertext, keyId, annotations } = await plugin.encrypt(request.ciphertext);
    return grpcFrame(MAX_BYTES, (writer) => {
      writeAnnotations(writer, 3, annotations);
      writeText(writer, 2, keyId);
      writeBytes(writer, 1, ciphertext);
    });
  }
  const plaintext = await plugin.decrypt(request);
  return grpcFrame(MAX_BYTES, (writer) => writeBytes(writer, 1, plaintext));
}

/** The fields of both requests: data, uid, and of a decryption the key id and the annotations. */
function readRequest(message: Uint8Array, path: string): KmsEncrypted {
  let ciphertext = encodeUtf8('');
  let keyId = '';
  const annotations = new Map<string, Uint8Array>();
  const error = readFields(message, (reader, field, end) => {
    if (field === 1) ciphertext = readBytes(reader, end);
    else if (field === 3) keyId = readText(reader, end);
    else if (field === 4) readAnnotation(reader, end, annotations);
    else return false;
    return true;
  });
  if (error !== undefined)
    throw new GrpcError(GRPC.invalidArgument, `${path}: ${error.message}`, { progress: 'refused' });
  return { ciphertext, keyId, annotations };
}
