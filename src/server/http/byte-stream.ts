/**
 * Byte streams with backpressure. Request bodies, streaming answers and tunnels are made of sources and sinks, so a
 * proxy connects them without a copy, a promise or a queue of its own.
 *
 * A source pushes chunks into exactly one sink. These rules hold for every source:
 * - After `write` has returned false, it writes nothing until the sink calls the drain listener. Meanwhile it holds a
 *   bounded number of bytes and stops reading from its own origin.
 * - It finishes with exactly one of `end` (all bytes were written) and `abort` (its origin failed before that), unless
 *   the sink closes first. Then it calls neither, and stops its origin.
 */
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';

/** The receiving end of a byte stream. */
export interface ByteSink {
  /**
   * Takes the chunks by reference; the caller must not modify them afterwards. Returns false if the sink is full: the
   * caller must not write again before the drain listener is called. The chunks of that call are taken nevertheless. On
   * a closed sink it does nothing and returns false.
   */
  write(chunks: readonly Uint8Array[]): boolean;
  /** Sets the listener that is called each time the sink can take bytes again after `write` returned false. */
  onDrain(listener: () => void): void;
  /**
   * Ends the stream after all bytes that were written. Nothing may be written afterwards. `trailers` are the trailer
   * fields of a response (RFC 9110, 6.5), with names in lower case. A sink whose protocol has none ignores them.
   */
  end(trailers?: HttpHeaders): void;
  /** Ends the stream such that the reader sees a failure, not an end. Unsent bytes may be dropped. */
  abort(): void;
  /**
   * Adds a listener that is called once when the sink closes before the stream is complete: the reader left, or its
   * connection broke. It is called at once if that has happened already, and never after a complete stream.
   */
  onClose(listener: () => void): void;
}

/** The sending end of a byte stream. */
export interface ByteSource {
  /** Starts to push all bytes into the sink, maybe synchronously. Called at most once; see the rules above. */
  pipeTo(sink: ByteSink): void;
}

/**
 * Both directions of a connection that was upgraded to another protocol. As a sink it takes the bytes for the peer, as
 * a source it pushes the bytes of the peer. The two directions end together: `end` closes the connection after all
 * bytes that were written, and the end of the peer's bytes closes it as well. Unlike that of other sinks, its `onClose`
 * listener is always called, whatever ended the connection.
 */
export interface ByteTunnel extends ByteSink, ByteSource {}

/** A source without bytes. `Incoming.bodySource` returns this one for a request without a body. */
export const EMPTY_SOURCE: ByteSource = { pipeTo: (sink) => sink.end() };

/** Returns a source of bytes that exist already. */
export function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    pipeTo: (sink) => {
      if (bytes.byteLength > 0) sink.write([bytes]);
      sink.end();
    },
  };
}

/** Copies bytes in both directions between two connections, until either of them closes. Then it closes the other. */
export function joinTunnels(a: ByteTunnel, b: ByteTunnel): void {
  a.pipeTo(b);
  b.pipeTo(a);
}
