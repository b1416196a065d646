/** Takes a snapshot of an etcd over its gRPC API, as `etcdctl snapshot save` does: the bytes end with their SHA-256. */
import { createWriteStream } from 'node:fs';
import { connect } from 'node:http2';
import { BYTES, WireReader } from '../../src/apimachinery/protobuf/wire.ts';
import { FRAME_HEADER, grpcRequest } from './grpc-request.ts';

/** The field `blob` of SnapshotResponse. */
const BLOB = 3;

/** Writes the snapshot to a file. Returns its size. Rejects with the gRPC status of a failure. */
export async function takeSnapshot(etcdUrl: string, path: string): Promise<number> {
  const session = connect(etcdUrl);
  const file = createWriteStream(path);
  try {
    const size = await new Promise<number>((resolve, reject) => {
      session.on('error', reject);
      const stream = grpcRequest(session, '/etcdserverpb.Maintenance/Snapshot');
      stream.on('error', reject);
      let pending = Buffer.alloc(0);
      let written = 0;
      stream.on('data', (chunk: Buffer) => {
        pending = Buffer.concat([pending, chunk]);
        while (pending.length >= FRAME_HEADER && pending.length >= FRAME_HEADER + pending.readUInt32BE(1)) {
          const end = FRAME_HEADER + pending.readUInt32BE(1);
          const blob = blobOf(pending.subarray(FRAME_HEADER, end));
          file.write(blob);
          written += blob.byteLength;
          pending = pending.subarray(end);
        }
      });
      stream.on('trailers', (trailers) => {
        if (trailers['grpc-status'] === '0') resolve(written);
        else reject(new Error(`etcd answered ${trailers['grpc-status']}: ${trailers['grpc-message']}`));
      });
      // An empty message.
      stream.end(Buffer.alloc(FRAME_HEADER));
    });
    await new Promise<void>((resolve) => file.end(resolve));
    return size;
  } finally {
    session.close();
  }
}

function blobOf(message: Uint8Array): Uint8Array {
  const reader = new WireReader(message);
  while (reader.pos < message.byteLength && reader.readTag(message.byteLength)) {
    if (reader.fieldNumber !== BLOB || reader.wireType !== BYTES) {
      reader.skip(message.byteLength);
      continue;
    }
    const end = reader.readLength(message.byteLength);
    return Buffer.from(reader.takeBytes(end));
  }
  return new Uint8Array(0);
}
