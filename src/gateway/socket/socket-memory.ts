import { addTo } from '../../lib/add-to.ts'

/** The last response of a connection, where it is kept nowhere else. */
interface Remembered {
  readonly id: string
  /** The response it continues, where that is known elsewhere. */
  readonly previousId: string | null
  /** The conversation so far, as JSON text without the brackets of the list. */
  readonly items: Buffer
}

/** The last response of each connection, bounded in all and for each account. */
export type SocketMemory = ReturnType<typeof createSocketMemory>

export interface ConversationLimits {
  readonly ofOne: number
  readonly ofAccount: number
  readonly ofAll: number
}

interface Entry {
  readonly accountId: number
  readonly response: Remembered
}

export function createSocketMemory(limits: ConversationLimits) {
  const entries = new Map<object, Entry>()
  const shares = new Map<number, number>()
  let total = 0

  function count(accountId: number, bytes: number): void {
    addTo(shares, accountId, bytes)
    total += bytes
  }

  function forget(connection: object): void {
    const entry = entries.get(connection)
    if (entry === undefined) return
    entries.delete(connection)
    count(entry.accountId, -entry.response.items.byteLength)
  }

  function forgetOldestOf(accountId: number): void {
    for (const [connection, entry] of entries) {
      if (entry.accountId !== accountId) continue
      forget(connection)
      return
    }
  }

  /** The largest holder loses first: an account below an equal share loses nothing to others. */
  function largest(): number {
    let [found, most] = [0, 0]
    for (const [accountId, bytes] of shares) if (bytes > most) [found, most] = [accountId, bytes]
    return found
  }

  return {
    find(connection: object, id: string): Remembered | undefined {
      const response = entries.get(connection)?.response
      return response?.id === id ? response : undefined
    },
    remember(connection: object, accountId: number, response: Remembered): void {
      forget(connection)
      const bytes = response.items.byteLength
      if (bytes > limits.ofOne) return
      // A view would keep the whole message in memory.
      const items = Buffer.from(response.items)
      entries.set(connection, { accountId, response: { ...response, items } })
      count(accountId, bytes)
      while ((shares.get(accountId) ?? 0) > limits.ofAccount) forgetOldestOf(accountId)
      while (total > limits.ofAll) forgetOldestOf(largest())
    },
    forget,
  }
}
