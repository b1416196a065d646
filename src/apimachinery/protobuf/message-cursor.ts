/**
 * A cursor over the bytes of a protobuf message that has the form in which the reference writes messages. It refuses
 * any other form without an error message: `WireReader` reads every message and reports errors. The cursor is faster,
 * because it supports no 64-bit varints. Invariant: a cursor that has refused stands at the end of its bytes, so that
 * every loop over it ends.
 */
import { BYTES, FIXED32, FIXED64, VARINT } from './wire.ts';

export class MessageCursor {
  readonly bytes: Uint8Array;
  pos = 0;
  isRefused = false;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  refuse(): void {
    this.isRefused = true;
    this.pos = this.bytes.length;
  }

  /** Reads a varint below 2^28. Refuses others. */
  small(to: number): number {
    const { bytes } = this;
    let value = 0;
    for (let shift = 0; shift < 28 && this.pos < to; shift += 7) {
      const byte = bytes[this.pos++] as number;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    this.refuse();
    return 0;
  }

  /** Reads a length. Returns the end of its bytes; refuses with -1 if they end beyond `to`. */
  length(to: number): number {
    const length = this.small(to);
    if (!this.isRefused && length <= to - this.pos) return this.pos + length;
    this.refuse();
    return -1;
  }

  /** Skips the value after a tag. */
  skip(wireType: number, to: number): void {
    if (wireType === BYTES) {
      const end = this.length(to);
      if (end >= 0) this.pos = end;
    } else if (wireType === VARINT) {
      const start = this.pos;
      while (this.pos < to && (this.bytes[this.pos] as number) >= 0x80) this.pos++;
      this.pos++;
      if (this.pos > to || this.pos - start > 10) this.refuse();
    } else {
      this.pos += wireType === FIXED64 ? 8 : 4;
      if (this.pos > to || (wireType !== FIXED64 && wireType !== FIXED32)) this.refuse();
    }
  }
}
