import type { Command } from 'commander'
import { version } from '../../package.json'
import { withExamples } from './open.ts'
import { writeJson, writeLines } from './output.ts'

export { version }

/** `tollgate version`: what to name in a report. */
export function addVersion(program: Command): void {
  const command = program
    .command('version')
    .description('show the version, and what it runs on')
    .option('--json', 'as JSON')
    .action(async (options: { readonly json?: boolean }) => {
      const platform = `${process.platform}-${process.arch}`
      const report = { version, bun: Bun.version, bun_revision: Bun.revision, platform }
      if (options.json) return writeJson(report)
      return writeLines([`tollgate ${version} (Bun ${Bun.version}, ${platform})`])
    })
  withExamples(command, 'tollgate version --json')
}
