import type { Bench } from './bench.ts'
import type { Subject } from './subjects.ts'
import type { Figures, Measured } from './summary.ts'

/** Measures one subject for so many seconds. */
export type Measure = (subject: Subject, seconds: number) => Promise<Figures>

/**
 * Measures all subjects in turn, again and again, so that what else the machine does hits them
 * alike. A subject that fails is left out from then on.
 */
export async function measureInRounds(
  bench: Bench,
  subjects: readonly Subject[],
  measure: Measure,
): Promise<Measured[]> {
  const { rounds, seconds } = bench.options
  const found = subjects.map((subject) => ({
    subject,
    rounds: [] as Figures[],
    trouble: undefined as string | undefined,
  }))
  const attempt = async (one: (typeof found)[number], work: () => Promise<void>) => {
    if (one.trouble !== undefined) return
    try {
      await work()
    } catch (error) {
      one.trouble = error instanceof Error ? error.message : String(error)
      bench.say(`  ${one.subject.name} fails: ${one.trouble}`)
    }
  }
  for (const one of found) {
    await attempt(one, () => bench.warm(one.subject, (time) => measure(one.subject, time)))
  }
  for (let round = 0; round < rounds; round++) {
    for (const one of found) {
      await attempt(one, async () => {
        one.rounds.push(await measure(one.subject, seconds))
      })
    }
  }
  return found.map(({ subject, rounds, trouble }) => ({
    subject: subject.name,
    rounds,
    ...(trouble !== undefined && { trouble }),
  }))
}
