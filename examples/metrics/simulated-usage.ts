// The source of this example: the usage of a node or a container, made from its name. Replace it by yours.
export interface Usage {
  /** Cores, as a Quantity: `120m`. */
  readonly cpu: string;
  /** Bytes, as a Quantity: `64Mi`. */
  readonly memory: string;
}

/** The same name always has the same usage: up to 500 millicores and up to 1 GiB for a share of 1. */
export function simulatedUsage(name: string, share: number): Usage {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.charCodeAt(0)) % 1000;
  const level = (share * (hash + 1)) / 1000;
  return { cpu: `${Math.ceil(level * 500)}m`, memory: `${Math.ceil(level * 1024)}Mi` };
}
