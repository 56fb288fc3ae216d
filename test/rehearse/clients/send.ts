import type { Random } from '../../support/random.ts'
import { readAll } from '../../support/read-all.ts'
import { payers } from '../config.ts'
import { type Ask, bodyOf } from './asks.ts'
import type { Outcome } from './crowd.ts'

/** More than anything may take that ever ends: a node that was stopped for 90 s is part of it. */
export const patienceMs = 180_000

/** Sends a request, and reads its answer to the end. */
export async function send(url: string, ask: Ask, _random: Random): Promise<Outcome> {
  const patience = AbortSignal.timeout(patienceMs)
  const leaving = ask.leavesAfter === undefined ? [] : [AbortSignal.timeout(ask.leavesAfter)]
  const isGone = () => leaving.some(({ aborted }) => aborted)
  const ended = (): Outcome['ending'] | undefined =>
    isGone() ? 'left' : patience.aborted ? 'hung' : undefined
  let response: Response
  try {
    response = await fetch(url + ask.dialect.path(ask.stream), {
      ...{ method: 'POST', keepalive: false, proxy: false, body: bodyOf(ask) },
      headers: headersOf(ask),
      signal: AbortSignal.any([patience, ...leaving]),
    })
  } catch (error) {
    return { ask, ending: ended() ?? 'unreached', told: String(error) }
  }
  const { text, isBroken } = await readAll(response)
  const status = response.status
  const id = response.headers.get('x-request-id') ?? undefined
  const retryAfter = response.headers.get('retry-after') ?? undefined
  const isCut = isBroken ? (ended() ?? 'broken') : undefined
  return { ask, status, id, retryAfter, ...judgeText(ask, status, text, isCut) }
}

export const headersOf = ({ payer }: Ask) => ({
  authorization: `Bearer ${payers[payer].key}`,
  'content-type': 'application/json',
})

/** What a client makes of an answer. `isCut`: how its connection ended, if not well. */
export function judgeText(
  { stream, dialect }: Ask,
  status: number,
  text: string,
  isCut: Outcome['ending'] | undefined,
): Pick<Outcome, 'ending' | 'told'> {
  if (status !== 200) return { ending: 'refused', told: text.slice(0, 300) }
  if (!stream) {
    if (isCut !== undefined) return { ending: isCut }
    return { ending: judgeJson(text), told: text.slice(0, 300) }
  }
  if (dialect.isWhole(text)) return { ending: 'whole' }
  if (dialect.isError(text)) return { ending: 'told', told: text.slice(-300) }
  return { ending: isCut ?? 'odd', told: text.slice(-300) }
}

/** Upstreams tell of errors in answers with status 200, too. */
function judgeJson(text: string): 'whole' | 'told' | 'odd' {
  try {
    return JSON.parse(text).error ? 'told' : 'whole'
  } catch {
    return 'odd'
  }
}
