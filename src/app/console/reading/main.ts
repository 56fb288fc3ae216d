import { writeSync } from 'node:fs'
import { giveWay } from '../../../lib/give-way.ts'
import { StoreError } from '../../../store/ports/store-error.ts'
import type { FromProcess, ToProcess } from './messages.ts'

/** Entry of the reading process, where lists, charts and exports are read. */
export async function readForGateway(): Promise<void> {
  giveWay()
  // A stop is told to all processes of a terminal or a service: the gateway ends this one in its turn.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit())
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  process.on('error', fail)
  const waiting: ToProcess[] = []
  let take = (message: ToProcess): unknown => waiting.push(message)
  // What comes while nobody listens is lost.
  process.on('message', (message: ToProcess) => take(message))
  const { createAnswering } = await import('./answering.ts')
  const post = (message: FromProcess) => void process.send?.(message)
  take = createAnswering(post, () => process.exit())
  waiting.forEach(take)
}

/** The gateway reads why from here, and starts another one. */
function fail(error: unknown): never {
  const isExplained = error instanceof StoreError
  try {
    writeSync(process.stderr.fd, isExplained ? error.message : Bun.inspect(error))
  } finally {
    process.exit(1)
  }
}
