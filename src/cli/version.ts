import type { Command } from 'commander'
import { builtAt, commit, target, version } from '../lib/build-info.ts'
import { newestVersion } from '../store/schema/versions.ts'
import { withExamples } from './config-option.ts'
import { writeJson, writeLines } from './output.ts'

/** `tollgate version`: what to name in a report. */
export function addVersion(program: Command): void {
  const command = program
    .command('version')
    .description('show the version, and what it runs on')
    .option('--json', 'as JSON, with commit, build and the version of the database')
    .action(async (options: { readonly json?: boolean }) => {
      const platform = `${process.platform}-${process.arch}`
      if (options.json)
        return writeJson({
          ...{ version, commit, built_at: builtAt, target, schema_version: newestVersion },
          ...{ bun: Bun.version, bun_revision: Bun.revision, platform },
        })
      const build = commit === null ? '' : `${commit.slice(0, 12)}, `
      return writeLines([`tollgate ${version} (${build}Bun ${Bun.version}, ${platform})`])
    })
  withExamples(command, 'tollgate version --json')
}
