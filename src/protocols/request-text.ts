import { isJsonObject } from './json.ts'

const deepest = 64

/** Members that are no prompt text: names, references, and media in base64 or opaque form. */
const notText = new Set([
  'type',
  'id',
  'role',
  'tool_call_id',
  'tool_use_id',
  'call_id',
  'cache_control',
  'media_type',
  'mimeType',
  'mime_type',
  'detail',
  'signature',
  'thoughtSignature',
  'thought_signature',
  'encrypted_content',
  'image_url',
  'file_url',
  'file_data',
  'file_id',
  'input_audio',
  'b64_json',
  'data',
  'inlineData',
  'inline_data',
  'fileData',
  'url',
])

/**
 * The text of a request, for a rough count of its LLM tokens: every string of `prompts` but names,
 * references and media, and `tools` as JSON.
 */
export function requestText(prompts: readonly unknown[], tools: unknown): string {
  const pieces: string[] = []
  for (const prompt of prompts) collect(prompt, pieces, 0)
  if (tools !== undefined && tools !== null) pieces.push(toolText(tools))
  return pieces.join('\n')
}

function collect(value: unknown, pieces: string[], depth: number): void {
  if (typeof value === 'string') {
    if (value !== '' && !isDataUrl(value)) pieces.push(value)
  } else if (typeof value === 'number' || typeof value === 'boolean') {
    pieces.push(`${value}`)
  } else if (depth >= deepest) {
    // Nothing people write nests this deep, and recursion has to end somewhere.
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, pieces, depth + 1)
  } else if (isJsonObject(value)) {
    if (value.type === 'image_generation_call') return // its result is an image
    for (const key in value) {
      // A document given as plain text has it where others have their base64.
      const plain = key === 'data' && value.type === 'text'
      if (plain || !notText.has(key)) collect(value[key], pieces, depth + 1)
    }
  }
}

function isDataUrl(value: string): boolean {
  return value.startsWith('data:') && value.slice(0, 200).includes(';base64,')
}

function toolText(tools: unknown): string {
  try {
    return JSON.stringify(tools)
  } catch {
    // Nested deeper than the engine can write: not worth counting exactly.
    return ''
  }
}
