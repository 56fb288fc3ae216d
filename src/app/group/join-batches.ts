import { mostTogether } from '../../gateway/money/retry-queue.ts'
import { type Purse, purseOfAccount, purseOfBudget } from '../../leases/purse.ts'
import type { Batch, Committed, RecordStore } from '../../store/ports/records.ts'
import { StoreError } from '../../store/ports/store-error.ts'

interface Waiting {
  readonly batch: Batch
  readonly resolve: (committed: Committed) => void
  readonly reject: (error: unknown) => void
}

/**
 * A commit has a price of its own (some 100 µs on SQLite). When requests end side by side, the next one begins
 * so long after the last, in milliseconds, so that more come together. One client alone never waits for that.
 */
const usualSpacingMs = 2
/** What comes so soon after a commit did not wait for its answer. */
const soonMs = 0.1

/** Whether batches come side by side, by the last sixteen or so. */
function createCrowd() {
  const share = 1 / 16
  let score = 0
  return {
    note(isBeside: boolean): void {
      score += ((isBeside ? 1 : 0) - score) * share
    },
    isThere: (): boolean => score > 2 * share,
  }
}

/** Stores the batches of several processes: those of one turn of the event loop in one commit. */
export function createBatchJoiner(
  { commit, spacingMs = usualSpacingMs }: Pick<RecordStore, 'commit' | 'spacingMs'>,
  pause: (ms: number) => Promise<unknown> = Bun.sleep,
) {
  let queue: Waiting[] = []
  let isFlushing = false
  const crowd = createCrowd()
  let beganAt = 0
  let endedAt = 0

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      const restMs = crowd.isThere() ? beganAt + spacingMs - performance.now() : 0
      if (restMs > 0) await pause(restMs)
      const together = countTogether(queue)
      beganAt = performance.now()
      const waiting = queue.slice(0, together)
      queue = queue.slice(together)
      await commitTogether(waiting)
      endedAt = performance.now()
    }
    isFlushing = false
  }

  async function commitTogether(waiting: readonly Waiting[]): Promise<void> {
    const [first] = waiting
    try {
      if (first && waiting.length === 1) return first.resolve(await commit(first.batch))
      const committed = await commit(joinedOf(waiting))
      const partOf = partsOf(committed)
      for (const { batch, resolve } of waiting) resolve(partOf(batch))
    } catch (error) {
      // Where the store as a whole fails, each batch would meet the same.
      if (waiting.length > 1 && !(error instanceof StoreError)) await commitSingly(waiting)
      else for (const { reject } of waiting) reject(error)
    }
  }

  /** What can't be stored must not keep out the batches of others. */
  async function commitSingly(waiting: readonly Waiting[]): Promise<void> {
    for (const one of waiting) await commitTogether([one])
  }

  return (batch: Batch): Promise<Committed> =>
    new Promise((resolve, reject) => {
      crowd.note(isFlushing || sizeOf(batch) > 1 || performance.now() - endedAt < soonMs)
      queue.push({ batch, resolve, reject })
      if (isFlushing) return
      isFlushing = true
      setImmediate(flush)
    })
}

/** How many of the first batches are stored together; at least one. */
function countTogether(queue: readonly Waiting[]): number {
  let count = 0
  let items = 0
  for (const { batch } of queue) {
    items += sizeOf(batch)
    if (count > 0 && items > mostTogether) break
    count++
  }
  return count
}

const sizeOf = ({ settle, release, reserve, grow }: Batch) =>
  (settle?.length ?? 0) + (release?.length ?? 0) + (reserve?.length ?? 0) + (grow?.length ?? 0)

function joinedOf(waiting: readonly Waiting[]): Batch {
  const batches = waiting.map(({ batch }) => batch)
  return {
    settle: batches.flatMap(({ settle = [] }) => settle),
    release: batches.flatMap(({ release = [] }) => release),
    reserve: batches.flatMap(({ reserve = [] }) => reserve),
    grow: batches.flatMap(({ grow = [] }) => grow),
  }
}

/** Gives what of a commit answers one of the batches that were joined in it. */
function partsOf(committed: Committed): (batch: Batch) => Committed {
  const figures = new Map(committed.accounts.map((one) => [one.accountId, one]))
  return (batch) => {
    const { settle = [], reserve = [], grow = [] } = batch
    const accountIds = new Set<number>()
    const tokenIds = new Set<number>()
    const purses = new Set<Purse>()
    const denied: [string, 'balance' | 'budget' | 'busy'][] = []
    for (const { request } of settle) {
      accountIds.add(request.accountId)
      tokenIds.add(request.tokenId)
    }
    for (const { requestId, accountId, tokenId } of [...reserve, ...grow]) {
      accountIds.add(accountId)
      purses.add(purseOfAccount(accountId)).add(purseOfBudget(tokenId))
      const reason = committed.denied.get(requestId)
      if (reason) denied.push([requestId, reason])
    }
    return {
      denied: new Map(denied),
      accounts: [...accountIds].flatMap((accountId) => figures.get(accountId) ?? []),
      tokens: committed.tokens.filter(({ tokenId }) => tokenIds.has(tokenId)),
      recalled: committed.recalled?.filter((purse) => purses.has(purse)) ?? [],
    }
  }
}
