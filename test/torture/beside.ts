import { join } from 'node:path'
import { runBinary } from '../support/binary.ts'

/** What `tollgate verify` finds wrong, beside whatever runs; undefined when it finds nothing. */
export async function verify(folder: string): Promise<string | undefined> {
  const file = join(folder, 'tollgate.yaml')
  const { exitCode, stdout, stderr } = await runBinary(['verify', '--config', file])
  return exitCode === 0 ? undefined : `verify ended with ${exitCode}: ${stdout}${stderr}`
}
