/** Writes keys to an etcd over its gRPC API. */
import { connect } from 'node:http2';
import { WireWriter } from '../../src/apimachinery/protobuf/wire.ts';
import { FRAME_HEADER, grpcRequest } from './grpc-request.ts';

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
        stream.end(framed(putRequest(key, value)));
      }),
    close: () => session.close(),
  };
}

/** PutRequest: key is field 1, value field 2. */
function putRequest(key: string, value: Uint8Array): Uint8Array {
  const writer = new WireWriter(MAX_BYTES);
  let mark = writer.size;
  writer.writeBytes(value);
  writer.closeField(2, mark);
  mark = writer.size;
  writer.writeText(key);
  writer.closeField(1, mark);
  return writer.finish();
}

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(FRAME_HEADER + message.byteLength);
  frame.writeUInt32BE(message.byteLength, 1);
  frame.set(message, FRAME_HEADER);
  return frame;
}
