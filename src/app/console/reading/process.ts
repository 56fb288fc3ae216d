import type { SignedIn } from '../../../admin/access.ts'
import { ApiError } from '../../../admin/api-error.ts'
import { isFile } from '../../../admin/download.ts'
import { clientHasDisconnected } from '../../../admin/paging.ts'
import { usualSilenceSeconds } from '../../../gateway/context.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import type { DatabasePlace } from '../../../store/ports/store.ts'
import { ownProgram } from '../../own-program.ts'
import type { Peer } from '../parts.ts'
import type { GatewayFacts } from './app.ts'
import { type FromProcess, readingCommand, type ToProcess, tellFact } from './messages.ts'

export interface ProcessParts {
  readonly place: DatabasePlace
  readonly facts: GatewayFacts
  readonly clock: Clock
  readonly log: Logger
  /** The command that starts the program; as default, what starts this one again. */
  readonly program?: readonly string[]
}

export type ReadingProcess = ReturnType<typeof startProcess>

interface Asked {
  readonly head: PromiseWithResolvers<Response>
  pieces?: Pieces
  /** A search may take long: it waits until the request is aborted. */
  readonly setPatience: (isSearching: boolean) => void
}

/** Keeps headers of a file without a body: an empty one would report a length of 0. */
const nothingOf = (headers: Headers) =>
  isFile(headers)
    ? new ReadableStream<Uint8Array>({ pull: (nothing) => nothing.close() }, { highWaterMark: 0 })
    : null

const lastWordsMs = 2_000
/** What an answer depends on, besides its address. */
const negotiated = ['accept-encoding', 'accept-language'] as const

const failed = 'What reads lists from the database has failed; the log says why. Try again.'

/**
 * Starts a reading process on a database. Throws an `ApiError` when it can't start. `onLost` is called after it
 * has ended unexpectedly and its open answers have failed.
 */
export function startProcess(parts: ProcessParts, onIdle: () => void, onLost: () => void) {
  const { place, facts, clock, log, program = ownProgram() } = parts
  const child = spawn()
  const asked = new Map<number, Asked>()
  let lastId = 0
  let isEnding = false

  function spawn() {
    try {
      return Bun.spawn([...program, readingCommand], {
        ...{ stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
        ipc: hear,
      })
    } catch (error) {
      log.error('console: the process that reads lists could not be started', { error })
      throw new ApiError('unavailable', failed, { retryAfterSeconds: 2 })
    }
  }

  function tell(message: ToProcess): void {
    try {
      child.send(message)
    } catch (error) {
      // It has just ended; its exit rejects the waiting answers.
      if ((error as { code?: unknown }).code !== 'ERR_IPC_CHANNEL_CLOSED') throw error
    }
  }

  function forget(id: number): void {
    if (!asked.delete(id) || asked.size > 0) return
    child.unref()
    onIdle()
  }

  function failAll(message: string): void {
    for (const [id, { head, pieces, setPatience }] of asked) {
      setPatience(false)
      const error = new ApiError('unavailable', message, { retryAfterSeconds: 2 })
      head.reject(error)
      pieces?.fail(error)
      forget(id)
    }
  }

  function leave(id: number): void {
    const one = asked.get(id)
    if (one === undefined) return
    tell({ kind: 'leave', id })
    // The client has disconnected; the promise must still settle.
    one.head.reject(clientHasDisconnected())
    one.pieces?.end()
    forget(id)
  }

  function begin({ id, status, headers, body }: FromProcess & { kind: 'head' }): void {
    const one = asked.get(id)
    const pairs = headers.map(([name, value]): [string, string] => [name, value])
    const init = { status, headers: new Headers(pairs) }
    if (one === undefined) return
    if (body !== 'pieces') {
      forget(id)
      one.head.resolve(new Response(body ?? nothingOf(init.headers), init))
      return
    }
    const more = () => {
      one.setPatience(true)
      tell({ kind: 'more', id })
    }
    one.pieces = createPieces(more, () => leave(id))
    one.head.resolve(new Response(one.pieces.stream, init))
  }

  function give({ id, bytes }: FromProcess & { kind: 'piece' }): void {
    const one = asked.get(id)
    one?.setPatience(false)
    one?.pieces?.give(bytes)
  }

  function finish(id: number, how: (pieces: Pieces | undefined) => void): void {
    const one = asked.get(id)
    one?.setPatience(false)
    how(one?.pieces)
    forget(id)
  }

  async function answer({ id, asked: fact }: FromProcess & { kind: 'ask' }): Promise<void> {
    try {
      tell({ kind: 'fact', id, value: await tellFact(facts, fact) })
    } catch (error) {
      tell({ kind: 'no-fact', id, message: String(error) })
    }
  }

  const hearers: {
    readonly [Kind in FromProcess['kind']]: (of: FromProcess & { kind: Kind }) => void
  } = {
    head: begin,
    piece: give,
    end: ({ id }) => finish(id, (pieces) => pieces?.end()),
    broken: ({ id, message }) => finish(id, (pieces) => pieces?.fail(new Error(message))),
    ask: (message) => void answer(message),
    log: ({ level, message, fields }) => log[level](message, fields),
  }

  function hear(message: FromProcess): void {
    hearers[message.kind](message as never)
  }

  async function follow(): Promise<void> {
    const words = await new Response(child.stderr).text().catch(String)
    const code = await child.exited
    if (isEnding) return
    onLost()
    const error = words.trim() || `It ended with ${child.signalCode ?? code}.`
    log.error('console: the process that reads lists has ended', { error })
    failAll(failed)
  }

  const followed = follow()
  child.unref()
  tell({ kind: 'open', place })

  return {
    /** Rejects with an `ApiError`: the process ended or is closed, or the client has disconnected. */
    read(
      request: Request,
      who: SignedIn,
      limitSilence: Peer['limitSilence'] = () => {},
    ): Promise<Response> {
      const id = ++lastId
      const head = Promise.withResolvers<Response>()
      const { method, url, headers, signal } = request
      const setPatience = (isSearching: boolean) => {
        if (!signal.aborted) limitSilence(isSearching ? 0 : usualSilenceSeconds)
      }
      asked.set(id, { head, setPatience })
      child.ref()
      const accepted = Object.fromEntries(negotiated.map((name) => [name, headers.get(name) ?? '']))
      tell({ kind: 'read', id, method, url, accepted, who, now: clock() })
      signal.addEventListener('abort', () => leave(id), { once: true })
      if (signal.aborted) leave(id)
      return head.promise
    },
    /** Answers whose head is still outstanding. */
    waiting: () => asked.values().reduce((count, { pieces }) => count + (pieces ? 0 : 1), 0),
    /** Aborts its answers and ends it. */
    async close(): Promise<void> {
      isEnding = true
      failAll('The gateway reads nothing any more: it is about to stop.')
      tell({ kind: 'close' })
      child.ref()
      const timer = setTimeout(() => child.kill('SIGKILL'), lastWordsMs)
      await followed
      clearTimeout(timer)
    },
  }
}

type Pieces = ReturnType<typeof createPieces>

/** A streamed body: `more` requests the next piece, `leave` reports a cancelled body. */
function createPieces(more: () => void, leave: () => void) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let taken: (() => void) | undefined
  let hasEnded = false

  function settle(work: (to: ReadableStreamDefaultController<Uint8Array>) => void): void {
    if (hasEnded || controller === undefined) return
    work(controller)
    taken?.()
  }

  function finish(work: (to: ReadableStreamDefaultController<Uint8Array>) => void): void {
    settle(work)
    hasEnded = true
  }

  return {
    stream: new ReadableStream<Uint8Array>(
      {
        start(given) {
          controller = given
        },
        pull: () =>
          new Promise<void>((resolve) => {
            taken = resolve
            more()
          }),
        cancel() {
          hasEnded = true
          taken?.()
          leave()
        },
      },
      { highWaterMark: 0 },
    ),
    give: (bytes: Uint8Array) => settle((to) => to.enqueue(bytes)),
    end: () => finish((to) => to.close()),
    fail: (error: Error) => finish((to) => to.error(error)),
  }
}
