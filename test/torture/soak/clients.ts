import { ask, requestIdOf } from '../../e2e/caller.ts'
import { allDialects } from '../../e2e/dialects.ts'
import type { Random } from '../../support/random.ts'
import { readSlowly } from '../../support/slow-reader.ts'
import { makeAsk, payerNames, payers, questionOf, type SoakAsk } from './asks.ts'

/** What clients got, of all that they asked. */
export interface Harvest {
  asked: number
  /** Under way at this moment. */
  open: number
  /** Answers that came whole: the gateway's id, and what was asked. */
  readonly received: { readonly id: string; readonly ask: SoakAsk }[]
  /** Everything else, by what it was. */
  readonly others: Map<string, number>
  /** What must not be. */
  readonly wrong: string[]
}

export const emptyHarvest = (): Harvest => ({
  ...{ asked: 0, open: 0, received: [], others: new Map(), wrong: [] },
})

export interface ClientParts {
  readonly port: number
  readonly url: string
  readonly random: Random
  readonly harvest: Harvest
}

/** What a client may be told when its request comes to nothing. */
const expectedStatuses = new Set([400, 404, 429, 502, 504])

/** A client that asks one thing after the other until it is told to stop. */
export async function runClient(parts: ClientParts, isOver: () => boolean): Promise<void> {
  const { random, harvest } = parts
  while (!isOver()) {
    const one = makeAsk(random, ++harvest.asked)
    harvest.open++
    try {
      if (one.size === 'large') await askSlowly(parts, one)
      else await askOnce(parts, one)
    } catch (error) {
      if (one.leavesAfter !== undefined) count(harvest, 'left')
      else harvest.wrong.push(`${describe(one)}: ${error}`)
    }
    harvest.open--
    await Bun.sleep(random() * 100)
  }
}

/** How long a limit, or what cools, may still stand in the way of the next request. */
const patienceMs = 75_000

/**
 * With upstreams that are well: whom nobody serves any more, one after the other. A place that was
 * never given back would keep its owner out for ever.
 */
export async function findUnserved({ url }: Pick<ClientParts, 'url'>): Promise<string[]> {
  const unserved: string[] = []
  const end = performance.now() + patienceMs
  for (const payer of payerNames) {
    for (const dialect of allDialects) {
      const status = await askUntilServed(url, { payer, dialect }, end)
      if (status !== 200) unserved.push(`At the end ${payer} by ${dialect.name} gets a ${status}`)
    }
  }
  return unserved
}

async function askUntilServed(
  url: string,
  { payer, dialect }: Pick<SoakAsk, 'payer' | 'dialect'>,
  end: number,
): Promise<number> {
  const options = { question: 'soak-1-whole-', key: payers[payer].key }
  for (;;) {
    const response = await ask(url, dialect, false, options)
    await response.text()
    if (response.status === 200 || performance.now() > end) return response.status
    await Bun.sleep(500)
  }
}

async function askOnce({ url, harvest }: ClientParts, one: SoakAsk): Promise<void> {
  const leaving =
    one.leavesAfter === undefined ? {} : { signal: AbortSignal.timeout(one.leavesAfter) }
  const options = { question: questionOf(one), key: payers[one.payer].key, ...leaving }
  const response = await ask(url, one.dialect, one.stream, options)
  if (response.status !== 200) return refused(harvest, one, response.status, await response.text())
  const id = requestIdOf(response)
  if (!one.stream) {
    whole(harvest, one, { id, text: await response.text(), broken: undefined })
    return
  }
  const decoder = new TextDecoder()
  let text = ''
  let broken: unknown
  try {
    for await (const piece of response.body ?? []) text += decoder.decode(piece, { stream: true })
  } catch (error) {
    broken = error // the last words may have been there already
  }
  streamed(harvest, one, { id, text, broken })
}

async function askSlowly({ port, harvest, random }: ClientParts, one: SoakAsk): Promise<void> {
  const body = JSON.stringify(one.dialect.request(true, questionOf(one)))
  const slow = { path: one.dialect.path(true), key: payers[one.payer].key, body }
  const { status, id, text, isClosedWell } = await readSlowly(port, random, slow)
  if (status !== 200) return refused(harvest, one, status, text)
  streamed(harvest, one, { id, text, broken: isClosedWell ? undefined : 'no last chunk' })
}

function refused(harvest: Harvest, one: SoakAsk, status: number, text: string): void {
  count(harvest, `refused with ${status}`)
  if (!expectedStatuses.has(status)) harvest.wrong.push(`${describe(one)}: ${status} ${text}`)
}

interface Came {
  readonly id: string
  readonly text: string
  readonly broken: unknown
}

/** What all answers of well upstreams say. */
const wellSaid = 'hello'

function whole(harvest: Harvest, one: SoakAsk, { id, text }: Came): void {
  // Where nothing did better, an upstream's answer that is an error is passed on as it is.
  if (text.includes(wellSaid)) harvest.received.push({ id, ask: one })
  else if (text.includes('"error"')) count(harvest, 'answers that were an error')
  else harvest.wrong.push(`${describe(one)}, ${id} got no answer and no error: ${text}`)
}

function streamed(harvest: Harvest, one: SoakAsk, { id, text, broken }: Came): void {
  if (one.dialect.isWhole(text)) {
    harvest.received.push({ id, ask: one })
    return
  }
  const isTold = one.dialect.isError(text)
  if (isTold || one.leavesAfter !== undefined) {
    count(harvest, isTold ? 'streams that ended with an error' : 'left')
    return
  }
  const how = broken === undefined ? 'ended as if it were whole' : `broke off (${broken})`
  harvest.wrong.push(`${describe(one)}, ${id} ${how}: ${text.slice(-200)}`)
}

function count({ others }: Harvest, what: string): void {
  others.set(what, (others.get(what) ?? 0) + 1)
}

const describe = ({ number, payer, dialect, size }: SoakAsk) =>
  `Request ${number} (${payer}, ${dialect.name}, ${size})`
