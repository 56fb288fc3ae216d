import type { Repeat } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { CountersUnavailable } from '../ports/counters.ts'
import type { Batch, Committed } from '../ports/records.ts'
import { StoreError, UnansweredError } from '../ports/store-error.ts'
import { type Connection, connectTo } from './connection.ts'
import { packError, unpackError } from './errors.ts'
import {
  type AskFrame,
  type CounterState,
  type DoneFrame,
  type Hello,
  kinds,
  type News,
  pack,
  packBatch,
  parseJson,
  type ResultFrame,
  unpack,
  unpackCommitted,
  type Welcome,
} from './messages.ts'
import { isReading } from './methods.ts'
import { createPendingTable, type Pending } from './pending.ts'

export interface LinkParts {
  /** An abstract Unix socket: `\0…`. */
  readonly address: string
  readonly secret: string
  readonly hello: () => Hello
  readonly log: Logger
  readonly onUp: (welcome: Welcome) => void
  readonly onDown: () => void
  readonly onNews: (news: News) => void
  /** Each second. */
  readonly onPing: (counters: CounterState) => void
  /** Answers what the keeper asks. */
  readonly onAsk: (what: string) => unknown
  readonly repeat?: Repeat
}

type Asked = Pick<Pending, 'no' | 'kind' | 'frame' | 'isRepeatable' | 'awayMs'>

export type Link = ReturnType<typeof createLink>

/** Pauses between attempts to connect, in milliseconds; the last one again and again. */
const pausesMs = [5, 10, 20, 50, 100]
/** How long a call waits for a connection, and a batch. */
const awayMs = 2_000
const batchAwayMs = 5_000
const beatMs = 1_000
/** A keeper that is silent for so many seconds is taken for dead: it pings each second. */
const mostSilent = 10

/** A worker's end of the link. Connects again and again, until it is closed. */
export function createLink(parts: LinkParts) {
  const { log, onUp, onDown, onNews, onPing, onAsk } = parts
  const pending = createPendingTable(parts.repeat)
  let connection: Connection | undefined
  let isUp = false
  let isClosed = false
  let isReported = false
  let attempts = 0
  let retry: ReturnType<typeof setTimeout> | undefined
  let silent = 0
  let lastNo = 0

  function receive(kind: number, body: Buffer): void {
    silent = 0
    if (kind === kinds.done) done(parseJson<DoneFrame>(body))
    else if (kind === kinds.quickResult) answered(parseJson<ResultFrame>(body))
    else if (kind === kinds.result) answered(unpack<ResultFrame>(body))
    else if (kind === kinds.ping) pinged(body)
    else if (kind === kinds.ask) void answer(parseJson<AskFrame>(body))
    else if (kind === kinds.news) onNews(unpack<News>(body))
    else if (kind === kinds.welcome) welcomed(unpack<Welcome>(body))
  }

  function done([no, committed, error]: DoneFrame): void {
    const one = pending.take(no)
    if (committed) one?.resolve(unpackCommitted(committed))
    else if (error) one?.reject(unpackError(error))
  }

  function answered([no, error, value]: ResultFrame): void {
    const one = pending.take(no)
    if (error) one?.reject(unpackError(error))
    else one?.resolve(value)
  }

  function pinged(body: Buffer): void {
    connection?.writer.text(kinds.pong, '')
    onPing(parseJson<CounterState>(body))
  }

  async function answer([no, what]: AskFrame): Promise<void> {
    const asker = connection
    const result: ResultFrame = await Promise.try(onAsk, what).then(
      (value) => [no, null, value] as const,
      (error: unknown) => [no, packError(error)] as const,
    )
    asker?.writer.bytes(kinds.answer, pack(result))
  }

  function welcomed(welcome: Welcome): void {
    isUp = true
    if (isReported) log.info('the keeper of the store is back', {})
    isReported = false
    attempts = 0
    onUp(welcome)
    for (const one of pending.all()) if (!one.isOut) send(one)
  }

  function send(one: Pending): void {
    if (connection === undefined) return
    one.isSent = one.isOut = true
    one.looks = 0
    const { writer } = connection
    if (typeof one.frame === 'string') writer.text(one.kind, one.frame)
    else writer.bytes(one.kind, one.frame)
  }

  function lost(reason: string): void {
    connection = undefined
    silent = 0
    if (!isClosed && !isReported) log.warn('the keeper of the store is away', { reason })
    isReported = true
    if (isUp) {
      isUp = false
      pending.disconnected()
      onDown()
    }
    connectSoon()
  }

  function connectSoon(): void {
    if (isClosed) return
    retry ??= setTimeout(connect, pausesMs[Math.min(attempts, pausesMs.length - 1)])
    attempts++
  }

  async function connect(): Promise<void> {
    retry = undefined
    let made: Connection | undefined
    let isLost = false
    const onClose = (reason: string) => {
      isLost = true
      if (made === undefined || made === connection) lost(reason)
    }
    try {
      made = await connectTo({ ...parts, onFrame: receive, onClose })
    } catch {
      connectSoon()
      return
    }
    if (isLost) return
    connection = made
    if (isClosed) made.close('the worker ends')
  }

  function ask(asked: Asked): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const one = { ...asked, isSent: false, isOut: false, looks: 0, resolve, reject }
      if (isClosed) reject(new StoreError('The connection to the keeper of the store is closed.'))
      else if (pending.add(one) && isUp) send(one)
    })
  }

  const beat = setInterval(() => {
    if (connection === undefined) return
    silent++
    if (silent > mostSilent) connection.close('the keeper is silent')
  }, beatMs)
  beat.unref()
  void connect()

  return {
    isUp: (): boolean => isUp,
    /** Waits for a connection for a moment; rejects with what the method rejects with, or a `StoreError`. */
    call(part: string, method: string, args: readonly unknown[]): Promise<unknown> {
      const no = ++lastNo
      const frame = pack([no, part, method, ...args])
      return ask({ no, kind: kinds.call, frame, isRepeatable: isReading(part, method), awayMs })
    },
    /** For what JSON can hold: rejects with `CountersUnavailable`, without waiting for a connection. */
    async quickCall(part: string, method: string, args: readonly unknown[]): Promise<unknown> {
      if (!isUp) throw new CountersUnavailable('The keeper is away.', false)
      const no = ++lastNo
      const frame = JSON.stringify([no, part, method, ...args])
      try {
        return await ask({ no, kind: kinds.quickCall, frame, isRepeatable: false, awayMs })
      } catch (error) {
        if (!(error instanceof StoreError)) throw error
        throw new CountersUnavailable(error.message, error instanceof UnansweredError)
      }
    },
    /** Commits a batch, which waits for a connection, and is sent again on a new one. */
    commit(batch: Batch): Promise<Committed> {
      const no = ++lastNo
      const frame = JSON.stringify([no, packBatch(batch)])
      const kind = kinds.batch
      const answer = ask({ no, kind, frame, isRepeatable: true, awayMs: batchAwayMs })
      connection?.writer.flush() // the committer has collected what is of one turn
      return answer as Promise<Committed>
    },
    close(): void {
      isClosed = true
      clearTimeout(retry)
      clearInterval(beat)
      connection?.writer.flush()
      connection?.close('the worker ends')
      pending.stop()
    },
  }
}
