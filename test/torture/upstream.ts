import { allDialects, type Dialect } from '../e2e/dialects.ts'
import { jsonAnswer, type SeenRequest, startFakeUpstream } from '../support/fake-upstream.ts'
import { type Ask, readQuestion, tokensOf } from './asks.ts'

/** The upstream of a torture: it does what the question says, and remembers whom it answered. */
export interface TortureUpstream extends AsyncDisposable {
  readonly url: string
  /** Numbers of the requests that it has begun to answer. */
  readonly answered: ReadonlySet<number>
  /** Requests that it was asked more than once. */
  readonly repeated: readonly number[]
  /** Forgets the bodies; what it answered it remembers. */
  clear(): void
}

/** How an attempt's row names the upstream's side of a request. */
export const upstreamId = (number: number) => `upstream-${number}`

type Asked = Pick<Ask, 'number' | 'kind' | 'payer'>

export function startTortureUpstream(): TortureUpstream {
  const answered = new Set<number>()
  const asked = new Set<number>()
  const repeated: number[] = []

  async function answer(seen: SeenRequest): Promise<Response> {
    const found = readQuestion(seen.text())
    const dialect = allDialects.find(({ path }) => [path(true), path(false)].includes(seen.path))
    if (found === undefined || dialect === undefined) return jsonAnswer({ error: seen.path }, 404)
    const { number, kind } = found
    if (asked.has(number)) repeated.push(number)
    asked.add(number)
    const headers = { 'x-request-id': upstreamId(number) }
    if (kind === 'failing') return jsonAnswer({ error: { message: 'broken' } }, 500, headers)
    if (kind === 'refused') return jsonAnswer({ error: { message: 'no' } }, 400, headers)
    if (kind === 'slow') await Bun.sleep(number % 60)
    answered.add(number)
    if (kind === 'short' || kind === 'long' || kind === 'cut')
      return stream(found, dialect, headers)
    return jsonAnswer(dialect.body(tokensOf(found)), 200, headers)
  }

  const upstream = startFakeUpstream(answer)
  return {
    url: upstream.url,
    answered,
    repeated,
    clear: upstream.clear,
    [Symbol.asyncDispose]: upstream.stop,
  }
}

const lengths = { short: 3, long: 40, cut: 8 } as const

function stream(asked: Asked, dialect: Dialect, headers: object): Response {
  const { number, kind } = asked
  const tokens = tokensOf(asked)
  const length = kind === 'short' || kind === 'long' || kind === 'cut' ? lengths[kind] : 1
  async function* pieces() {
    const encoder = new TextEncoder()
    yield encoder.encode(dialect.first(tokens))
    for (let i = 0; i < length; i++) {
      yield encoder.encode(dialect.piece(`part ${i} of ${number}. `))
      await (kind === 'short' ? turn() : Bun.sleep(number % 20))
    }
    if (kind === 'cut') throw new Error('The upstream breaks its stream, as it was asked to.')
    // The last words in two parts: the usage may arrive before the end does.
    const last = encoder.encode(dialect.last(tokens))
    const middle = number % last.length
    yield last.subarray(0, middle)
    await turn()
    yield last.subarray(middle)
  }
  return new Response(pieces() as unknown as Bun.BodyInit, {
    headers: { 'content-type': 'text/event-stream', ...headers },
  })
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
