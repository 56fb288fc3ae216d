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
    ...{ subject: subject.name, measured: subject },
    rounds: [] as Figures[],
    trouble: undefined as string | undefined,
  }))
  for (const one of found) {
    await attempt(one, bench.say, () =>
      bench.warm(one.measured, (time) => measure(one.measured, time)),
    )
  }
  for (let round = 0; round < rounds; round++) {
    for (const one of found) {
      await attempt(one, bench.say, async () => {
        one.rounds.push(await measure(one.measured, seconds))
      })
    }
  }
  return found.map(measuredOf)
}

/** A subject of a case, as it is measured. */
interface Attempted {
  readonly subject: string
  readonly rounds: readonly Figures[]
  trouble: string | undefined
}

/** Does one step of a measurement; a subject that failed once is left out. */
export async function attempt(
  one: Attempted,
  say: Bench['say'],
  step: () => Promise<void>,
): Promise<void> {
  if (one.trouble !== undefined) return
  try {
    await step()
  } catch (error) {
    one.trouble = error instanceof Error ? error.message : String(error)
    say(`  ${one.subject} fails: ${one.trouble}`)
  }
}

export const measuredOf = ({ subject, rounds, trouble }: Attempted): Measured => ({
  ...{ subject, rounds },
  ...(trouble !== undefined && { trouble }),
})
