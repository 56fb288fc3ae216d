import { readingCommand } from './app/console/reading/messages.ts'
import { takeRole } from './app/group/role.ts'
import { applyRuntimeSettings } from './cli/runtime-settings.ts'
import { compileLess } from './lib/jit.ts'

const args = process.argv.slice(2)
if (Bun.isMainThread && args[0] !== readingCommand) compileLess()
// Before all else, so that no process that this one starts has its role.
const role = Bun.isMainThread ? takeRole() : undefined
if (Bun.isMainThread && args[0] === readingCommand && process.send) {
  // A gateway has started this process; it needs nothing of the commands.
  const { readForGateway } = await import('./app/console/reading/main.ts')
  await readForGateway()
} else if (!Bun.isMainThread) {
  const { workForGateway } = await import('./app/body-thread/main.ts')
  workForGateway()
} else if (role?.role === 'starter') {
  const { runStarter } = await import('./app/group/starter.ts')
  process.exit(await runStarter(role))
} else if (role) {
  const { joinGroup } = await import('./app/group/join.ts')
  const group = joinGroup(role)
  const { runChild } = await import('./cli/run-child.ts')
  process.exit(await runChild(group, args))
} else {
  applyRuntimeSettings(args)
  // Not before: the line above may start this process anew, and everything loaded by then is wasted.
  const { run } = await import('./cli/run.ts')
  process.exitCode = await run(args)
}
