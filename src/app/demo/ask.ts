/** A parsed JSON object whose fields nobody has looked at yet. */
export type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Readers of unchecked JSON: what has another shape reads as empty. */
export const object = (value: unknown): Json => (isObject(value) ? value : {})
export const list = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.map(object) : []
export const text = (value: unknown): string => (typeof value === 'string' ? value : '')
export const number = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined
/** Content is a string or a list of parts everywhere: both read as parts. */
export const parts = (content: unknown): readonly Json[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : list(content)

/** A picture in the question; the size is unknown when only an address was given. */
export interface Picture {
  readonly mediaType: string
  readonly sizeBytes: number | undefined
}

/** One turn of the conversation. `tool` is a tool's result. */
export interface Turn {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly pictures: readonly Picture[]
}

/** A function that the client offers, with the JSON schema of its arguments. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly schema: Json
}

/** What a client asks, in the form that all four protocols are read into. */
export interface Ask {
  readonly model: string
  readonly stream: boolean
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  readonly choice: 'auto' | 'none' | 'any' | { readonly name: string }
  /** The answer must be JSON of this schema; an empty one means any object. */
  readonly schema: Json | undefined
  readonly maxTokens: number | undefined
  readonly stop: readonly string[]
}

/** Reads a turn; `picture` recognises the protocol's own image parts. */
export function readTurn(
  role: Turn['role'],
  content: readonly Json[],
  picture: (part: Json) => Picture | undefined,
): Turn {
  return {
    role,
    text: content.map((part) => text(part.text)).join(''),
    pictures: content.flatMap((part) => picture(part) ?? []),
  }
}

export const base64Picture = (mediaType: unknown, data: unknown): Picture => ({
  mediaType: text(mediaType) || 'application/octet-stream',
  sizeBytes: Buffer.byteLength(text(data), 'base64'),
})

/** A picture given by address: its bytes are inside a `data:` address, else unknown. */
export function addressedPicture(address: unknown): Picture {
  const inline = /^data:([^;,]*)(?:;[^,]*)?,/.exec(text(address))
  return inline === null
    ? { mediaType: 'image by address', sizeBytes: undefined }
    : base64Picture(inline[1], text(address).slice(inline[0].length))
}
