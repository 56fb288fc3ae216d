/**
 * A translated response that the gateway keeps for the account that asked for it: its upstream knows
 * nothing of it, or not by its id. Contents are sealed.
 */
export interface KeptResponse {
  readonly id: string
  readonly accountId: number
  /** All that it answers to: the conversation so far. */
  readonly input: Uint8Array
  /** The response as its client got it. */
  readonly response: Uint8Array
}

/** How much is kept. */
export interface KeptLimits {
  /** Of all accounts together. */
  readonly maxBytes: number
  /** For how long. */
  readonly keptMs: number
}

/** Translated responses. Who asks for another account's finds nothing. */
export interface ResponseStore {
  /**
   * Keeps one. Where there is no room, the oldest go of the account that has the most: who has less than
   * an equal share loses nothing to others. False: it is not kept, for its account is gone, or there was
   * no room to be made soon.
   */
  put(response: KeptResponse, limits: KeptLimits): Promise<boolean>
  find(accountId: number, id: string, limits: KeptLimits): Promise<KeptResponse | undefined>
  /** Of several no more than the responses themselves. */
  findResponses(
    accountId: number,
    ids: readonly string[],
    limits: KeptLimits,
  ): Promise<readonly Omit<KeptResponse, 'input'>[]>
  /** False: there is none. */
  remove(accountId: number, id: string): Promise<boolean>
  /** Removes some that are too old, or too many; gives how many. */
  sweep(limits: KeptLimits): Promise<number>
}
