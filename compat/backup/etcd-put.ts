/** Writes keys to an etcd over its gRPC API. */
import { connect } from 'node:http2';
import { grpcFrame, writeBytes, writeText } from '../../src/storage/wire/field-writer.ts';
import { grpcRequest } from './grpc-request.ts';

const MAX_BYTES = 4 << 20;

export interface EtcdWriter {
  put(key: string, value: Uint8Array): Promise<void>;
  close(): void;
}

export function etcdWriter(url: string): EtcdWriter {
  const session = connect(url);
  return {
    put: (key, value) =>
      new Promise<void>((resolve, reject) => {
        const stream = grpcRequest(session, '/etcdserverpb.KV/Put');
        stream.on('error', reject);
        stream.on('trailers', (trailers) =>
          trailers['grpc-status'] === '0'
            ? resolve()
            : reject(new Error(`etcd refuses ${key}: ${trailers['grpc-message']}`)),
        );
        stream.resume();
        stream.end(putRequest(key, value));
      }),
    close: () => session.close(),
  };
}

/** PutRequest: key is field 1, value field 2. */
function putRequest(key: string, value: Uint8Array): Uint8Array {
  return grpcFrame(MAX_BYTES, (writer) => {
    writeBytes(writer, 2, value);
    writeText(writer, 1, key);
  });
}
