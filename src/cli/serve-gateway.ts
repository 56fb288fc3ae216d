import { existsSync } from 'node:fs'
import type { Config } from '../app/config/config.ts'
import { type FoundConfig, findConfig } from '../app/find-config.ts'
import type { Group } from '../app/group/join.ts'
import { joinAsKeeper, type KeeperMembership } from '../app/group/member.ts'
import { type Instance, openInstance } from '../app/instance.ts'
import { openLog } from '../app/open-log.ts'
import type { ProcessMemory } from '../app/process-limits.ts'
import { type Inventory, mostCounted, takeInventory } from '../app/report/resources.ts'
import { type Serving, serve } from '../app/serve.ts'
import { describeStore, fileOf } from '../app/store-place.ts'
import { checkDatabase } from '../app/upgrade/check.ts'
import { upgrade } from '../app/upgrade/upgrade.ts'
import { version } from '../lib/build-info.ts'
import { enlargeCodeWhenBusy } from '../lib/code-pages.ts'
import { counted, grouped, humanBytes } from '../lib/format.ts'
import { compileAsUsual } from '../lib/jit.ts'
import type { Logger } from '../lib/log.ts'
import { formatPairs } from '../lib/table.ts'
import { descriptorWarning } from './descriptors.ts'
import { seeOut, surviveBugs, untilStopped, untilTold } from './lifecycle.ts'
import { missingIn } from './missing.ts'
import { writeLines } from './output.ts'
import { runtimeWarning } from './runtime-settings.ts'
import type { ServeOptions } from './serve.ts'

/** Reports what a start would do, and changes nothing. */
export async function check(found: FoundConfig, options: ServeOptions): Promise<void> {
  compileAsUsual()
  const { store } = found.config
  const mayBeNew = options.newDatabase ?? false
  const findings = await checkDatabase({ store, withCopy: options.copy, mayBeNew })
  await writeLines([
    ...formatPairs([
      ['Configuration', `${found.file ?? 'none, all is default'}: no mistakes`],
      ...findings,
    ]),
    ...found.warnings.map((text) => `warning: ${text}`),
    '',
    'It can start: tollgate serve',
  ])
}

interface GatewayStart {
  readonly found: FoundConfig
  readonly options: ServeOptions
  /** This process is the keeper of a group. */
  readonly group: Group | undefined
  readonly workers: number
  /** Why there are fewer workers than the configuration wants. */
  readonly warning: string | undefined
  readonly hasHungUp: () => boolean
}

/** Serves until it is told to stop. */
export async function serveGateway(start: GatewayStart): Promise<void> {
  const { found, options, group, workers, warning, hasHungUp } = start
  const { sink, log } = openLog(options.log, { isShared: group !== undefined })
  const reload = async () => {
    const { config, warnings } = await findConfig(options.config)
    for (const text of warnings) log.warn(text)
    return config
  }
  await seeOut(sink, async () => {
    const member = group && (await joinAsKeeper(group))
    const instance = await open(found.config, options, log)
    surviveBugs(log)
    try {
      const serving = await serve({ config: found.config, instance, log, reload, member })
      const stopped = member ? untilTold(serving, member) : untilStopped(serving)
      compileAsUsual()
      enlargeCodeWhenBusy()
      if (hasHungUp()) void serving.reload()
      group?.say({ kind: 'ready' })
      if (!(await hasBegun(member, stopped))) return await stopped
      const inventory = await takeInventory(instance.store)
      const own = [warning ?? [], runtimeWarning() ?? [], descriptorWarning() ?? []].flat()
      const warnings = [...found.warnings, ...instance.warnings, ...own]
      const start = { found, serving, inventory, warnings, workers }
      if (options.log === 'json') logStart(log, start)
      else for (const line of describeStart(start)) sink.write(line)
      return await stopped
    } catch (error) {
      await instance.store.close()
      throw error
    }
  })
}

/** Whether there is a start to report: of a group when all its workers serve, for the first time. */
async function hasBegun(
  member: KeeperMembership | undefined,
  stopped: Promise<unknown>,
): Promise<boolean> {
  if (member === undefined) return true
  const isReady = await Promise.race([member.allReady, stopped.then(() => false)])
  return isReady && member.group.role.start === 0
}

/** Only this command upgrades the database. */
async function open(config: Config, options: ServeOptions, log: Logger): Promise<Instance> {
  const database = fileOf(config.store)
  if (database !== undefined && existsSync(database))
    await upgrade({ database, withCopy: options.copy, log })
  return openInstance(config, {
    ...{ toServe: true, mayBeNew: options.newDatabase },
    onProgress: ({ done, total }) => log.info('copying requests into partitions', { done, total }),
  })
}

interface Start {
  readonly found: FoundConfig
  readonly serving: Pick<Serving, 'url' | 'metricsUrl' | 'memory' | 'setupUrl'>
  readonly inventory: Inventory
  readonly warnings: readonly string[]
  /** 1: this process answers requests itself. */
  readonly workers: number
}

function logStart(log: Logger, start: Start): void {
  const { found, serving, inventory, warnings, workers } = start
  const { url, metricsUrl, memory, setupUrl } = serving
  const { file = null, config } = found
  const database = describeStore(config.store)
  const { accounts, tokens, ...counts } = inventory
  log.info('listening', {
    ...{ url, metrics: metricsUrl, version, config: file, database, workers, ...counts },
    ...{ accounts: orMore(accounts), tokens: orMore(tokens) },
    ...{ memory: memory.limitBytes, memory_for_requests: memory.budget.totalBytes },
  })
  if (setupUrl) log.info(leadsOn, { link: setupUrl })
  for (const text of [...warnings, ...missing(start)]) log.warn(text)
}

function describeStart(start: Start): readonly string[] {
  const { found, serving, inventory, warnings, workers } = start
  const { url, metricsUrl, memory, setupUrl } = serving
  const { channels, groups, models, accounts, tokens } = inventory
  const parts = [
    counted(channels, 'channel'),
    counted(groups, 'group'),
    counted(models, 'callable model'),
    countedOrMore(accounts, 'account'),
    countedOrMore(tokens, 'token'),
  ]
  return [
    `Tollgate ${version} listens on ${url}`,
    ...formatPairs([
      ['  configuration', found.file ?? 'none ("tollgate init" writes one to begin with)'],
      ['  database', describeStore(found.config.store)],
      ['  serving', parts.join(', ')],
      ...(workers > 1 ? ([['  workers', `${workers}, and a keeper of the data`]] as const) : []),
      ['  memory', describeMemory(memory)],
      ['  console', `${url}/console`],
      ...(metricsUrl ? ([['  metrics', metricsUrl]] as const) : []),
    ]),
    ...warnings.map((text) => `  warning: ${text}`),
    ...missing(start).map((text) => `  missing: ${text}`),
    ...(setupUrl ? ['', `  ${leadsOn}.`, `  ${setupUrl}`, ''] : []),
  ]
}

const leadsOn = 'Open this link: it makes the administrator, and leads to the first answer'

const memorySources = {
  configuration: 'server.memory',
  container: 'the container’s limit',
  machine: 'half of the machine’s',
} as const

const describeMemory = ({ limitBytes, source, budget }: ProcessMemory) =>
  `${humanBytes(limitBytes)} (${memorySources[source]}), ${humanBytes(budget.totalBytes)} of it for requests`

const orMore = (count: number) => (count < mostCounted ? count : `${count}+`)

const countedOrMore = (count: number, thing: string) =>
  count < mostCounted ? counted(count, thing) : `${grouped(count)} ${thing}s or more`

/** What requests need and isn't there; at a first start nothing, as its link leads through all of it. */
function missing({ inventory, serving: { setupUrl } }: Start): readonly string[] {
  const { channels, groups, accounts } = inventory
  const isFirst = setupUrl !== undefined && channels + groups + accounts === 0
  return isFirst ? [] : missingIn(inventory)
}
