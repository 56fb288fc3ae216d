import type { Way } from './load.ts'
import { keepsUp, measure, type Stretch } from './measure.ts'
import { endStreams, openStreams, type Scene, startGateway } from './scene.ts'

/** How long a rate is tried, in seconds, and how long before that it is let settle. */
const trySeconds = 3
const settleMs = 1_000
/** Of the highest rate that was kept up with for a moment so much is asked of a long run. */
const reserve = 0.9

/** What rates were tried on one way, and the highest that it kept up with (0: none). */
export interface Tried {
  readonly highest: number
  readonly stretches: readonly (Stretch & { readonly keptUp: boolean })[]
}

/** Finds the highest whole rate up to `wanted` that one way keeps up with, for so many streams. */
export async function findRate(
  scene: Scene,
  way: Way,
  { count, wanted, say }: { count: number; wanted: number; say: (line: string) => void },
): Promise<Tried> {
  await using gateway = way === 'gateway' ? await startGateway(scene) : undefined
  await openStreams(scene, way, gateway?.port ?? scene.upstreamPort, count)
  const stretches: Tried['stretches'][number][] = []
  let [good, bad, rate] = [0, wanted + 1, wanted]
  let failures = 0
  while (rate > good && rate < bad) {
    await scene.upstream.ask('rate', rate as never)
    await Bun.sleep(settleMs)
    const stretch = await measure(scene, gateway, { rate, seconds: trySeconds, ways: [way] })
    const keptUp = keepsUp(stretch)
    stretches.push({ ...stretch, keptUp })
    say(describeTry(way, stretch, keptUp))
    await calm(scene, way)
    // Others may have used the machine for a moment: it is believed the second time.
    failures = keptUp ? 0 : failures + 1
    if (failures === 1) continue
    if (keptUp) good = rate
    else bad = rate
    failures = 0
    rate = Math.floor((good + bad) / 2)
  }
  await endStreams(scene)
  return { highest: good, stretches }
}

/** What a long run is done with: all of what is wanted, or a part of what was kept up with. */
export function chooseRate(wanted: number, tried: readonly Tried[]): number {
  const highest = Math.min(...tried.map((one) => one.highest))
  return highest >= wanted ? wanted : Math.max(1, Math.floor(highest * reserve))
}

/** Lets what has piled up drain away. */
async function calm({ upstream, load }: Scene, way: Way): Promise<void> {
  await upstream.ask('rate', 0 as never)
  const end = performance.now() + 20_000
  let before = -1
  while (performance.now() < end) {
    const { events } = await load.ask('progress', way)
    if (events === before) return
    before = events
    await Bun.sleep(300)
  }
}

function describeTry(way: Way, { rate, ways, cpu }: Stretch, keptUp: boolean): string {
  const got = ways[way]
  const { p50 = 0, p99 = 0 } = got?.delayMs ?? {}
  return (
    `  ${way}, ${rate}/s: ${((got?.share ?? 0) * 100).toFixed(1)} % of the events came, delay p50 ` +
    `${p50.toFixed(2)} ms, p99 ${p99.toFixed(1)} ms; cores: gateway ${cpu.gateway.toFixed(2)}, ` +
    `upstream ${cpu.upstream.toFixed(2)}, load ${cpu.load.toFixed(2)}${keptUp ? '' : ': not kept up'}`
  )
}
