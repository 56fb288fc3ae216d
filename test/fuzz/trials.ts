import type { ProtocolName } from '../../src/protocols/protocol.ts'
import { answerTrial } from './answers.ts'
import { eventTrial } from './events.ts'
import { requestTrial } from './requests.ts'
import { sealTrial } from './seals.ts'
import { createRunner, type Runner, type TrialName, trialNames } from './trial.ts'

/** Of all inputs of a protocol so many are of a kind. */
export const shares: { readonly [name in TrialName]: number } = {
  requests: 0.35,
  events: 0.5,
  answers: 0.1,
  seals: 0.05,
}

/** Told before each case: which trial of `trialNames`, and which case of it. */
export type OnCase = (trial: number, index: number) => void

/** All that is tried of a protocol, in the order of `trialNames`. */
export function runnersOf(
  protocol: ProtocolName,
  seed: number,
  onCase: OnCase = () => {},
): readonly Runner[] {
  return [
    createRunner(requestTrial(protocol), seed, (index) => onCase(0, index)),
    createRunner(eventTrial(protocol), seed, (index) => onCase(1, index)),
    createRunner(answerTrial(protocol), seed, (index) => onCase(2, index)),
    createRunner(sealTrial(protocol), seed, (index) => onCase(3, index)),
  ]
}

/** Runs all trials by turns until there were so many inputs in all. */
export async function advanceAll(runners: readonly Runner[], inputs: number): Promise<void> {
  for (const [at, runner] of runners.entries()) {
    const name = trialNames[at]
    if (name !== undefined) await runner.advance(Math.ceil(inputs * shares[name]))
  }
}
