import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningBinary, runBinary } from '../../support/binary.ts'
import { pick, type Random } from '../../support/random.ts'
import {
  channelNames,
  firstVariant,
  lastVariant,
  makeVariant,
  type Place,
  soakYaml,
  type Variant,
} from './config.ts'

/** Changes a running gateway by chance, as its operator could. */
export interface Changes {
  /** How often each was made. */
  readonly counts: ReadonlyMap<string, number>
  /** What a command said that should have worked. */
  readonly wrong: readonly string[]
  /** Until `isOver`; then all channels are on again, and nothing but places is limited. */
  run(isOver: () => boolean): Promise<void>
}

/** The file that commands read: the other one may be broken at the moment. */
const commandFile = 'commands.yaml'

export function createChanges(gateway: RunningBinary, place: Place, random: Random): Changes {
  const counts = new Map<string, number>()
  const wrong: string[] = []
  const yaml = (variant: Variant) => soakYaml(place, variant)
  writeFileSync(join(gateway.cwd, commandFile), yaml(firstVariant), { mode: 0o600 })

  async function tollgate(...args: string[]): Promise<string> {
    const command = [...args, '--config', join(gateway.cwd, commandFile)]
    const { exitCode, stdout, stderr } = await runBinary(command)
    if (exitCode !== 0) wrong.push(`tollgate ${args.join(' ')}: ${stderr}${stdout}`)
    return stdout
  }

  function configure(text: string): void {
    writeFileSync(join(gateway.cwd, 'tollgate.yaml'), text)
    process.kill(gateway.pid, 'SIGHUP')
  }

  async function offAndOn(word: 'disable' | 'drain'): Promise<void> {
    const name = pick(random, channelNames)
    await tollgate('channel', word, name)
    await Bun.sleep(random() * 2_000)
    await tollgate('channel', 'enable', name)
  }

  async function limitToken(): Promise<void> {
    const text = await tollgate('token', 'list', '--json')
    const tokens = JSON.parse(text) as { id: number; name: string }[]
    const limited = tokens.find(({ name }) => name === 'limited')
    const figures = ['--rpm', 60 + random() * 600, '--concurrency', 1 + random() * 10]
    const words = figures.map((word) => (typeof word === 'number' ? `${Math.floor(word)}` : word))
    await tollgate('token', 'set', String(limited?.id), ...words)
  }

  function price(): Promise<string> {
    const usd = 1 + Math.floor(random() * 9)
    const figures = ['--input', String(usd), '--output', String(2 * usd)]
    return tollgate('price', 'set', 'test-model', ...figures)
  }

  const changes = {
    'another configuration': async () => configure(yaml(makeVariant(random))),
    'a broken configuration': async () => configure('channels: [{ name: 1'),
    'a channel off and on': () => offAndOn('disable'),
    'a channel drained': () => offAndOn('drain'),
    "a token's limits": limitToken,
    'a price': price,
  } satisfies Record<string, () => Promise<unknown>>
  const names = Object.keys(changes) as (keyof typeof changes)[]

  return {
    counts,
    wrong,
    async run(isOver) {
      while (!isOver()) {
        await Bun.sleep(300 + random() * 1_500)
        const name = pick(random, names)
        counts.set(name, (counts.get(name) ?? 0) + 1)
        await changes[name]()
      }
      for (const name of channelNames) await tollgate('channel', 'enable', name)
      configure(yaml(lastVariant))
    },
  }
}
