import { refuseValue } from '../canonical/error.ts'
import { toJsonText } from '../canonical/json-text.ts'
import type { Part, TextPart } from '../canonical/request.ts'
import { stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { contentParts, decodeCache, type Note, nameOf, nativeBlock, textOf } from './content.ts'
import { decodeMedia, decodeText } from './media-blocks.ts'
import { decodeReference, isSearchBlock } from './tool-search.ts'

/** The parts of a message's content, a string or an array of blocks. Empty text is left out. */
export function decodeContent(content: unknown, at: string, note: Note): readonly Part[] {
  return contentParts(content, at, (block, path) => decodeBlock(block, path, note))
}

/** Only the texts of a content: of the system prompt, or of an instruction in the conversation. */
export function decodeTexts(content: unknown, at: string, note: Note): readonly TextPart[] {
  return contentParts(content, at, (block, path) => {
    if (block.type === 'text') return decodeText(block, path)
    note(nativeBlock(block), path)
    return []
  })
}

function decodeBlock(block: JsonObject, at: string, note: Note): readonly Part[] {
  const cache = decodeCache(block)
  switch (block.type) {
    case 'thinking':
      return [
        {
          type: 'reasoning',
          at,
          text: textOf(block, 'thinking', at),
          signature: stringIn(block, 'signature'),
        },
      ]
    case 'redacted_thinking':
      return [
        {
          type: 'reasoning',
          at,
          text: '',
          signature: nameOf(block, 'data', at),
          isRedacted: true,
        },
      ]
    case 'tool_use':
      return [
        {
          type: 'tool-call',
          at,
          cache,
          callId: nameOf(block, 'id', at),
          name: nameOf(block, 'name', at),
          kind: 'function',
          input: toJsonText(block.input ?? {}) ?? refuseValue(`${at}.input`, 'less deeply nested'),
        },
      ]
    case 'tool_result':
      return [
        {
          type: 'tool-result',
          at,
          cache,
          callId: nameOf(block, 'tool_use_id', at),
          // toTurns finds it by the call.
          name: '',
          kind: 'function',
          isError: block.is_error === true ? true : undefined,
          parts: contentParts(block.content, `${at}.content`, (inner, path) =>
            inner.type === 'tool_reference'
              ? [decodeReference(inner, path)]
              : decodeMedia(inner, path, note),
          ),
        },
      ]
    default:
      if (!isSearchBlock(block)) return decodeMedia(block, at, note)
      note('tool_search_item', at)
      return []
  }
}
