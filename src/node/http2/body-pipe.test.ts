import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ByteSink } from '../../server/http/byte-stream.ts';
import { BodyPipe } from './body-pipe.ts';

const WINDOW = 64 * 1024;

/** A sink that is full after every write for which `accepts` returns false. */
class TestSink implements ByteSink {
  readonly chunks: Buffer[] = [];
  readonly ends: string[] = [];
  violations = 0;
  full = false;
  readonly #accepts: () => boolean;
  #drain: () => void = () => {};
  #close: () => void = () => {};

  constructor(accepts: () => boolean) {
    this.#accepts = accepts;
  }

  write(chunks: readonly Uint8Array[]): boolean {
    if (this.full || this.ends.length > 0) this.violations++;
    this.chunks.push(...chunks.map((chunk) => Buffer.from(chunk)));
    this.full = !this.#accepts();
    return !this.full;
  }

  onDrain(listener: () => void): void {
    this.#drain = listener;
  }

  end(): void {
    this.ends.push('end');
  }

  abort(): void {
    this.ends.push('abort');
  }

  onClose(listener: () => void): void {
    this.#close = listener;
  }

  drain(): void {
    this.full = false;
    this.#drain();
  }

  close(): void {
    this.#close();
  }
}

class TestFlow {
  isPaused = true;

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  discard(): void {
    this.isPaused = true;
  }

  delivered(): void {}
}

function piped(accepts: () => boolean, received = ''): { sink: TestSink; flow: TestFlow; pipe: BodyPipe } {
  const sink = new TestSink(accepts);
  const flow = new TestFlow();
  const pipe = new BodyPipe(sink, flow, WINDOW);
  pipe.start(Buffer.from(received));
  return { sink, flow, pipe };
}

describe('a streamed body', () => {
  it('delivers every byte in order, writes nothing into a full sink, and ends it once', () => {
    const steps = fc.array(fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 2000 }), fc.constant('drain' as const)), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(steps, fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), (given, answers) => {
        let at = 0;
        const { sink, flow, pipe } = piped(() => answers[at++ % answers.length]!);
        const sent: Uint8Array[] = [];
        for (const step of given) {
          if (step === 'drain') sink.drain();
          else {
            sent.push(step);
            pipe.push(step);
          }
          expect(flow.isPaused).toBe(sink.full);
        }
        pipe.end();
        for (let i = 0; i < 20 && sink.ends.length === 0; i++) sink.drain();
        expect(Buffer.concat(sink.chunks).equals(Buffer.concat(sent))).toBe(true);
        expect([sink.ends, sink.violations]).toEqual([['end'], 0]);
        pipe.abort();
        expect(sink.ends).toEqual(['end']);
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  it('begins with the bytes that arrived before it', () => {
    const { sink, pipe } = piped(() => true, 'abc');
    pipe.push(Buffer.from('def'));
    pipe.end();
    expect(Buffer.concat(sink.chunks).toString()).toBe('abcdef');
  });

  it('aborts its sink once, also while it holds bytes', () => {
    const { sink, pipe } = piped(() => false, 'abc');
    pipe.push(Buffer.from('def'));
    pipe.abort();
    pipe.abort();
    sink.drain();
    pipe.end();
    expect([sink.chunks.length, sink.ends]).toEqual([1, ['abort']]);
  });

  it('stops window updates and neither ends nor aborts a sink that has closed', () => {
    const { sink, flow, pipe } = piped(() => true, 'abc');
    sink.close();
    expect(flow.isPaused).toBe(true);
    pipe.push(Buffer.from('def'));
    pipe.end();
    pipe.abort();
    expect([sink.chunks.length, sink.ends]).toEqual([1, []]);
  });
});
