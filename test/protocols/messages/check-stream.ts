import { isJsonObject, objectIn } from '../../../src/protocols/json.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'

/** The parsed events of a stream for a client; throws where one of this protocol could not be so. */
export function checkStream(text: string): readonly JsonObject[] {
  const events = framesOf(text)
  const [first, ...rest] = events
  checkStart(first)
  let index = -1
  let open: JsonObject | undefined
  let isSigned = false
  let delta: JsonObject | undefined
  for (const [at, event] of rest.entries()) {
    const must = (isSo: unknown, what: string) => {
      if (!isSo) throw new Error(`event ${at + 1}: ${what}: ${JSON.stringify(event)}`)
    }
    must(
      delta === undefined || event.type === 'message_stop',
      'nothing but the end after the delta',
    )
    switch (event.type) {
      case 'content_block_start':
        must(open === undefined, 'one block at a time')
        must(event.index === ++index, 'indexes without a gap')
        open = objectIn(event, 'content_block')
        must(blockIsEmpty(open), 'a block begins empty')
        isSigned = false
        break
      case 'content_block_delta': {
        must(open !== undefined && event.index === index, 'a delta of the open block')
        const type = objectIn(event, 'delta')?.type
        must(deltasOf.get(open?.type)?.includes(`${type}`), 'a delta of the block’s kind')
        must(!isSigned, 'nothing behind the signature')
        isSigned = type === 'signature_delta'
        break
      }
      case 'content_block_stop':
        must(open !== undefined && event.index === index, 'the end of the open block')
        open = undefined
        break
      case 'message_delta':
        must(open === undefined, 'no block left open')
        must(typeof objectIn(event, 'delta')?.stop_reason === 'string', 'a stop reason')
        checkUsage(event.usage)
        delta = event
        break
      case 'message_stop':
        must(delta !== undefined && at === rest.length - 1, 'the end is last, after the delta')
        break
      default:
        must(false, 'a known event')
    }
  }
  if (events.at(-1)?.type !== 'message_stop') throw new Error('the stream has no end')
  return events
}

function framesOf(text: string): readonly JsonObject[] {
  if (!text.endsWith('\n\n')) throw new Error('the last frame is not whole')
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((frame) => {
      const [, name, json] = /^event: ([a-z_]+)\ndata: (\{[^\n]*\})$/.exec(frame) ?? []
      const data: unknown = JSON.parse(json ?? 'null')
      if (!isJsonObject(data) || data.type !== name) throw new Error(`no frame: ${frame}`)
      return data
    })
}

function checkStart(event: JsonObject | undefined): void {
  const message = objectIn(event, 'message')
  const isWhole =
    event?.type === 'message_start' &&
    /^msg_./.test(`${message?.id}`) &&
    message?.type === 'message' &&
    message.role === 'assistant' &&
    typeof message.model === 'string' &&
    Array.isArray(message.content) &&
    message.content.length === 0 &&
    message.stop_reason === null &&
    message.stop_sequence === null
  if (!isWhole) throw new Error(`no start: ${JSON.stringify(event)}`)
  checkUsage(message.usage)
}

/** T18: clients read these without looking. */
function checkUsage(usage: unknown): void {
  const counts = [
    'input_tokens',
    'output_tokens',
    'cache_read_input_tokens',
    'cache_creation_input_tokens',
  ]
  const isWhole = isJsonObject(usage) && counts.every((name) => Number.isSafeInteger(usage[name]))
  if (!isWhole) throw new Error(`no usage: ${JSON.stringify(usage)}`)
}

function blockIsEmpty(block: JsonObject | undefined): boolean {
  switch (block?.type) {
    case 'text':
      return block.text === ''
    case 'thinking':
      return block.thinking === '' && block.signature === ''
    case 'redacted_thinking':
      return typeof block.data === 'string' && block.data !== ''
    case 'web_search_tool_result':
      return /^srvtoolu_./.test(`${block.tool_use_id}`)
    case 'server_tool_use':
    case 'tool_use':
      return typeof block.id === 'string' && JSON.stringify(block.input) === '{}'
    default:
      return false
  }
}

const deltasOf = new Map<unknown, readonly string[]>([
  ['text', ['text_delta', 'citations_delta']],
  ['thinking', ['thinking_delta', 'signature_delta']],
  ['tool_use', ['input_json_delta']],
  ['server_tool_use', ['input_json_delta']],
])
