import type { Bench, BenchCase } from './bench.ts'
import { gatheredGarbage } from './garbage.ts'
import { measureRequests } from './measure.ts'
import { chatPath, requests } from './requests.ts'
import { type Place, type Subject, type SubjectName, startSubject } from './subjects.ts'
import { type Figures, type Measured, summarise } from './summary.ts'
import { watchCalls } from './system-calls.ts'
import { writeScript } from './wrk.ts'

const connections = 64
const subjectNames: readonly SubjectName[] = ['bare', 'tollgate', 'workers-2']

/**
 * What one small request costs beside processor time: calls of the system, garbage and collections. Their counting
 * slows a program down, so it is measured by itself.
 */
export const costCase: BenchCase = {
  name: 'costs',
  async run(bench) {
    const measured: Measured[] = []
    for (const name of bench.options.subjects) {
      if (!subjectNames.includes(name)) continue
      measured.push({ subject: name, rounds: await costsOf(bench, name) })
    }
    const comparison = { figure: 'systemCalls', with: ['bare'] } as const
    const title = `a small request of ${connections} connections`
    return summarise({ title, counts: 'requests', comparison }, measured)
  },
}

async function costsOf(bench: Bench, name: SubjectName): Promise<Figures[]> {
  const { options, upstreams } = bench
  const place: Place = { ...bench.place, mark: '-costs', env: { BUN_JSC_logGC: '1' } }
  await using subject = await startSubject(name, upstreams.constant, place)
  if (subject?.program === undefined) return []
  await load(bench, subject, options.warmSeconds)
  const rounds: Figures[] = []
  for (let round = 0; round < options.rounds; round++) {
    const garbage = gatheredGarbage(subject.program.errorLog)
    const { requests: ofGarbage } = await load(bench, subject, options.seconds)
    const { gatheredKb, collections, longestPauseMs } = garbage()
    const calls = watchCalls(subject.program.pids())
    const { requests: ofCalls } = await load(bench, subject, options.seconds)
    const systemCalls = await calls?.()
    rounds.push({
      garbageKb: gatheredKb / ofGarbage,
      collections: (collections / ofGarbage) * 1000,
      longestPauseMs,
      ...(systemCalls !== undefined && { systemCalls: systemCalls / ofCalls }),
    })
  }
  return rounds
}

async function load({ client, place }: Bench, subject: Subject, seconds: number) {
  const script = place.folder.join(`${subject.name}-costs.lua`)
  writeScript(script, { headers: subject.headers, body: requests.small })
  const options = { connections, seconds, script, path: chatPath, bodyBytes: 0 }
  const { perSecond = 0 } = await measureRequests(client, subject, options)
  return { requests: Math.max(1, perSecond * seconds) }
}
