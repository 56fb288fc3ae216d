import { writeSync } from 'node:fs'
import { runWhenIdle } from '../../../lib/scheduling.ts'
import { StoreError } from '../../../store/ports/store-error.ts'
import type { FromProcess, ToProcess } from './messages.ts'

/** Entry of the reading process, where lists, charts and exports are read. */
export async function readForGateway(): Promise<void> {
  runWhenIdle()
  // A terminal or a service signals all processes; the gateway itself ends this one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit())
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  process.on('error', fail)
  const waiting: ToProcess[] = []
  let take = (message: ToProcess): unknown => waiting.push(message)
  // Messages that arrive before a listener exists are lost.
  process.on('message', (message: ToProcess) => take(message))
  const { createAnswering } = await import('./answering.ts')
  const post = (message: FromProcess) => void process.send?.(message)
  take = createAnswering(post, () => process.exit())
  waiting.forEach(take)
}

/** Reports the reason to the gateway, which starts another process. */
function fail(error: unknown): never {
  const isExplained = error instanceof StoreError
  try {
    writeSync(process.stderr.fd, isExplained ? error.message : Bun.inspect(error))
  } finally {
    process.exit(1)
  }
}
