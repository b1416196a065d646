/** The generator that tests in `src` use too. */
export { createRandom, type Random } from '../../src/base/random.fixtures.ts';
