import { ask, requestIdOf } from '../e2e/caller.ts'
import type { Random } from '../support/random.ts'
import { readAll } from '../support/read-all.ts'
import { type Ask, makeAsk, payers, questionOf } from './asks.ts'

/** An answer that a client got to its very end. */
export interface Received {
  readonly id: string
  readonly ask: Ask
}

/** What clients got, of all that they asked. */
export interface Harvest {
  /** The number of the newest request, too. */
  asked: number
  readonly received: Received[]
  /** Answers that were no answers, by status: refused, or told of an error. */
  readonly refused: Map<number, number>
  /** Streams that ended with an error of their protocol. */
  told: number
  /** What the end of the process, the upstream or the client itself broke off. */
  brokenOff: number
  /** Streams that ended as if they were whole, and were not. */
  readonly odd: string[]
}

export const emptyHarvest = (): Harvest => ({
  asked: 0,
  received: [],
  refused: new Map(),
  told: 0,
  brokenOff: 0,
  odd: [],
})

export interface ClientParts {
  readonly url: string
  readonly random: Random
  readonly harvest: Harvest
}

/** A client that asks one thing after the other until it is told to stop. */
export async function runClient(parts: ClientParts, isOver: () => boolean): Promise<void> {
  const { random, harvest } = parts
  while (!isOver()) {
    const one = makeAsk(random, ++harvest.asked)
    try {
      await askOnce(parts, one)
    } catch {
      harvest.brokenOff++
      await Bun.sleep(1) // where nobody listens a client would ask without a pause
    }
  }
}

async function askOnce({ url, harvest }: ClientParts, one: Ask): Promise<void> {
  const response = await send(url, one)
  if (response.status !== 200) {
    await response.text()
    harvest.refused.set(response.status, (harvest.refused.get(response.status) ?? 0) + 1)
    if (response.status === 502) await Bun.sleep(5) // a balancer without nodes says so at once
    return
  }
  const id = requestIdOf(response)
  if (!one.stream) {
    await response.json()
    harvest.received.push({ id, ask: one })
    return
  }
  const { text, isBroken } = await readAll(response)
  if (one.dialect.isWhole(text)) harvest.received.push({ id, ask: one })
  else if (one.dialect.isError(text)) harvest.told++
  else if (isBroken) harvest.brokenOff++
  else harvest.odd.push(`${id} ended as if it were whole: ${text.slice(-200)}`)
}

async function send(url: string, one: Ask): Promise<Response> {
  const { key } = payers[one.payer]
  const question = questionOf(one)
  const signal =
    one.leavesAfter === undefined ? {} : { signal: AbortSignal.timeout(one.leavesAfter) }
  if (one.kind === 'broken' || one.kind === 'foreign') {
    const request = { ...one.dialect.request(false, question), previous_response_id: 'resp_1' }
    const body = JSON.stringify(request).slice(0, one.kind === 'broken' ? -1 : undefined)
    return fetch(url + one.dialect.path(false), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
      keepalive: false,
      proxy: false,
      ...signal,
    })
  }
  return ask(url, one.dialect, one.stream, { question, key, ...signal })
}
