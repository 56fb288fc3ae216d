import type {
  DocumentPart,
  MediaSource,
  Part,
  TextPart,
  Turn,
} from '../../../src/protocols/canonical/request.ts'
import {
  changed,
  isNotType,
  isText,
  isType,
  joined,
  plainSource,
  type ResultItem,
} from './turn-tools.ts'

/** Row "Images and documents in results": they follow the results, in a message of the user. */
export function chatTurn(turn: Turn): readonly Turn[] {
  const { role } = turn
  const { parts } = changed(turn, (part) => openAiPart(part, 'chat'))
  if (role === 'assistant') {
    // A message has its text first and its calls last. What the model drew is shown by the user.
    const calls = parts.filter(isType('tool-call'))
    const images: Turn = { role: 'user', parts: parts.filter(isType('image')) }
    const said = parts.filter(isNotType('tool-call')).filter(isNotType('image'))
    const message: Turn = { role, parts: [...said, ...calls] }
    if (images.parts.length === 0) return [message]
    return calls.length > 0 ? [images, message] : [message, images]
  }
  const isMoved = (item: ResultItem) => item.type !== 'text'
  const results = parts.filter((part) => part.type === 'tool-result')
  const moved = results.flatMap((result) => result.parts.filter(isMoved))
  // What stays is one text.
  const kept = results.map((result) => {
    const texts = result.parts.flatMap((item) => (item.type === 'text' ? [item.text] : []))
    const text = { type: 'text', text: texts.join('\n') } as const
    return { ...result, parts: text.text === '' ? [] : [text] }
  })
  return [{ role, parts: [...kept, ...moved, ...parts.filter(isNotType('tool-result'))] }]
}

/** Row "System prompt": the first system turn is one text, in a field of its own. */
export function withInstructions(turns: readonly Turn[]): readonly Turn[] {
  const [first, ...rest] = turns
  if (first?.role !== 'system' || !first.parts.every(isText)) return turns
  const text = first.parts.map((part) => part.text).join('\n\n')
  return [{ role: 'system', parts: [{ type: 'text', text }] }, ...rest]
}

/** What the model drew is shown by the user: answers hold no media here. */
export function responsesTurn(turn: Turn): readonly Turn[] {
  const { role, parts } = changed(turn, (part) => openAiPart(part, 'responses'))
  if (role !== 'assistant' || parts.length === 0) return [{ role, parts }]
  return joined(
    parts.map((part) => ({ role: part.type === 'image' ? 'user' : role, parts: [part] })),
  )
}

function openAiPart(part: Part, upstream: 'chat' | 'responses'): Part {
  switch (part.type) {
    case 'text':
      return citedText(part, upstream)
    case 'image':
      return { ...part, source: plainSource(part.source) }
    case 'audio':
      return {
        ...part,
        source: { ...part.source, mediaType: soundType(part.source) } as MediaSource,
      }
    case 'document':
      return openAiDocument(part)
    case 'reasoning': {
      // Only its own vendor's comes here, which knows nothing of other vendors' marks.
      const { text, signature, id } = part
      return { type: 'reasoning', text, signature, id }
    }
    case 'tool-call':
      return part.kind === 'function' && part.input === '' ? { ...part, input: '{}' } : part
    case 'tool-result':
      return { ...part, parts: part.parts.map((item) => openAiPart(item, upstream) as ResultItem) }
    default:
      return part
  }
}

/** Row "Citations of addresses": they stand behind all of the text where no place is told. */
function citedText(part: TextPart, upstream: 'chat' | 'responses'): TextPart {
  const citations = part.citations?.map((citation) => {
    if (citation.type !== 'url' || upstream === 'chat') return citation
    const { url, title, start = 0, end = part.text.length } = citation
    return { type: 'url', url, title, start, end } as const
  })
  return { ...part, citations: citations?.length ? citations : undefined }
}

/** They have names for formats (`mp3`), not types. */
const soundType = ({ mediaType = 'audio/wav' }: MediaSource) =>
  mediaType === 'audio/mp3' ? 'audio/mpeg' : mediaType.replace('audio/x-', 'audio/')

/** Row "Document, as text": text below its title. Files must have a name, addresses none. */
function openAiDocument({ type, source, title, ...rest }: DocumentPart): Part {
  if (source.type === 'text') {
    const text = title === undefined ? source.text : `${title}\n\n${source.text}`
    return { type: 'text', text, ...rest }
  }
  if (source.type === 'url') return { type, source: plainSource(source), ...rest }
  return { type, source, title: title ?? 'document.pdf', ...rest }
}
