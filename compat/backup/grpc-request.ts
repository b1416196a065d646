/** The head of a gRPC call to etcd. */
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';

/** A gRPC frame has a byte for compression and four for the length. */
export const FRAME_HEADER = 5;

/** Opens a call. The caller writes its messages and reads the status from the trailers. */
export function grpcRequest(session: ClientHttp2Session, path: string): ClientHttp2Stream {
  return session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' });
}
