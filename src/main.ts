import { applyRuntimeSettings } from './cli/runtime-settings.ts'

const args = process.argv.slice(2)
applyRuntimeSettings(args)

// Not before: the line above may start this process anew, and everything loaded by then is wasted.
const { run } = await import('./cli/run.ts')
process.exitCode = await run(args)
