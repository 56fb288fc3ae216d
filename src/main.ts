import { raiseFetchLimit } from './cli/fetch-limit.ts'

const args = process.argv.slice(2)
raiseFetchLimit(args)

// Not before: the line above may start this process anew, and everything loaded by then is wasted.
const { run } = await import('./cli/run.ts')
process.exitCode = await run(args)
