import { parse, stringify } from 'yaml'
import { applyConfig } from '../../../src/app/apply.ts'
import { listen } from '../../../src/app/listen.ts'
import { createTollgate } from '../../../src/app/tollgate.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { createSecretBox } from '../../../src/lib/secrets.ts'
import type { AvailabilityBucket } from '../../../src/store/ports/availability.ts'
import { openStore } from '../../support/empty-store.ts'
import { tollgateYaml } from '../../support/tollgate-yaml.ts'
import { configOf } from '../serving.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** When it is, in every scene. */
export const nowMs = Date.UTC(2026, 10, 22, 14, 20, 30)

/** A minute of a group's requests; they are of its first model unless one is named. */
export interface MadeMinute {
  readonly group: string
  readonly model?: string
  readonly agoMs: number
  readonly succeeded: number
  readonly failed?: number
  /** Failed by the fault of their clients. */
  readonly mistaken?: number
}

export interface SceneOptions {
  readonly site?: object
  readonly settings?: object
  readonly prices?: Readonly<Record<string, object>>
  readonly groups: readonly {
    readonly name: string
    readonly description?: string
    readonly rate_multiplier?: number
  }[]
  readonly models?: readonly string[]
  readonly minutes?: readonly MadeMinute[]
}

/** The whole app with availability that is made up, listening on a free port, its clock held still. */
export async function startStatusScene(options: SceneOptions) {
  const { site, groups, models = ['gpt-5-mini'], minutes = [], prices, settings } = options
  let now = nowMs
  const clock = () => now
  const yaml = parse(
    tollgateYaml({
      ...{ upstream: 'http://127.0.0.1:1', store: ':memory:', models },
      ...(prices && { prices }),
      ...(settings && { settings }),
      token: { group: groups[0]?.name ?? '' },
    }),
  )
  const made = groups.map((group) => ({ channels: ['main'], ...group }))
  const config = configOf(stringify({ ...yaml, groups: made, ...(site && { site }) }))
  const store = await openStore(clock)
  const complaints: string[] = []
  const sink = (line: string) => complaints.push(line)
  const log = createLogger({ sink, pretty: false, clock, level: 'warn' })
  const secrets = createSecretBox('a secret of this test')
  await applyConfig({ store, secrets }, config, { prune: false })
  const rows = (await store.catalog.load()).groups
  const idOf = new Map(rows.map(({ name, id }) => [name, id]))
  const add = (more: readonly MadeMinute[]) =>
    store.availability.add(
      more.map((one) => bucketOf(one, idOf.get(one.group) ?? 0, models[0] ?? '', now)),
    )
  await add(minutes)
  const tollgate = await createTollgate({ config, store, secrets, log, clock })
  // On a slow machine the past is not read at one time.
  await tollgate.app.handle(new Request('http://gateway.example/api/v1/status'))
  const listening = listen(tollgate.app, { host: '127.0.0.1', port: 0 })
  return {
    url: listening.url,
    complaints,
    ask: (path = '/status', init: BunFetchRequestInit = {}) =>
      fetch(listening.url + path, { ...init, proxy: false }),
    async page(query = '', init: BunFetchRequestInit = {}): Promise<string> {
      return (await this.ask(`/status${query}`, init)).text()
    },
    wait(ms: number) {
      now += ms
    },
    async [Symbol.asyncDispose]() {
      listening.drop()
      await tollgate.stop()
      await store.close()
    },
  }
}

function bucketOf(
  made: MadeMinute,
  groupId: number,
  firstModel: string,
  now: number,
): AvailabilityBucket {
  const { model = firstModel, agoMs, succeeded, failed = 0, mistaken = 0 } = made
  const at = now - agoMs
  return {
    ...{ groupId, model, startedAt: at - (at % minuteMs), succeeded },
    failed: { upstream: failed, client: mistaken },
    firstByte: [0, 0, 0, Math.ceil(succeeded / 2), 0, Math.floor(succeeded / 2)],
    ...{
      firstByteMs: succeeded * 800,
      outputTokens: succeeded * 583,
      generationMs: succeeded * 10_000,
    },
  }
}
