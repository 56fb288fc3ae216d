import type { Finish, FinishReason } from '../canonical/response.ts'

/** What a `stop_reason` says. Source: the SDK's `BetaStopReason`. */
export function decodeStopReason(wire: string): FinishReason {
  return reasons.get(wire) ?? 'other'
}

const reasons = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-calls'],
  ['pause_turn', 'pause'],
  // Paused so that the client can look at what was summed up.
  ['compaction', 'pause'],
  ['refusal', 'refusal'],
])

/** What an answer held, as far as it changes how it is said to have ended. */
export interface Held {
  readonly calls: boolean
  readonly refusal: boolean
}

/** Why an answer ended, as members of a message. A sequence is told only where it is the reason. */
export function encodeStop(finish: Finish, held: Held) {
  const stop_reason = encodeStopReason(finish, held)
  const isSequence = stop_reason === 'stop_sequence'
  return { stop_reason, stop_sequence: (isSequence ? finish.stopSequence : undefined) ?? null }
}

/**
 * The `stop_reason` that tells how an answer ended. There is none for one that broke off: it is cut
 * short, as by a limit, which clients do not take for a whole answer.
 */
function encodeStopReason({ reason, stopSequence }: Finish, held: Held): string {
  switch (reason) {
    case 'length':
    case 'failed':
      return 'max_tokens'
    case 'pause':
      return 'pause_turn'
    case 'refusal':
    case 'filter':
      return 'refusal'
    case 'tool-calls':
      return 'tool_use'
    case 'stop':
    case 'other':
      if (held.calls) return 'tool_use'
      if (held.refusal) return 'refusal'
      return stopSequence === undefined ? 'end_turn' : 'stop_sequence'
  }
}
