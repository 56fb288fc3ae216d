import type { ProtocolName } from '../../src/protocols/protocol.ts'
import { answers, type Case, call, questions, result, trouble } from './cases.ts'
import type { Client } from './clients.ts'
import type { Charge } from './gateway.ts'
import { commandOf } from './install.ts'

/** Whom a client asks: the gateway, by a model of a channel of one protocol; or the upstream itself. */
export type Target = ProtocolName | 'direct'

/** One client, in one of its protocols, at one target, in one case. */
export interface Cell {
  readonly client: Client
  readonly speaks: ProtocolName
  readonly target: Target
  readonly case: Case
  /** Its model, by which the upstream knows it, and its charges. */
  readonly model: string
}

/** What a program prints. */
interface Said {
  readonly turns?: readonly string[]
  readonly call?: readonly [string, string]
  readonly error?: { readonly type: string; readonly message: string }
}

/** How a program ended. */
export interface Outcome {
  readonly said: Said
  /** What it left on stderr, where it printed nothing. */
  readonly crash?: string
}

/** Runs a client's program to its end. */
export async function play(
  cell: Cell,
  folder: string,
  at: { url: string; key: string; limitMs: number },
): Promise<Outcome> {
  const child = Bun.spawn(commandOf(cell.client, folder), {
    env: {
      ...{
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        PYTHONDONTWRITEBYTECODE: '1',
      },
      ...{ BASE_URL: at.url, KEY: at.key, MODEL: cell.model, API: cell.speaks },
      ...{ MODE: cell.case.mode, QUESTIONS: JSON.stringify(questions), RESULT: result },
    },
    ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', timeout: at.limitMs },
  })
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  const line = out.split('\n').findLast((text) => text.startsWith('{'))
  const crash = `exit ${code ?? child.signalCode}: ${err.trim().slice(-400)}`
  if (line === undefined) return { said: {}, crash }
  return { said: JSON.parse(line) as Said, ...(code !== 0 && { crash }) }
}

/** What the upstream saw of a cell, and what it cost. */
export interface Traces {
  readonly requests: number
  readonly faults: readonly string[]
  readonly charges: readonly Charge[]
}

/** What is wrong with a cell; nothing: it is as it must be. */
export function faultsOf(cell: Cell, { said, crash }: Outcome, traces: Traces): readonly string[] {
  if (crash !== undefined) return [`ended by itself: ${crash}`]
  // Who raises nothing goes on with a second turn.
  if (cell.case.fault && !said.error) return [`raised nothing, read ${JSON.stringify(said.turns)}`]
  const faults = [...traces.faults]
  const { requests } = cell.case
  if (traces.requests !== requests)
    faults.push(`${traces.requests} requests upstream, not ${requests}`)
  if (cell.target !== 'direct' && traces.charges.length !== requests) {
    faults.push(`${traces.charges.length} records of requests, not ${requests}`)
  }
  if (cell.case.fault) return [...wordFaults(said), ...faults]
  if (traces.charges.some(({ amount_nano }) => amount_nano <= 0))
    faults.push('not all were charged')
  const heard = told(said.turns ?? [], said.call)
  const expected = expectedOf(cell.case)
  if (said.error) return [`raised ${raised({ said })}`, ...faults]
  return heard === expected ? faults : [`read ${heard}`, ...faults]
}

function wordFaults({ error }: Said): readonly string[] {
  const { type, message } = error ?? { type: '', message: '' }
  if (message.includes(trouble)) return []
  return [`raised without the upstream's words: ${type}: ${message.slice(0, 200)}`]
}

/** The error that a client raised, by its type and words. */
export const raised = ({ said }: Pick<Outcome, 'said'>) =>
  said.error && `${said.error.type}: ${said.error.message.replaceAll(/\s+/g, ' ').slice(0, 160)}`

function expectedOf({ mode }: Case): string {
  if (mode === 'whole') return told([answers[0]])
  if (mode === 'chat') return told(answers)
  return told([call.words, answers[1]], [call.name, call.input])
}

const told = (turns: readonly string[], made?: readonly [string, string]) =>
  JSON.stringify({ turns, call: made && [made[0], JSON.stringify(parsed(made[1]))] })

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
