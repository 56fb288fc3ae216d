import type { ProtocolName } from '../../src/protocols/protocol.ts'
import { createDice, type Dice } from './dice.ts'
import { shrink } from './shrink.ts'

/**
 * One kind of input for one protocol. A case is a value that JSON can write (raw numbers included):
 * it is shown, and made smaller, when it finds something.
 */
export interface Trial<Case = unknown> {
  readonly name: TrialName
  readonly protocol: ProtocolName
  make(dice: Dice): Case
  /** Throws whatever is wrong. */
  check(input: Case): void | Promise<void>
  /** How many inputs a case counts for. */
  weight(input: Case): number
  /** What became of the inputs so far, by name, for the table. */
  readonly tally: Record<string, number>
}

export const trialNames = ['requests', 'events', 'answers', 'seals'] as const
export type TrialName = (typeof trialNames)[number]

/** Something that does not hold, with all that is needed to see it again. */
export interface Finding {
  readonly trial: TrialName
  readonly protocol: ProtocolName
  readonly seed: number
  readonly index: number
  /** What went wrong: the first line tells findings apart. */
  readonly what: string
  /** The input, made as small as it could be, as JSON. */
  readonly input: string
  /** How many further cases went wrong in the same way. */
  repeats: number
}

/** Runs a trial, some of it at a time. */
export interface Runner {
  /** Runs cases until there were so many more inputs. */
  advance(inputs: number): Promise<void>
  /** Runs the case of this index alone. */
  only(index: number): Promise<void>
  readonly ran: Ran
}

export interface Ran {
  readonly trial: TrialName
  readonly protocol: ProtocolName
  inputs: number
  cases: number
  ms: number
  slowestMs: number
  readonly findings: Finding[]
  readonly tally: Readonly<Record<string, number>>
}

/** For each started MB of input; a slow machine under load is not meant. */
const limitMs = 250

/** A trial of this seed; `onCase` is told each case before it runs. */
export function createRunner<Case>(
  trial: Trial<Case>,
  seed: number,
  onCase: (index: number) => void = () => {},
): Runner {
  const { name, protocol, tally } = trial
  const found = new Map<string, Finding>()
  const findings: Finding[] = []
  const ran: Ran = {
    trial: name,
    protocol,
    inputs: 0,
    cases: 0,
    ms: 0,
    slowestMs: 0,
    findings,
    tally,
  }

  async function runCase(index: number): Promise<void> {
    onCase(index)
    const startedAt = performance.now()
    const input = trial.make(createDice(seed, protocol, name, index))
    ran.inputs += trial.weight(input)
    ran.cases++
    const checkedAt = performance.now()
    let what = await faultOf(trial, input)
    const endedAt = performance.now()
    ran.slowestMs = Math.max(ran.slowestMs, endedAt - checkedAt)
    ran.ms += endedAt - startedAt
    if (what === undefined && endedAt - checkedAt > limitMs) what = await slowness(trial, input)
    if (what !== undefined) await note(index, input, what)
  }

  async function note(index: number, input: Case, what: string): Promise<void> {
    const key = headOf(what)
    const known = found.get(key)
    if (known !== undefined) {
      known.repeats++
      return
    }
    const fails = async (smaller: Case) => {
      const other = await faultOf(trial, smaller)
      return other !== undefined && headOf(other) === key
    }
    // What is slow would be slow to shrink.
    const smallest = what.startsWith(slowWords) ? input : await shrink(input, fails)
    const shown = JSON.stringify(smallest)
    const finding = { trial: name, protocol, seed, index, what, input: shown, repeats: 0 }
    found.set(key, finding)
    findings.push(finding)
  }

  return {
    ran,
    async advance(inputs) {
      for (const until = ran.inputs + inputs; ran.inputs < until; ) await runCase(ran.cases)
    },
    only: runCase,
  }
}

async function faultOf<Case>(trial: Trial<Case>, input: Case): Promise<string | undefined> {
  try {
    const checking = trial.check(input)
    if (checking !== undefined) await checking
  } catch (error) {
    return error instanceof Broken ? error.message : describe(error)
  }
  const [added] = Object.keys(Object.prototype)
  if (added === undefined) return undefined
  for (const name of Object.keys(Object.prototype)) Reflect.deleteProperty(Object.prototype, name)
  return `Object.prototype has got the member ${added}`
}

const slowWords = 'takes more than'

/** Slow only when it is so each time: others use the machine, too. */
async function slowness<Case>(trial: Trial<Case>, input: Case): Promise<string | undefined> {
  const allowed = limitMs * Math.ceil((JSON.stringify(input)?.length ?? 0) / 1e6)
  for (let again = 0; again < 4; again++) {
    const startedAt = performance.now()
    await faultOf(trial, input)
    if (performance.now() - startedAt <= allowed) return undefined
  }
  return `${slowWords} ${allowed} ms`
}

/** Without what differs from case to case of the same fault. */
const headOf = (what: string) =>
  (what.split('\n', 1)[0] ?? '').replace(/"[^"]*"|\[\d+\]|\d+/g, '#').slice(0, 200)

/** A promise that was not kept, in words. */
export class Broken extends Error {}

/** Throws `Broken` unless so. */
export function demand(isSo: boolean, what: string | (() => string)): asserts isSo {
  if (!isSo) throw new Broken(typeof what === 'string' ? what : what())
}

/** An error that nobody expected, and where it comes from. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${String(error)}`
  const lines = (error.stack ?? '').split('\n').map((line) => line.trim())
  const places = lines.filter((line) => line.startsWith('at ')).slice(0, 4)
  const first = /([\w-]+\/[\w-]+\.ts):\d+/.exec(places[0] ?? '')?.[1]
  return [`threw ${error.name} at ${first}: ${error.message.slice(0, 300)}`, ...places].join('\n  ')
}
