import type { EncodeContext, StreamEncoder } from '../canonical/codec.ts'
import type { AnswerEvent } from '../canonical/event.ts'
import type { Usage } from '../canonical/usage.ts'
import { objectIn } from '../json.ts'
import { type AnswerHead, encodeHead, reportUsage } from './answer-head.ts'
import { type ChoiceEncoder, createChoiceEncoder } from './choice-encoder.ts'
import { encodeChatStreamError } from './error.ts'

/**
 * Writes an answer as chunks of a chat completion. The usage is told, in a chunk of its own, only to
 * clients that ask for it; all other chunks then say that it is null, as the vendor's do.
 */
export function createChatEncoder(context: EncodeContext): StreamEncoder {
  const tellsUsage = objectIn(context.body, 'stream_options')?.include_usage === true
  const tail = tellsUsage ? ',"usage":null}\n\n' : '}\n\n'
  const choices = new Map<number, ChoiceEncoder>()
  /** The choice that each open block belongs to. */
  const owners = new Map<string, ChoiceEncoder>()
  let begin: string | undefined
  let usage: Usage | undefined
  let isOver = false

  function open(head: Partial<AnswerHead>): string {
    const text = JSON.stringify(encodeHead(head, 'chat.completion.chunk', context))
    begin = `data: ${text.slice(0, -1)},"choices":[`
    return begin
  }

  function choiceAt(choice: number): ChoiceEncoder {
    const known = choices.get(choice)
    if (known !== undefined) return known
    const head = begin ?? open({})
    const encoder = createChoiceEncoder((delta, logprobs, reason) => {
      const finish = `"logprobs":${logprobs},"finish_reason":${reason}`
      return `${head}{"index":${choice},"delta":${delta},${finish}}]${tail}`
    })
    choices.set(choice, encoder)
    return encoder
  }

  function end(event: Extract<AnswerEvent, { type: 'end' }>): string {
    isOver = true
    let text = ''
    for (const choice of choices.values()) text += choice.finish('other')
    if (tellsUsage) {
      const tier = event.serviceTier ? `,"service_tier":"${event.serviceTier}"` : ''
      const report = JSON.stringify(reportUsage(event.usage ?? usage, context))
      text += `${begin ?? open({})}]${tier},"usage":${report}}\n\n`
    }
    return `${text}data: [DONE]\n\n`
  }

  return {
    push(event) {
      if (isOver) return ''
      switch (event.type) {
        case 'start':
          usage = event.usage
          if (begin === undefined) open(event)
          return choiceAt(0).begin()
        case 'text-start':
        case 'reasoning-start':
        case 'refusal-start':
        case 'tool-call-start': {
          const choice = choiceAt(event.choice)
          owners.set(event.id, choice)
          return choice.push(event)
        }
        case 'image':
          return choiceAt(event.choice).push(event)
        case 'finish':
          return choiceAt(event.choice).finish(event.reason)
        case 'end':
          return end(event)
        case 'error':
          return ''
        default:
          return owners.get(event.id)?.push(event) ?? ''
      }
    },
    fail(error) {
      if (isOver) return ''
      isOver = true
      return encodeChatStreamError(error)
    },
  }
}
