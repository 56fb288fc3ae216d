/** An answer that its upstream keeps, or a part of it: a later request can refer to it by its id. */
export interface KeptAnswer {
  readonly id: string
  readonly accountId: number
  readonly channelId: number
  /** A keyed hash of the channel's key that it was asked with. */
  readonly keyMark: string
  /** LLM tokens of its input and output. */
  readonly contextTokens: number
  readonly createdAt: number
}

/** An answer that is made in the background, until it is charged. Its reservation is held so long. */
export interface BackgroundAnswer {
  /** Of its charge, and of its reservation. */
  readonly requestId: string
  /** Of the request that asked for it. */
  readonly askedId: string
  readonly answerId: string
  readonly createdAt: number
  readonly accountId: number
  readonly tokenId: number
  readonly channelId: number
  readonly keyMark: string
  /** What the charge is made from, as JSON text. */
  readonly charge: string
}

/** A background answer with its reservation, in nano-USD. */
export interface HeldAnswer extends BackgroundAnswer {
  readonly amountNano: number
}

/** A known answer; another account's only as such. */
export type FoundAnswer = Pick<KeptAnswer, 'id' | 'channelId' | 'keyMark' | 'contextTokens'> & {
  readonly isOwn: boolean
  /** It is still made in the background, or not charged yet. */
  readonly isPending: boolean
}

/** After this time vendors have deleted what they kept. */
export const keptAnswerMs = 30 * 24 * 3_600_000

/** An answer in the background is looked at first so long after its request. */
export const firstLookMs = 2_000

/** The id of a request whose answer is made in the background, and of its charge, differ by this. */
export const chargeSuffix = '_fetched'

/** After so long an answer that has not ended is charged as it was reckoned. */
export const longestLifeMs = 24 * 3_600_000

/** Answers that vendors keep, and those that they are still making. A settlement writes them. */
export interface AnswerStore {
  find(accountId: number, ids: readonly string[]): Promise<readonly FoundAnswer[]>
  /** Whether tokens of more than one account may use one of these channels. */
  areShared(channelIds: readonly number[]): Promise<boolean>
  /** Removes some of those that are older than `keptAnswerMs`; gives how many. */
  sweep(): Promise<number>
  /** The one in the background with this id of its upstream's; undefined: it is charged. */
  pending(accountId: number, answerId: string): Promise<BackgroundAnswer | undefined>
  /** All in the background, oldest first. */
  allPending(): Promise<readonly HeldAnswer[]>
  /** Leases those that are due, for `leaseMs`. */
  takeDue(most: number, leaseMs: number): Promise<readonly HeldAnswer[]>
  putOff(requestId: string, forMs: number): Promise<void>
}

/** A translated response that the gateway keeps for the account that asked for it. Contents are sealed. */
export interface KeptResponse {
  readonly id: string
  readonly accountId: number
  readonly input: Uint8Array
  readonly response: Uint8Array
}

export interface KeptLimits {
  readonly maxBytes: number
  readonly keptMs: number
}

/** Translated responses. Those of another account are not found. */
export interface ResponseStore {
  /** Keeps one; without room, the oldest of the largest account go. False: it is not kept. */
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
