import type { FinishReason } from '../canonical/response.ts'

/** The ends that vendors of this protocol tell, in lower case. */
const reasons = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['length', 'length'],
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['tool_use', 'tool-calls'],
  ['content_filter', 'filter'],
  ['safety', 'filter'],
  ['sensitive', 'filter'],
  ['refusal', 'refusal'],
  ['error', 'failed'],
  ['network_error', 'failed'],
  ['insufficient_system_resource', 'failed'],
])

/** What an answer, or one of several side by side, consists of. */
export interface AnswerTraits {
  readonly hasCalls: boolean
  readonly hasRefusal: boolean
}

/**
 * Why an answer ended, by its `finish_reason`. Some vendors leave it out or empty, and some say
 * `stop` where they call tools: then what the answer holds decides.
 */
export function decodeFinish(reason: string | undefined, traits: AnswerTraits): FinishReason {
  const told = reason === undefined ? 'stop' : (reasons.get(reason.toLowerCase()) ?? 'other')
  if (traits.hasCalls && (told === 'stop' || told === 'other')) return 'tool-calls'
  return traits.hasRefusal && told === 'stop' ? 'refusal' : told
}

/** The `finish_reason` of an answer. A refusal in words of its own is an end like others. */
export function encodeFinish(reason: FinishReason, traits: AnswerTraits): string {
  switch (reason) {
    case 'length':
      return 'length'
    case 'tool-calls':
      return 'tool_calls'
    case 'filter':
      return 'content_filter'
    case 'refusal':
      return traits.hasRefusal ? 'stop' : 'content_filter'
    case 'failed':
      return 'error'
    default:
      return traits.hasCalls ? 'tool_calls' : 'stop'
  }
}
