import type { Clock } from '../../../lib/clock.ts'

const keptMs = 30_000
const maxKept = 16

/** Remembers answers for half a minute: sums of the whole gateway, which everybody looks at. */
export function createRecent<Answer>(clock: Clock) {
  const kept = new Map<string, { readonly at: number; readonly answer: Promise<Answer> }>()
  return (question: string, read: () => Promise<Answer>): Promise<Answer> => {
    const known = kept.get(question)
    const age = known === undefined ? keptMs : clock() - known.at
    if (known !== undefined && age >= 0 && age < keptMs) return known.answer
    const answer = read()
    kept.delete(question)
    kept.set(question, { at: clock(), answer })
    answer.catch(() => kept.delete(question)) // who asked learns of it
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
    return answer
  }
}
