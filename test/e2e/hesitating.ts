import type { RunningBinary } from '../support/binary.ts'
import { jsonAnswer, type SeenRequest, startFakeUpstream } from '../support/fake-upstream.ts'
import { ask, readUntil, requestIdOf } from './caller.ts'
import { allDialects, type Dialect, dialects, type Tokens } from './dialects.ts'

/** What the streams of `startHesitating` say before they wait, and after. */
export const saidFirst = 'Hello, and welcome'
export const saidThen = ' there'

/**
 * An upstream whose streams begin at once and go on when they may; what is not streamed comes at
 * once.
 */
export function startHesitating(tokens: Tokens) {
  const go = Promise.withResolvers<void>()
  const upstream = startFakeUpstream((seen) => {
    const ways = ({ path }: Dialect) => [path(true), path(false)]
    const dialect = allDialects.find((one) => ways(one).includes(seen.path)) ?? dialects.chat
    if (!isStreamed(dialect, seen)) return jsonAnswer(dialect.body(tokens))
    const encoder = new TextEncoder()
    async function* body() {
      yield encoder.encode(dialect.first(tokens) + dialect.piece(saidFirst))
      await go.promise
      yield encoder.encode(dialect.piece(saidThen) + dialect.last(tokens))
    }
    const headers = { 'content-type': 'text/event-stream' }
    return new Response(body() as unknown as Bun.BodyInit, { headers })
  })
  return { upstream, go: go.resolve }
}

function isStreamed({ path }: Dialect, seen: SeenRequest): boolean {
  if (path(true) !== path(false)) return seen.path === path(true)
  return (seen.json() as { stream?: boolean }).stream === true
}

/** A stream that has begun, and the promise of all of its text. */
export async function beginStream(gateway: Pick<RunningBinary, 'url'>, dialect: Dialect) {
  const answer = await ask(gateway.url, dialect, true)
  const { text, reader } = await readUntil(answer, (so) => so.includes(saidFirst))
  const rest = async () => {
    const decoder = new TextDecoder()
    let all = text
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return all
      all += decoder.decode(value, { stream: true })
    }
  }
  return { id: requestIdOf(answer), text: rest() }
}
