import { type Asked, bodyOf } from '../../../look/question.ts'
import { createAnswerReader } from './answer-reader.ts'

/** A question by one of one's tokens. */
export interface Question extends Asked {
  readonly token: number
}

/** Where the console asks. */
export function consolePath({ token, protocol, model, stream }: Question): string {
  const query = new URLSearchParams({ token: String(token) })
  if (protocol === 'gemini') {
    query.set('model', model)
    query.set('stream', String(stream))
  }
  return `/api/v1/playground/${protocol}?${query}`
}

export interface Exchange {
  readonly question: Question
  readonly phase: 'asking' | 'done' | 'stopped' | 'broken'
  readonly status: number | null
  readonly headers: readonly (readonly [string, string])[]
  readonly requestId: string | null
  /** The gateway's machine word for its refusal; null: it is the upstream's, or none. */
  readonly cause: string | null
  readonly text: string
  readonly error: string | undefined
  /** All that came, as it came. */
  readonly raw: string
  readonly isRawCut: boolean
  /** Milliseconds until the first text, and until the end; as measured here. */
  readonly firstTextMs: number | null
  readonly totalMs: number | null
}

/** More of an answer is not shown as it came. */
const maxRaw = 256 * 1024

/** Asks a model and follows its answer to its end, or until the signal stops it. */
export async function* follow(question: Question, signal: AbortSignal): AsyncGenerator<Exchange> {
  const begun = performance.now()
  const since = () => Math.round(performance.now() - begun)
  let now: Exchange = {
    ...{ question, phase: 'asking', status: null, headers: [], requestId: null, cause: null },
    ...{ text: '', error: undefined, raw: '', isRawCut: false, firstTextMs: null, totalMs: null },
  }
  yield now
  try {
    const answer = await fetch(consolePath(question), {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(question)),
      signal,
    })
    now = {
      ...now,
      status: answer.status,
      headers: [...answer.headers],
      requestId: answer.headers.get('x-request-id'),
      cause: answer.headers.get('x-tollgate-reason'),
    }
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
    const reader = createAnswerReader(question.protocol, isStream)
    for await (const piece of piecesOf(answer)) {
      reader.push(piece)
      const room = maxRaw - now.raw.length
      now = {
        ...now,
        ...reader.read(),
        raw: now.raw + piece.slice(0, Math.max(room, 0)),
        isRawCut: now.isRawCut || piece.length > room,
      }
      if (now.text !== '') now = { ...now, firstTextMs: now.firstTextMs ?? since() }
      yield now
    }
    reader.end()
    now = { ...now, ...reader.read() }
    const firstTextMs = now.firstTextMs ?? (now.text === '' ? null : since())
    yield { ...now, phase: 'done', firstTextMs, totalMs: since() }
  } catch (error) {
    const phase = signal.aborted ? 'stopped' : 'broken'
    yield { ...now, phase, totalMs: since(), ...(phase === 'broken' && { error: String(error) }) }
  }
}

/** Text as it comes; signs of several bytes that are cut come whole. */
async function* piecesOf(answer: Response): AsyncGenerator<string> {
  const reader = answer.body?.getReader()
  const decoder = new TextDecoder()
  for (;;) {
    const next = await reader?.read()
    if (next === undefined || next.done) break
    yield decoder.decode(next.value, { stream: true })
  }
  const last = decoder.decode()
  if (last !== '') yield last
}
