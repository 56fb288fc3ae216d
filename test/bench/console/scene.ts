import { createTempDir } from '../../support/temp-dir.ts'
import { speaksAt, testModels, tollgateYaml, upstreamKey } from '../../support/tollgate-yaml.ts'
import { cores } from '../suite/bench.ts'
import { type Program, startProgram } from '../suite/program.ts'
import { startTollgate, subjectOf } from '../suite/subjects.ts'
import { people } from './database.ts'

/** How somebody signs in. */
export interface Entry {
  readonly email: string
  readonly password: string
}

const password = 'a long password'

/** Who looks at the console. */
export const entries = {
  admin: { email: 'boss@example.com', password },
  many: { email: people.many, password },
  few: { email: people.few, password },
} as const satisfies Readonly<Record<string, Entry>>

/** With channels of the names that the made ones had. */
function configOf(listen: string, upstream: string): string {
  const channel = {
    speaks: speaksAt(upstream, ['chat']),
    api_key: upstreamKey,
    allow_private: true,
  }
  return tollgateYaml({
    moreChannels: ['first', 'second'].map((name) => ({ name, ...channel, models: testModels })),
    ...{ listen, upstream, speaks: ['chat'], balance: 1_000_000 },
    moreGroups: [{ name: 'empty', channels: ['main'] }],
    moreAccounts: [
      { ...entries.admin, role: 'admin' },
      { ...entries.many, balance: 1 },
      { ...entries.few, balance: 1 },
    ],
  })
}

/** An upstream that always says the same, on the core of what is not measured. */
export function startUpstream(folder: string): Promise<Program> {
  const file = `${import.meta.dir}/../constant-upstream.ts`
  const command = (port: number) => [process.execPath, file, String(port)]
  return startProgram({ command, core: cores.others, log: `${folder}/upstream.log` })
}

/** The compiled gateway on a database, on a core of its own. */
export async function startGateway(cwd: string, upstream: string) {
  const { core, log } = { core: cores.subject, log: `${cwd}/gateway.log` }
  const config = (listen: string) => configOf(listen, upstream)
  return subjectOf('tollgate', await startTollgate({ cwd, core, log, config }))
}

export const scratch = () => createTempDir('tollgate-bench')
