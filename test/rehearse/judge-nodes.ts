import type { Outcome } from './clients/crowd.ts'
import type { Upstream } from './upstream/upstream.ts'
import type { Fault, World } from './world.ts'

// What clients were told, and what nodes have logged, held against what the faults allow.

type Chosen = readonly Pick<Fault<never>, 'allows' | 'logs'>[]

/** What clients may not be told by a fault that refuses nobody, or breaks nothing off. */
export function judgeRefusals(
  chosen: Chosen,
  outcomes: readonly Outcome[],
  { bills }: Pick<Upstream, 'bills'>,
): string[] {
  const allowed = new Set(chosen.flatMap(({ allows = [] }) => allows))
  const isAllowed = ({ ask, ending, status }: Outcome): boolean => {
    if (ending === 'unreached' || (status === 500 && ask.kind !== 'failing'))
      return allowed.size > 0
    // What the upstream itself breaks off is no fault of the gateway.
    const isWhole = bills.get(ask.number)?.at(-1)?.isWhole !== false
    return ending !== 'broken' || !isWhole || allowed.has('cut')
  }
  return outcomes
    .filter((outcome) => !isAllowed(outcome))
    .map(({ ask: { number, kind, payer, dialect }, ending, status, told }) => {
      const what = { number, kind, payer, dialect: dialect.name, status, told }
      return `${ending} by a fault that should not: ${JSON.stringify(what)}`
    })
}

/** Errors that nodes have logged since the last call, but for those that a fault may cause. */
export function createLogReader(world: World): (chosen: Chosen) => string[] {
  const seen = new Map<string, number>()
  return (chosen) =>
    world.nodes.flatMap((node) => {
      const lines = node.log()
      const news = lines.slice(seen.get(node.name) ?? 0)
      seen.set(node.name, lines.length)
      return news
        .filter((line) => isError(line) && !chosen.some(({ logs }) => logs?.test(line)))
        .map((line) => `${node.name} said: ${line.slice(0, 600)}`)
    })
}

const isError = (line: string): boolean =>
  /"level":"error"|unhandled|uncaught|^\s+at .+:\d+|panic|Segmentation/i.test(line) ||
  (line.trim() !== '' && !line.startsWith('{'))
