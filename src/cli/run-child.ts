import type { Group } from '../app/group/join.ts'
import { type ExitCode, reportFailure } from './errors.ts'

/** Runs a child of a group: the keeper by its command line, a worker without. */
export async function runChild(group: Group, args: readonly string[]): Promise<ExitCode> {
  if (group.role.role === 'keeper') {
    const { run } = await import('./run.ts')
    return run(args, group)
  }
  try {
    const { work } = await import('./work.ts')
    await work(group)
    return 0
  } catch (error) {
    return reportFailure(error)
  }
}
