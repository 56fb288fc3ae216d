/** A database that can't be opened, reached, read or written; the message names the way out. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}

/** The same, where a change was asked for and nothing answered: it may have happened, or may not. */
export class UnansweredError extends StoreError {}
