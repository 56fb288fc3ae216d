import type { Bench, BenchCase } from './bench.ts'
import { measureOwn, measureRequests } from './measure.ts'
import { chatPath, requests } from './requests.ts'
import { measureInRounds } from './rounds.ts'
import type { Subject } from './subjects.ts'
import { type Figures, summarise } from './summary.ts'
import { writeScript } from './wrk.ts'

const connections = 64
const body = requests.small

/** Latency of small requests at half of what each subject can do, over that without it. */
export const halfLoadCase: BenchCase = {
  name: 'half-load',
  async run(bench) {
    const direct = await bench.subject('direct', 'constant')
    const subjects: Subject[] = []
    for (const name of bench.options.subjects) {
      const subject = name === 'direct' ? undefined : await bench.subject(name, 'constant')
      if (subject !== undefined) subjects.push(subject)
    }
    const capacities = new Map<Subject, number>()
    const measured = await measureInRounds(bench, subjects, async (subject, seconds) => {
      let capacity = capacities.get(subject)
      if (capacity === undefined) {
        await capacityOf(bench, subject, seconds) // warms it up
        capacity = await capacityOf(bench, subject, bench.options.seconds)
        capacities.set(subject, capacity)
      }
      const rate = capacity / 2
      const options = { connections, seconds, body, rate }
      const figures = await measureOwn(bench.client, subject, options)
      return direct ? above(figures, await measureOwn(bench.client, direct, options)) : figures
    })
    const title = 'small JSON, 64 connections, half of what each can do'
    const comparison = { figure: 'addedP99Ms', with: [] } as const
    return summarise({ title, counts: 'requests', comparison }, measured)
  },
}

async function capacityOf({ client, place }: Bench, subject: Subject, seconds: number) {
  const script = place.folder.join(`${subject.name}-half.lua`)
  writeScript(script, { headers: subject.headers, body })
  const options = { connections, seconds, script, path: chatPath, bodyBytes: 0 }
  return (await measureRequests(client, subject, options)).perSecond ?? 0
}

function above(figures: Figures, direct: Figures): Figures {
  const over = (name: 'p50Ms' | 'p90Ms' | 'p99Ms') => (figures[name] ?? 0) - (direct[name] ?? 0)
  return {
    ...figures,
    addedP50Ms: over('p50Ms'),
    addedP90Ms: over('p90Ms'),
    addedP99Ms: over('p99Ms'),
  }
}
