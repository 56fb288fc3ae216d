import { readingCommand } from './app/console/reading/messages.ts'
import { applyRuntimeSettings } from './cli/runtime-settings.ts'

const args = process.argv.slice(2)
if (Bun.isMainThread && args[0] === readingCommand && process.send) {
  // A gateway has started this process; it needs nothing of the commands.
  const { readForGateway } = await import('./app/console/reading/main.ts')
  await readForGateway()
} else if (!Bun.isMainThread) {
  const { workForGateway } = await import('./app/body-thread/main.ts')
  workForGateway()
} else {
  applyRuntimeSettings(args)
  // Not before: the line above may start this process anew, and everything loaded by then is wasted.
  const { run } = await import('./cli/run.ts')
  process.exitCode = await run(args)
}
