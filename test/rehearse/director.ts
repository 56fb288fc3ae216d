import { type Audited, findFaults } from '../support/audit.ts'
import { startOwnTime } from '../support/own-time.ts'
import { createRandom, pick, type Random } from '../support/random.ts'
import type { TestEngine } from '../support/test-store.ts'
import type { Crowd } from './clients/crowd.ts'
import { payerNames, payers } from './config.ts'
import { findGap } from './gap.ts'
import { createJudge } from './judge.ts'
import { createLogReader, judgeRefusals } from './judge-nodes.ts'
import { addFault, emptyReport, type Report } from './report.ts'
import type { Upstream } from './upstream/upstream.ts'
import type { Fault, World } from './world.ts'

export interface Direction<W extends World> {
  readonly world: W
  readonly crowd: Crowd
  readonly upstream: Upstream
  readonly engine: TestEngine
  readonly faults: readonly Fault<W>[]
  /** Comes before all that are drawn. */
  readonly first?: Fault<W> | undefined
  readonly seed: number
  /** Which fault of the seed's list is the first one, from 1. */
  readonly from: number
  /** Options that a replay needs beside the seed. */
  readonly words?: string | undefined
  readonly isOver: (report: Report) => boolean
  readonly say: (line: string) => void
  /** How nodes ended that nobody ended, so far. */
  readonly surprises: () => readonly string[]
}

/** Every node takes requests again so soon after a fault, in milliseconds. */
const readyWithinMs = 10_000
/** Of a machine that has no time for anybody. */
const readyAtLastMs = 120_000
/** Two faults at once in so many of all cases. */
const pairs = 0.35

/** Draws one fault after the other, and has the books judged after each. */
export async function direct<W extends World>(direction: Direction<W>): Promise<Report> {
  const { world, crowd, upstream, seed, from, first, isOver, say } = direction
  const report = emptyReport(seed)
  const able = direction.faults.filter((fault) => {
    const why = fault.missing?.(world)
    if (why !== undefined) report.skipped.set(fault.name, why)
    return why === undefined
  })
  const judge = createJudge(world.rows, upstream)
  const readLogs = createLogReader(world)
  const readSurprises = createNews(direction.surprises)
  const audit = createAudit(direction)
  if ((await untilReady(world)) === undefined) throw new Error('It is not ready before any fault.')

  for (let at = from; !isOver(report) && able.length > 0; at++) {
    const random = createRandom(seed * 100_003 + at)
    const chosen = at === from && first ? [first] : choose(able, random)
    const { beganAt, readyMs, found } = await play(chosen, direction, random)
    await crowd.rest()
    const outcomes = crowd.take()
    const before = judge.charges()
    found.push(
      ...(await judge.judge(outcomes)),
      ...judgeRefusals(chosen, outcomes, upstream),
      ...readLogs(chosen),
    )
    const mayNotStart = chosen.some(({ refusesStarts }) => refusesStarts)
    const surprises = readSurprises().filter((what) => !(mayNotStart && what.endsWith(': 1')))
    if (!chosen.some(({ stops }) => stops)) found.push(...surprises)
    found.push(...(await audit(at)))

    const names = chosen.map(({ name }) => name)
    const replay = `Replay: bun run rehearse --seed ${seed} --fault ${at}${direction.words ?? ''}`
    const findings = briefly(found).map((what) => `${at}. ${names.join(' + ')}: ${what}`)
    addFault(report, {
      ...{ names, outcomes, charges: judge.charges() - before, readyMs },
      gap: findGap(outcomes, beganAt),
      findings: findings.map((finding) => `${finding} (${replay})`),
    })
    const seconds = ((readyMs ?? readyAtLastMs) / 1000).toFixed(1)
    const whole = outcomes.filter(({ ending }) => ending === 'whole').length
    say(`${at}. ${names.join(' + ')}: ${whole} answers, ready after ${seconds} s`)
    for (const line of findings.length > 0 ? [...findings, replay] : []) say(line)
    if (readyMs === undefined) return report
  }
  report.findings.push(...(await judge.judgeLeases()))
  return report
}

interface Played {
  /** The first fault, by `performance.now()`. */
  readonly beganAt: number
  /** From the end of the fault until every node was ready; undefined: it never was. */
  readonly readyMs: number | undefined
  readonly found: string[]
}

/** Begins faults and ends them while clients ask, and waits until every node is ready. */
async function play<W extends World>(
  chosen: readonly Fault<W>[],
  { world, crowd }: Direction<W>,
  random: Random,
): Promise<Played> {
  const found: string[] = []
  const note = (where: string) => (error: unknown) => {
    found.push(`${where}: ${error instanceof Error ? error.message : String(error)}`)
  }
  crowd.go()
  await Bun.sleep(300 + random() * 1_000)
  const ends: (() => Promise<void>)[] = []
  const beganAt = performance.now()
  for (const fault of chosen) {
    // The last one to begin is the first one to end.
    const end = await fault.begin(world, random).catch(note('at its beginning'))
    if (end) ends.unshift(end)
    await Bun.sleep(random() * 500)
  }
  await Bun.sleep(200 + random() * 1_500)
  for (const end of ends) await end().catch(note('at its end'))
  const readyMs = await untilReady(world)
  if (readyMs === undefined) found.push(`not ready within ${readyAtLastMs / 1000} s`)
  else if (readyMs > readyWithinMs) found.push(`ready only after ${(readyMs / 1000).toFixed(1)} s`)
  await Bun.sleep(random() * 500)
  return { beganAt, readyMs, found }
}

/** One fault, or two different ones. */
function choose<W extends World>(able: readonly Fault<W>[], random: Random): Fault<W>[] {
  const isPair = random() < pairs
  const first = pick(random, weighted(able))
  const others = weighted(
    able.filter(
      ({ name, part }) => name !== first.name && (part === undefined || part !== first.part),
    ),
  )
  return isPair && others.length > 0 ? [first, pick(random, others)] : [first]
}

/** There are many kinds of odd upstreams: each of them comes less often. */
const weighted = <W extends World>(faults: readonly Fault<W>[]): Fault<W>[] =>
  faults.flatMap((fault) => Array(fault.name.startsWith('upstream: ') ? 1 : 4).fill(fault))

/**
 * Starts what is down, and waits. In the time in which this process could run: nodes get no more of a busy
 * machine.
 */
async function untilReady(world: World): Promise<number | undefined> {
  using ownTime = startOwnTime()
  const latest = performance.now() + readyAtLastMs
  while (performance.now() < latest) {
    for (const node of world.nodes) if (!node.isUp()) await node.start()
    if (await world.isReady()) return ownTime.now()
    await Bun.sleep(20)
  }
  return undefined
}

/** Looks that take longer than this are not taken after each fault: what is stored grows. */
const usualMs = 1_500
const rareEvery = 10

/** What is wrong with all that is stored, by statements and by the program itself; each row is told once. */
function createAudit({ world, engine }: Pick<Direction<World>, 'world' | 'engine'>) {
  const thousandths = Object.fromEntries(payerNames.map((name) => [name, payers[name].thousandths]))
  const { rows } = world
  const audited: Audited = { rows, engine, thousandths, isAtRest: true, isBounded: false }
  const known = new Set<string>()
  let tookMs = 0
  return async (at: number): Promise<string[]> => {
    if (tookMs > usualMs && at % rareEvery !== 0) return []
    const startTick = performance.now()
    const wrong = [...(await findFaults(audited)), (await world.verify()) ?? []].flat()
    tookMs = performance.now() - startTick
    return wrong.filter((text) => {
      const named = text.match(/"row": ?"[^"]+"/g) ?? [text]
      const isNew = named.some((row) => !known.has(row))
      for (const row of named) known.add(row)
      return isNew
    })
  }
}

/** What has come since the last call. */
function createNews(all: () => readonly string[]): () => readonly string[] {
  let seen = 0
  return () => {
    const news = all().slice(seen)
    seen += news.length
    return news
  }
}

const mostTold = 8

const briefly = (found: readonly string[]): readonly string[] =>
  found.length <= mostTold
    ? found
    : [...found.slice(0, mostTold), `… and ${found.length - mostTold} more`]
