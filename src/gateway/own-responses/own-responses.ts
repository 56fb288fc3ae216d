import { type Repeat, repeatByTimer, withinRunning } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { ByteSealer } from '../../lib/secrets.ts'
import type { KeptLimits, KeptResponse, ResponseStore } from '../../store/ports/answers.ts'

export interface OwnResponse {
  readonly id: string
  /** The items that it answers, as JSON text without the brackets of the list. */
  readonly input: Uint8Array
  readonly response: Uint8Array
}

/** Translated responses, which no upstream has: kept in the store, encrypted, for their account. */
export type OwnResponses = ReturnType<typeof createOwnResponses>

interface OwnResponsesParts {
  readonly store: ResponseStore
  readonly sealer: ByteSealer
  readonly limits: () => KeptLimits
  readonly isShared: boolean
  readonly repeat?: Repeat | undefined
  readonly log: Logger
}

/** The largest stored conversation, and response, as JSON text. */
const largestInput = 8 * 1_048_576
const largestResponse = 4 * 1_048_576
/** The most that waits for a slow store; what comes then is not kept. */
const mostWaiting = 64 * 1_048_576
/** The longest a client waits for its answer to be stored for other nodes. */
const longestWaitMs = 1_000
const sweepMs = 60_000

export function createOwnResponses(parts: OwnResponsesParts) {
  const { store, limits, isShared, log, repeat = repeatByTimer } = parts
  const { close, open } = createEnvelope(parts.sealer)
  const waiting = new Map<string, UnstoredResponse>()
  let waitingBytes = 0
  let sweeping: Promise<void> | undefined
  let end = () => {}
  const isOn = () => limits().keptMs > 0
  const ownWaiting = (accountId: number, id: string) => {
    const found = waiting.get(id)
    return found?.accountId === accountId ? found : undefined
  }

  async function write(accountId: number, response: OwnResponse): Promise<void> {
    try {
      const kept = await store.put(await close(accountId, response), limits())
      if (!kept) log.info('a response was not kept: there is no room', { response: response.id })
    } catch (error) {
      log.warn('a response was not kept', { response: response.id, error: String(error) })
    }
  }

  async function sweep(): Promise<void> {
    try {
      while ((await store.sweep(limits())) > 0) await Bun.sleep(0)
    } catch (error) {
      log.warn('old responses not removed', { error: String(error) })
    }
  }

  return {
    isOn,
    takes: (inputBytes: number): boolean =>
      isOn() && inputBytes <= Math.min(largestInput, limits().maxBytes),
    /** Rejects with a `StoreError`; undefined: the account has none of this id. */
    async find(accountId: number, id: string): Promise<OwnResponse | undefined> {
      if (!isOn()) return undefined
      const own = ownWaiting(accountId, id)
      if (own) return own.response
      const found = await store.find(accountId, id, limits())
      return found && (await open(found))
    },
    /** Only the responses, as JSON text, one after the other. */
    async *findResponses(accountId: number, ids: readonly string[]): AsyncIterable<Uint8Array> {
      if (!isOn()) return
      const asked: string[] = []
      for (const id of ids) {
        const own = ownWaiting(accountId, id)
        if (own) yield own.response.response
        else asked.push(id)
      }
      const rows = asked.length === 0 ? [] : await store.findResponses(accountId, asked, limits())
      for (const row of rows) {
        const opened = await open(row)
        if (opened) yield opened.response
      }
    },
    /** Keeps one; where other nodes serve, resolves when it is stored, or soon. Never rejects. */
    keep(accountId: number, response: OwnResponse): Promise<void> | undefined {
      const sizeBytes = response.input.byteLength + response.response.byteLength
      if (!isOn() || response.response.byteLength > largestResponse) return undefined
      if (waitingBytes + sizeBytes > mostWaiting) {
        log.warn('a response was not kept: the store is too slow', { response: response.id })
        return undefined
      }
      waitingBytes += sizeBytes
      const writing = write(accountId, response).finally(() => {
        waitingBytes -= sizeBytes
        waiting.delete(response.id)
      })
      waiting.set(response.id, { accountId, response, writing })
      return isShared ? withinRunning(longestWaitMs, writing) : undefined
    },
    async remove(accountId: number, id: string): Promise<boolean> {
      await ownWaiting(accountId, id)?.writing
      return await store.remove(accountId, id)
    },
    start(): void {
      end = repeat(() => {
        sweeping ??= sweep().finally(() => {
          sweeping = undefined
        })
      }, sweepMs)
    },
    async stop(): Promise<void> {
      end()
      await Promise.all([...waiting.values()].map(({ writing }) => writing))
      await sweeping
    },
  }
}

interface UnstoredResponse {
  readonly accountId: number
  readonly response: OwnResponse
  readonly writing: Promise<void>
}

/** Compresses, then encrypts for one account and one id: swapped rows can't be opened. */
function createEnvelope(sealer: ByteSealer) {
  const ownerOf = ({ id, accountId }: Pick<KeptResponse, 'id' | 'accountId'>, part: string) =>
    `response ${accountId} ${id} ${part}`
  return {
    async close(accountId: number, { id, input, response }: OwnResponse): Promise<KeptResponse> {
      const row = { id, accountId }
      const seal = async (bytes: Uint8Array, part: string) =>
        sealer.seal(await Bun.zstdCompress(bytes as Uint8Array<ArrayBuffer>), ownerOf(row, part))
      return {
        ...row,
        input: await seal(input, 'input'),
        response: await seal(response, 'response'),
      }
    },
    /** Undefined: it was sealed with another secret, or changed. */
    async open(
      row: Omit<KeptResponse, 'input'> & { readonly input?: Uint8Array },
    ): Promise<OwnResponse | undefined> {
      const unseal = async (sealed: Uint8Array, part: string) => {
        const opened = sealer.open(sealed, ownerOf(row, part))
        return opened && (await Bun.zstdDecompress(opened as Uint8Array<ArrayBuffer>))
      }
      const input = row.input ? await unseal(row.input, 'input') : new Uint8Array(0)
      const response = await unseal(row.response, 'response')
      return input && response && { id: row.id, input, response }
    },
  }
}
