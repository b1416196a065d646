/** The name and the namespace of the Service of an extension server. Its other objects have the same name. */
export interface ServiceNames {
  readonly namespace: string;
  readonly name: string;
}
