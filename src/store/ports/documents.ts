/** A public document as all nodes serve it, byte for byte. */
export interface SharedDocument {
  readonly body: Uint8Array
  readonly gzip: Uint8Array
  /** Milliseconds since 1970 (UTC), in whole seconds; later than that of every earlier version. */
  readonly lastModifiedMs: number
}

/** Documents that one node builds and all serve. */
export interface DocumentStore {
  /**
   * Whether this node is the one that builds. It takes the place when nobody has it, and has it until
   * it ends or its connection does.
   */
  leads(): Promise<boolean>
  /** Whether it was that when it was last asked. */
  isLeading(): boolean
  /** `lastModifiedMs` of what is stored under a name; undefined: nothing is. */
  lastModifiedMs(name: string): Promise<number | undefined>
  read(name: string): Promise<SharedDocument | undefined>
  /** For the node that leads; all others are told. Throws when it leads no more. */
  write(name: string, document: SharedDocument): Promise<void>
}
