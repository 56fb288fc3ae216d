import { runSchedule } from './simulation.ts'
import { Broken } from './world.ts'

/** Runs the schedules of these seeds; the first that breaks a promise throws, with all that happened in it. */
export function runSchedules(from: number, count: number): void {
  for (let seed = from; seed < from + count; seed++) {
    try {
      runSchedule(seed)
    } catch (error) {
      if (!(error instanceof Broken)) throw error
      throw new Broken(`seed ${seed}: ${error.message}\n${scheduleOf(seed).join('\n')}`)
    }
  }
}

function scheduleOf(seed: number): readonly string[] {
  const schedule: string[] = []
  try {
    runSchedule(seed, schedule)
  } catch {
    // It is the one that is told.
  }
  return schedule
}

// `bun test/leases/schedules.ts FROM COUNT`, as the mutations are run.
if (import.meta.main) {
  const [from = 1, count = 1_000] = process.argv.slice(2).map(Number)
  try {
    runSchedules(from, count)
    console.log(`${count} schedules from ${from} on: nothing broke`)
  } catch (error) {
    console.log(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
