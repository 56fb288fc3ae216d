import { withinRunning } from '../../lib/clock.ts'
import { unpackError } from '../../store/keeper/errors.ts'
import { kinds, type ResultFrame, type WorkerId } from '../../store/keeper/messages.ts'
import type { WorkerEnd } from './worker-end.ts'
import type { Worker } from './worker-table.ts'

/** What one worker has answered. */
export interface WorkerAnswer {
  readonly worker: WorkerId
  readonly value: unknown
}

const patienceMs = 2_000

/** What the keeper asks its workers: their metrics, for example. */
export function createQuestions() {
  const open = new Map<number, PromiseWithResolvers<unknown>>()
  let lastNo = 0

  async function askOne(end: WorkerEnd, what: string): Promise<unknown> {
    const no = ++lastNo
    const answer = Promise.withResolvers<unknown>()
    open.set(no, answer)
    end.json(kinds.ask, [no, what])
    try {
      return await withinRunning(patienceMs, answer.promise)
    } finally {
      open.delete(no)
    }
  }

  return {
    answered([no, error, value]: ResultFrame): void {
      if (error) open.get(no)?.reject(unpackError(error))
      else open.get(no)?.resolve(value)
    },
    /** Answers of all that answer soon; the others are left out. */
    async askAll(workers: readonly Worker[], what: string): Promise<readonly WorkerAnswer[]> {
      const answers = await Promise.all(
        workers.map(async ({ id, end }) => ({
          worker: id,
          value: end && (await askOne(end, what).catch(() => undefined)),
        })),
      )
      return answers.filter(({ value }) => value !== undefined)
    },
  }
}
