import { type Audited, findFaults } from '../support/audit.ts'
import { startOwnTime } from '../support/own-time.ts'
import type { TestEngine } from '../support/test-store.ts'
import type { Crowd, Outcome } from './clients/crowd.ts'
import { payerNames, payers } from './config.ts'
import { createJudge } from './judge.ts'
import { createRandom, pick, type Random } from './random.ts'
import { emptyReport, kindOf, type Report } from './report.ts'
import type { Upstream } from './upstream/upstream.ts'
import type { Fault, World } from './world.ts'

export interface Direction<W extends World> {
  readonly world: W
  readonly crowd: Crowd
  readonly upstream: Upstream
  readonly engine: TestEngine
  readonly faults: readonly Fault<W>[]
  readonly seed: number
  /** Which fault of the seed's list is the first one, from 1. */
  readonly from: number
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
/** What is compared as a whole grows with what is stored: not after each fault, when it takes long. */
const usualEvery = 10

/** Draws one fault after the other, and has the books judged after each. */
export async function direct<W extends World>(direction: Direction<W>): Promise<Report> {
  const { world, crowd, upstream, seed, from, isOver, say } = direction
  const report = emptyReport(seed)
  const able = direction.faults.filter((fault) => {
    const why = fault.missing?.(world)
    if (why !== undefined) report.skipped.set(fault.name, why)
    return why === undefined
  })
  const audited: Audited = {
    ...{ rows: world.rows, engine: direction.engine, isAtRest: true, isBounded: false },
    thousandths: Object.fromEntries(payerNames.map((name) => [name, payers[name].thousandths])),
  }
  const judge = createJudge(world.rows, upstream)
  const readLogs = createLogReader(world)
  const known = new Set<string>()
  let seenSurprises = 0
  let verifyMs = 0
  const readyMs = await untilReady(world)
  if (readyMs === undefined) throw new Error('The world is not ready before any fault.')

  for (let at = from; !isOver(report) && able.length > 0; at++) {
    const random = createRandom(seed * 100_003 + at)
    const chosen = choose(able, random)
    const names = chosen.map(({ name }) => name).join(' + ')
    const found: string[] = []
    const note = (where: string) => (error: unknown) => {
      found.push(`${where}: ${error instanceof Error ? error.message : String(error)}`)
    }
    crowd.go()
    await Bun.sleep(200 + random() * 800)
    const ends = await begin(chosen, world, random, note)
    await Bun.sleep(200 + random() * 1_500)
    for (const end of ends) await end().catch(note('at its end'))
    const stopped = world.nodes.filter((node) => !node.isUp())
    for (const node of stopped) await node.start()
    const after = await untilReady(world)
    if (after === undefined) found.push(`not ready within ${readyAtLastMs / 1000} s`)
    else if (after > readyWithinMs) found.push(`ready only after ${(after / 1000).toFixed(1)} s`)
    await Bun.sleep(random() * 500)
    await crowd.rest()

    const outcomes = crowd.take()
    const chargesBefore = judge.charges()
    found.push(...(await judge.judge(outcomes)), ...judgeRefusals(chosen, outcomes, upstream))
    found.push(...readLogs(chosen))
    const surprises = direction.surprises()
    const isMeant = chosen.some(({ stops }) => stops)
    if (!isMeant) found.push(...surprises.slice(seenSurprises))
    seenSurprises = surprises.length
    if (verifyMs < 1_500 || at % usualEvery === 0) {
      const startTick = performance.now()
      found.push(...(await findFaults(audited)))
      const wrong = await world.verify()
      verifyMs = performance.now() - startTick
      // What stays wrong is told once.
      const rows = wrong?.match(/"row": ?"[^"]+"/g) ?? []
      const isNew = rows.length === 0 || rows.some((row) => !known.has(row))
      for (const row of rows) known.add(row)
      if (wrong !== undefined && isNew) found.push(wrong)
    }

    report.faults++
    report.charges = judge.charges()
    const whole = outcomes.filter(({ ending }) => ending === 'whole').length
    report.answers += whole
    for (const { ending } of outcomes) {
      report.endings.set(ending, (report.endings.get(ending) ?? 0) + 1)
    }
    for (const { name } of chosen) {
      const kind = kindOf(report, name)
      kind.times++
      kind.answers += whole
      kind.charges += judge.charges() - chargesBefore
      if (after !== undefined) kind.readyMs.push(after)
    }
    say(`${at}. ${names}: ${whole} answers, ready after ${((after ?? 0) / 1000).toFixed(1)} s`)
    const replay = `Replay: bun run rehearse --seed ${seed} --fault ${at}`
    const told = found.slice(0, 8).map((what) => `${at}. ${names}: ${what}`)
    if (found.length > 8) told.push(`${at}. ${names}: … and ${found.length - 8} more`)
    if (told.length > 0) told.push(replay)
    report.findings.push(...told.slice(0, -1).map((what) => `${what} (${replay})`))
    for (const line of told) say(line)
    if (after === undefined) break
  }
  return report
}

/** One fault, or two different ones. */
function choose<W extends World>(able: readonly Fault<W>[], random: Random): Fault<W>[] {
  const isPair = random() < pairs
  const first = pick(random, weighted(able))
  const others = weighted(able.filter((fault) => fault !== first))
  return isPair && others.length > 0 ? [first, pick(random, others)] : [first]
}

/** There are many kinds of odd upstreams: each of them comes less often. */
const weighted = <W extends World>(faults: readonly Fault<W>[]): Fault<W>[] =>
  faults.flatMap((fault) => Array(fault.name.startsWith('upstream: ') ? 1 : 4).fill(fault))

/** Begins them one after the other; what begins no more than in part is said, and not ended. */
async function begin<W extends World>(
  chosen: readonly Fault<W>[],
  world: W,
  random: Random,
  note: (where: string) => (error: unknown) => void,
): Promise<(() => Promise<void>)[]> {
  const ends: (() => Promise<void>)[] = []
  for (const fault of chosen) {
    try {
      // The last one to begin is the first one to end.
      ends.unshift(await fault.begin(world, random))
    } catch (error) {
      note('at its beginning')(error)
    }
    await Bun.sleep(random() * 500)
  }
  return ends
}

/** In the time in which this process could run: nodes get no more of a busy machine. */
async function untilReady(world: World): Promise<number | undefined> {
  using ownTime = startOwnTime()
  const latest = performance.now() + readyAtLastMs
  while (performance.now() < latest) {
    if (await world.isReady()) return ownTime.now()
    for (const node of world.nodes) if (!node.isUp()) await node.start()
    await Bun.sleep(20)
  }
  return undefined
}

/** What clients may not be told by a fault that refuses nobody, or breaks nothing off. */
function judgeRefusals(
  chosen: readonly { readonly allows?: Fault['allows'] }[],
  outcomes: readonly Outcome[],
  { bills }: Pick<Upstream, 'bills'>,
): string[] {
  const allowed = new Set(chosen.flatMap(({ allows = [] }) => allows))
  const isOwn = ({ ending, status, ask }: Outcome) =>
    ending === 'unreached' || (status === 500 && ask.kind !== 'failing')
  return outcomes.flatMap((outcome) => {
    const { ask, ending, status, told } = outcome
    const isBroken = ending === 'broken' && bills.get(ask.number)?.at(-1)?.isWhole !== false
    const isWrong = isOwn(outcome)
      ? !allowed.has('refusals') && !allowed.has('cut')
      : isBroken && !allowed.has('cut')
    if (!isWrong) return []
    const { number, kind, payer, dialect } = ask
    return [
      `${ending} by a fault that should not: ${JSON.stringify({ ...{ number, kind, payer }, dialect: dialect.name, status, told })}`,
    ]
  })
}

/** Errors that nodes have logged since the last call, but for those that a fault may cause. */
function createLogReader(world: World): (chosen: readonly Fault<never>[]) => string[] {
  const seen = new Map<string, number>()
  return (chosen) =>
    world.nodes.flatMap((node) => {
      const lines = node.log()
      const news = lines.slice(seen.get(node.name) ?? 0)
      seen.set(node.name, lines.length)
      return news
        .filter((line) => isError(line) && !chosen.some(({ logs }) => logs?.test(line)))
        .map((line) => `${node.name} said: ${line.slice(0, 600)}`)
    })
}

const isError = (line: string): boolean =>
  /"level":"error"|unhandled|uncaught|^\s+at .+:\d+|panic|Segmentation/i.test(line) ||
  (line.trim() !== '' && !line.startsWith('{'))
