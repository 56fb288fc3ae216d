import { spreadOf } from '../suite/numbers.ts'
import type { Person } from './person.ts'
import type { Question } from './questions.ts'

/** What a person may have to wait for the first page of anything. */
export const goalMs = 300

/** How long the answers to one question took, in milliseconds. */
export interface Row {
  readonly who: string
  readonly name: string
  readonly firstMs: number
  readonly medianMs: number
  readonly maxMs: number
  readonly bytes: number
  readonly status: number
}

const rounds = 5

/** Asks everything `rounds` times, one after the other; an export is timed to its first bytes. */
export async function askAll(
  who: string,
  person: Person,
  questions: readonly Question[],
): Promise<Row[]> {
  const rows: Row[] = []
  for (const question of questions) rows.push(await askOften(who, person, question))
  return rows
}

async function askOften(who: string, person: Person, question: Question): Promise<Row> {
  const { name, path, firstOnly = false } = question
  const times: number[] = []
  let last = { status: 0, bytes: 0 }
  for (let round = 0; round < rounds; round++) {
    const timed = await person.ask(path, firstOnly)
    times.push(firstOnly ? timed.firstMs : timed.wholeMs)
    last = timed
  }
  const [firstMs = Number.NaN] = times
  const { median, max } = spreadOf(times) ?? { median: Number.NaN, max: Number.NaN }
  const { status, bytes } = last
  return { who, name, firstMs, medianMs: median, maxMs: max, bytes, status }
}

const measuredPages = [2, 50]

/** The second and the fiftieth page of lists, as somebody comes to them who goes on and on. */
export async function laterPages(who: string, person: Person, path: string): Promise<Row[]> {
  const rows: Row[] = []
  let { next } = await person.data(path)
  const joined = path.includes('?') ? '&' : '?'
  for (let page = 2; next !== null && page <= Math.max(...measuredPages); page++) {
    const question = { name: `${path}, page ${page}`, path: `${path}${joined}cursor=${next}` }
    if (measuredPages.includes(page)) rows.push(await askOften(who, person, question))
    next = (await person.data(question.path)).next
  }
  return rows
}

/** A table in text, slowest first where it matters. */
export function describe(rows: readonly Row[]): string {
  const lines = rows.map(({ who, name, firstMs, medianMs, maxMs, bytes, status }) => {
    const numbers = [firstMs, medianMs, maxMs].map((ms) => ms.toFixed(1).padStart(8)).join('')
    const trouble = status === 200 ? '' : ` STATUS ${status}`
    const slow = maxMs > goalMs ? ` over ${goalMs} ms` : ''
    return `${who.padEnd(6)} ${name.padEnd(48)} ${numbers}${String(bytes).padStart(9)}${slow}${trouble}`
  })
  const head = `${''.padEnd(56)}   first  median at most    bytes`
  return [head, ...lines].join('\n')
}
