/** Returns the time of a sample that is taken now, in the form of Kubernetes. */
export function sampleTime(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}
