import type { DocumentPart, Part } from '../canonical/request.ts'
import { encodeAudio, urlOf } from '../chat/content.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeCitations } from './citations.ts'

/**
 * One part of a message or of a tool's result; undefined for what is no content here (calls,
 * reasoning, video). What the model said is `output_text`, what it was told is `input_text`.
 */
export function encodeContentPart(part: Part, isOutput: boolean): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return isOutput
        ? { type: 'output_text', text: part.text, annotations: encodeCitations(part) }
        : { type: 'input_text', text: part.text }
    case 'refusal':
      return isOutput
        ? { type: 'refusal', refusal: part.text }
        : { type: 'input_text', text: part.text }
    case 'image': {
      const { source, detail } = part
      const image = { type: 'input_image', image_url: urlOf(source) }
      return detail === undefined ? image : { ...image, detail }
    }
    case 'document':
      return encodeDocument(part)
    case 'audio':
      return { type: 'input_audio', input_audio: encodeAudio(part) }
    default:
      return undefined
  }
}

/**
 * The vendor refuses a file name beside an address ("mutually exclusive"), and wants one beside data.
 * A document of plain text is text below its title: many who speak this protocol read no files.
 */
function encodeDocument({ source, title }: DocumentPart): JsonObject {
  if (source.type === 'url') return { type: 'input_file', file_url: source.url }
  if (source.type === 'text') {
    const text = title === undefined ? source.text : `${title}\n\n${source.text}`
    return { type: 'input_text', text }
  }
  return { type: 'input_file', filename: title ?? 'document.pdf', file_data: urlOf(source) }
}
