import { isFile } from '../../../admin/download.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import type { DatabasePlace, ReadingStore } from '../../../store/ports/store.ts'
import { openSqliteReading } from '../../../store/sqlite/open.ts'
import { createReadingApp } from './app.ts'
import { createRemoteFacts, type FromProcess, type ReadOrder, type ToProcess } from './messages.ts'

type Post = (message: FromProcess) => void

interface Answer {
  readonly leaving: AbortController
  pieces?: Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>
}

/** Handles the messages in the reading process; `exit` ends it when all is closed. */
export function createAnswering(post: Post, exit: () => void): (message: ToProcess) => void {
  const answers = new Map<number, Answer>()
  const remote = createRemoteFacts((id, asked) => post({ kind: 'ask', id, asked }))
  const log = createRemoteLog(post)
  let now = 0
  let opened: ReturnType<typeof open> | undefined

  async function open(place: DatabasePlace) {
    const clock = () => now
    const store = await openReading(place, clock)
    return { store, app: createReadingApp({ store, facts: remote.facts, clock, log }) }
  }

  async function read({ id, method, url, accepted, who }: ReadOrder): Promise<void> {
    const answer: Answer = { leaving: new AbortController() }
    answers.set(id, answer)
    const { app } = (await opened) ?? {}
    if (!answers.has(id)) return
    const { signal } = answer.leaving
    const request = new Request(url, { method, headers: accepted, signal })
    const response = await app?.handle(request, who)
    if (response) await send(id, answer, response)
  }

  async function send(id: number, answer: Answer, response: Response): Promise<void> {
    const { status, body } = response
    const head = { kind: 'head', id, status, headers: [...response.headers] } as const
    if (body !== null && isFile(response.headers)) {
      const pieces = body.getReader()
      answer.pieces = pieces
      if (answers.has(id)) post({ ...head, body: 'pieces' })
      else await pieces.cancel()
      return
    }
    const whole = body === null ? null : await response.arrayBuffer()
    end(id)
    post({ ...head, body: whole })
  }

  async function sendPiece(id: number): Promise<void> {
    try {
      const { done, value } = (await answers.get(id)?.pieces?.read()) ?? { done: true }
      if (done) {
        end(id)
        post({ kind: 'end', id })
        return
      }
      post({ kind: 'piece', id, bytes: value })
    } catch (error) {
      end(id)
      post({ kind: 'broken', id, message: String(error) })
    }
  }

  function end(id: number): void {
    answers.get(id)?.leaving.abort()
    answers.delete(id)
  }

  async function leave(id: number): Promise<void> {
    const pieces = answers.get(id)?.pieces
    end(id)
    await pieces?.cancel()
  }

  async function close(): Promise<void> {
    await Promise.all([...answers.keys()].map(leave))
    await (await opened)?.store.close()
    exit()
  }

  return (message) => {
    const { kind } = message
    if (kind === 'open') opened = open(message.place)
    else if (kind === 'read') {
      now = message.now
      void read(message)
    } else if (kind === 'more') void sendPiece(message.id)
    else if (kind === 'leave') void leave(message.id)
    else if (kind === 'fact') remote.tell(message.id, message.value)
    else if (kind === 'no-fact') remote.refuse(message.id, message.message)
    else void close()
  }
}

function createRemoteLog(post: Post): Logger {
  const at =
    (level: 'info' | 'warn' | 'error'): Logger['info'] =>
    (message, fields = {}) =>
      post({ kind: 'log', level, message, fields })
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

/** Opens a database for reading; throws `StoreError`. */
export async function openReading(place: DatabasePlace, clock: Clock): Promise<ReadingStore> {
  if ('path' in place) return openSqliteReading(place, clock)
  // Loads the driver only when needed.
  const { openPostgresReading } = await import('../../../store/postgres/open.ts')
  return openPostgresReading(place, clock)
}
