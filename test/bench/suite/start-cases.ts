import { endStreams, openStreams, startScene } from '../streams/scene.ts'
import { type Bench, type BenchCase, cores } from './bench.ts'
import { prepareFullDatabase } from './full-database.ts'
import { chatPath, requests } from './requests.ts'
import { attempt, measuredOf } from './rounds.ts'
import { sizeNames, startSized } from './size-cases.ts'
import { type Subject, startSubject } from './subjects.ts'
import { type Figures, type Measured, summarise } from './summary.ts'

const megabyte = 1_000_000

/** Starts a program anew. */
type Start = () => Promise<Subject | undefined>

/** Programs that run by themselves, and Tollgate before an empty and before the full database. */
async function startersOf(bench: Bench): Promise<ReadonlyMap<string, Start>> {
  const full = await prepareFullDatabase(bench)
  const empty = bench.place.folder.join('empty-database')
  const names = bench.options.subjects.filter((name) => name === 'bare' || name === 'portkey')
  return new Map<string, Start>([
    ...names.map(
      (name) => [name, () => startSubject(name, bench.upstreams.constant, bench.place)] as const,
    ),
    [sizeNames.few, () => startSized(bench, sizeNames.few, { cwd: empty })],
    [sizeNames.full, () => startSized(bench, sizeNames.full, { cwd: full })],
  ])
}

/** Measures each program in turn, as often as there are rounds. */
async function measureInTurn(
  { options, say }: Bench,
  starters: ReadonlyMap<string, Start>,
  measure: (subject: Subject) => Promise<Figures>,
): Promise<Measured[]> {
  const found = [...starters].map(([name, start]) => ({
    ...{ subject: name, start, rounds: [] as Figures[] },
    trouble: undefined as string | undefined,
  }))
  for (let round = 0; round < options.rounds; round++) {
    for (const one of found) {
      await attempt(one, say, async () => {
        await using subject = await one.start()
        if (subject !== undefined) one.rounds.push(await measure(subject))
      })
    }
  }
  return found.map(measuredOf)
}

const startCase: BenchCase = {
  name: 'start',
  async run(bench) {
    const measured = await measureInTurn(bench, await startersOf(bench), async (subject) => {
      const startedTick = subject.program?.startedTick ?? Number.NaN
      const listeningMs = performance.now() - startedTick
      const { url, headers } = subject
      const answer = await fetch(url + chatPath, {
        ...{ method: 'POST', headers, body: requests.small, proxy: false },
      })
      if (!answer.ok) throw new Error(`${subject.name} refused the first request`)
      await answer.text()
      return { listeningMs, firstAnswerMs: performance.now() - startedTick }
    })
    const comparison = { figure: 'firstAnswerMs', with: ['bare', 'portkey'] } as const
    return summarise(
      { title: 'from exec to the first answer of a model', counts: 'starts', comparison },
      measured,
    )
  },
}

const idleMs = 10_000

const idleCase: BenchCase = {
  name: 'idle',
  async run(bench) {
    const measured = await measureInTurn(bench, await startersOf(bench), async ({ program }) => {
      await Bun.sleep(idleMs)
      return { residentMb: (program?.residentBytes() ?? Number.NaN) / megabyte }
    })
    const title = `memory ${idleMs / 1000} s after the start, nothing asked`
    const comparison = { figure: 'residentMb', with: [] } as const
    return summarise({ title, counts: 'starts', comparison }, measured)
  },
}

const warmingStreams = 200
const settleMs = 3_000
const bytesPerKilobyte = 1000

/** Streams that have begun and then say nothing. */
function idleStreamsCase(count: number): BenchCase {
  return {
    name: `idle-streams-${count}`,
    async run(bench) {
      const { place, options } = bench
      const names = options.subjects.filter((name) => ['nginx', 'bare', 'tollgate'].includes(name))
      await using scene = await startScene({ gateway: cores.subject, others: cores.others })
      const upstream = `http://127.0.0.1:${scene.upstreamPort}`
      const starters = new Map<string, Start>(
        names.map((name) => [name, () => startSubject(name, upstream, place)]),
      )
      const measured = await measureInTurn(bench, starters, async ({ program, port }) => {
        const resident = () => program?.residentBytes() ?? Number.NaN
        // What the first requests of a process make it load is not the streams'.
        await openStreams(scene, 'gateway', port, warmingStreams)
        await endStreams(scene)
        await Bun.sleep(settleMs)
        const before = resident()
        await openStreams(scene, 'gateway', port, count)
        await Bun.sleep(settleMs)
        const open = resident()
        const { gateway } = await endStreams(scene)
        if (gateway.ended !== count)
          throw new Error(`${gateway.ended} of ${count} streams were whole`)
        const kbPerStream = (open - before) / count / bytesPerKilobyte
        return { residentMb: open / megabyte, kbPerStream }
      })
      const title = `memory of ${count} streams that say nothing`
      const comparison = { figure: 'kbPerStream', with: [] } as const
      return summarise({ title, counts: 'streams', comparison }, measured)
    },
  }
}

/** Starts, and what a process takes while it has little to do. */
export const startCases: readonly BenchCase[] = [
  startCase,
  idleCase,
  idleStreamsCase(1000),
  idleStreamsCase(5000),
]
