import { ask, bodyOf, count, type Tally } from './clients.ts'

// A paying client as a process of its own: PORT KEY MILLISECONDS.

/** Of small requests, in milliseconds. */
export interface Times {
  readonly p50: number
  readonly p99: number
  readonly count: number
}

/** What this process tells at its end. */
export interface Paid {
  readonly times: Times
  readonly answers: readonly (readonly [string, number])[]
}

/** Requests at once. */
const clients = 4

const [port = '', key = '', forMs = ''] = process.argv.slice(2)
const times: number[] = []
const answers: Tally = new Map()
const end = performance.now() + Number(forMs)

/** One request after the other. */
async function client(): Promise<void> {
  while (performance.now() < end) {
    const before = performance.now()
    count(answers, await ask({ port: Number(port), key }, bodyOf('small', false)))
    times.push(performance.now() - before)
    await Bun.sleep(5)
  }
}

await Promise.all(Array.from({ length: clients }, client))
times.sort((a, b) => a - b)
const at = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN
const told: Paid = {
  times: { p50: at(0.5), p99: at(0.99), count: times.length },
  answers: [...answers],
}
process.stdout.write(JSON.stringify(told))
