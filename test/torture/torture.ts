import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RunningBinary } from '../support/binary.ts'
import { createRandom } from '../support/made-ledger.ts'
import type { Random } from '../support/made-usage.ts'
import { credit, lockNowAndThen, verify } from './beside.ts'
import { type Books, createBooks } from './books.ts'
import { runClient } from './clients.ts'
import { killDuringStart, logLines, startGateway, tortureYaml } from './gateway.ts'
import { closeAsOthersDo, outliveOthers } from './outlive.ts'
import { emptyReport, type TortureReport } from './report.ts'
import { startTortureUpstream, type TortureUpstream } from './upstream.ts'

export interface TortureOptions {
  /** Where the database lies; it stays there. */
  readonly folder: string
  /** How often the gateway is killed under load. */
  readonly kills: number
  /** Decides what is asked, and when it is killed; the rest is chance. */
  readonly seed: number
  /** Ends earlier, after so many seconds. */
  readonly seconds?: number | undefined
  readonly onRound?: (report: TortureReport) => void
}

/** Clients that ask at the same time. */
const clients = 24
/** In every so manieth round clients end what they have begun before it is killed. */
const calmEvery = 8
/** In every so manieth the poor account gets a credit, by a command beside the gateway. */
const creditEvery = 3
/** In every so manieth another process holds the write lock now and then. */
const lockEvery = 4

interface Torture {
  readonly folder: string
  /** Its configuration file, for an address. */
  readonly config: (listen: string) => string
  readonly upstream: TortureUpstream
  readonly random: Random
  readonly report: TortureReport
  readonly books: Books
}

/**
 * Kills the compiled program again and again while clients of all protocols ask it, and looks after
 * each time whether its books are right.
 */
export async function torture(options: TortureOptions): Promise<TortureReport> {
  const { folder, kills, seed, seconds = Number.POSITIVE_INFINITY, onRound } = options
  await using upstream = startTortureUpstream()
  const report = emptyReport(seed)
  const books = createBooks(folder, upstream, report)
  const config = (listen: string) => tortureYaml(upstream.url, listen)
  const parts: Torture = { folder, config, upstream, random: createRandom(seed), report, books }
  const latest = performance.now() + seconds * 1000
  let open: ReadonlySet<string> | undefined = new Set()
  while (report.kills < kills && performance.now() < latest) {
    open = await round(parts, open)
    onRound?.(report)
  }
  const gateway = await start(parts, open)
  const end = () => {
    // Statements that wait to be collected keep connections of this process open, and the journal.
    Bun.gc(true)
    return gateway.stop()
  }
  const code = await load(parts, gateway, { forMs: 300, isCalm: true, end })
  if (code !== 0) report.faults.push(`The last one ended with exit code ${code}.`)
  if (existsSync(join(folder, 'tollgate.db-wal'))) {
    report.faults.push('Stopped well, it left a journal that would have to be recovered.')
  }
  report.faults.push(...report.odd)
  report.faults.push(
    ...upstream.repeated.map((number) => `The upstream was asked ${number} twice.`),
  )
  await books.atEnd()
  await verified(parts)
  return report
}

/** From a start to the next kill; gives what is open then, where that was looked at. */
async function round(parts: Torture, open: ReadonlySet<string> | undefined) {
  const { folder, config, upstream, random, report, books } = parts
  const isKilledEarly = random() < 0.25
  if (isKilledEarly) {
    await killDuringStart(folder, config, random() * 200)
    report.killedStarts++
  }
  // Who is killed while starting may have closed already what was open.
  const gateway = await start(parts, isKilledEarly ? undefined : open)
  const isCalm = report.kills % calmEvery === calmEvery - 1
  const end = () => gateway.kill('SIGKILL')
  await load(parts, gateway, { forMs: 60 + random() * 500, isCalm, end })
  report.kills++
  upstream.clear()
  // Every second time it is started again at once, before anyone else touches the file.
  if (random() >= 0.5) return undefined
  await outliveOthers(folder)
  return await books.afterKill()
}

async function start(
  { folder, config, report, books }: Torture,
  open: ReadonlySet<string> | undefined,
): Promise<RunningBinary> {
  const closed = await closeAsOthersDo(folder)
  const gateway = await startGateway(folder, config)
  report.startsMs.push(gateway.readyAfterMs)
  await books.afterStart(gateway, open, closed)
  return gateway
}

/** So many answers are received whole in every second round, however slow the machine is. */
const leastReceived = 45

interface Load {
  /** How long, in milliseconds, until the clients are to stop. */
  readonly forMs: number
  /** They end what they have begun first; else it is ended under their hands. */
  readonly isCalm: boolean
  readonly end: () => Promise<number>
}

/** Lets clients ask until the time is up, and ends the gateway; gives its exit code. */
async function load(parts: Torture, gateway: RunningBinary, { forMs, isCalm, end }: Load) {
  const { folder, random, report, books } = parts
  let over = false
  const isOver = () => over
  const client = { url: gateway.url, random, harvest: report }
  const running = Array.from({ length: clients }, () => runClient(client, isOver))
  if (report.kills % lockEvery === 1) running.push(lockNowAndThen(folder, random, isOver))
  if (report.kills % creditEvery === 0) running.push(addCredits(parts))
  if (isCalm) running.push(verified(parts))
  // On a slow machine it takes longer until there is something to lose; every second time it may
  // be killed before that.
  const enough = report.kills % 2 === 0 ? report.received.length + leastReceived : 0
  await Bun.sleep(forMs)
  const latest = performance.now() + 20_000
  while (report.received.length < enough && performance.now() < latest) await Bun.sleep(10)
  over = true
  if (isCalm) {
    await Promise.all(running)
    await books.whenCalm()
  }
  const [code] = await Promise.all([end(), ...running])
  for (const { level, message } of logLines(gateway)) {
    if (level === 'error') report.faults.push(`Kill ${report.kills}: it logged: ${message}`)
  }
  return code
}

/** The program's own judgement of its books. */
async function verified({ folder, report }: Torture): Promise<void> {
  const wrong = await verify(folder)
  if (wrong !== undefined) report.faults.push(`Kill ${report.kills}: ${wrong}`)
}

/** A new credit, and the last one once more, which changes nothing. */
async function addCredits({ folder, report, books }: Torture): Promise<void> {
  for (const number of [report.kills, report.kills - creditEvery]) {
    const key = `credit-${number}`
    if (number >= 0 && (await credit(folder, key))) books.credited(key)
  }
}
