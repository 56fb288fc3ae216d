import type { ParsedBody } from './body.ts'
import { GatewayError } from './errors.ts'
import { unshortened } from './outline.ts'

type FormBytes = Pick<ParsedBody, 'bytes' | 'contentType'>

/** Whether a body is a form (image edits send their pictures that way). */
export function isForm(contentType: string | null): contentType is string {
  return contentType?.toLowerCase().startsWith('multipart/form-data') ?? false
}

/** Reads a form's fields as those of the JSON body; files stay bytes. Throws the 400 of a broken form. */
export async function parseFormBody(bytes: Buffer, contentType: string): Promise<ParsedBody> {
  const form = await parseForm(bytes, contentType)
  const value: Record<string, unknown> = {}
  for (const [name, entry] of form.entries()) {
    const read = readers.get(name)
    if (read && Object.hasOwn(value, name)) throw sentTwice(name)
    // A file is no text: where text is expected, the check says so.
    value[name] = typeof entry === 'string' ? (read?.(entry) ?? entry) : {}
  }
  return { bytes, contentType, ...unshortened(value), fields: undefined }
}

/** How the text of a field is read that the gateway decides by; what it can't read stays text. */
const readers = new Map<string, (text: string) => unknown>([
  ['model', (text) => text],
  ['prompt', (text) => text],
  ['n', (text) => (/^\d+$/.test(text) ? Number(text) : text)],
  ['stream', (text) => (text === 'true' || text === 'false' ? text === 'true' : text)],
])

/** Two readers could take two different values, and one would be charged for the other's. */
function sentTwice(name: string): GatewayError {
  const message = `The field "${name}" is there twice. Send each field once.`
  return new GatewayError('invalid_value', message, { param: name })
}

/**
 * The form written anew from what was read of it, with the upstream's name of the model. Forms can be
 * written so that two readers find different fields: the upstream gets what was charged for.
 */
export async function rebuildForm(body: FormBytes, model: string): Promise<FormData> {
  const form = await parseForm(body.bytes, body.contentType)
  form.set('model', model)
  return form
}

/** One boundary, and nothing behind it that a second one could hide in. */
const plainType = /^multipart\/form-data;\s*boundary=("?)([\w'()+,./:=?-]{1,70})\1\s*$/i
const plainHeader =
  /^(content-disposition: form-data; name="[^"\\]*"(; filename="[^"\\]*")?|content-(type|length|transfer-encoding): [^\r\n]*)$/i

/** Whether every reader must find the same fields in a form: it is written as browsers and SDKs do. */
export function isPlainForm({ bytes, contentType }: FormBytes): boolean {
  const boundary = plainType.exec(contentType)?.[2]
  if (boundary === undefined) return false
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const opening = `--${boundary}`
  if (!buffer.subarray(0, opening.length).equals(Buffer.from(opening))) return false
  let at = opening.length
  for (;;) {
    const mark = buffer.subarray(at, at + 2).toString('latin1')
    if (mark === '--') return true
    const headEnd = buffer.indexOf('\r\n\r\n', at)
    if (mark !== '\r\n' || headEnd < 0) return false
    const head = buffer.subarray(at + 2, headEnd).toString('latin1')
    if (!head.split('\r\n').every((line) => plainHeader.test(line))) return false
    const next = buffer.indexOf(`\r\n${opening}`, headEnd + 2)
    if (next < 0) return false
    at = next + 2 + opening.length
  }
}

async function parseForm(bytes: Uint8Array, contentType: string): Promise<FormData> {
  try {
    const headers = { 'content-type': contentType }
    return (await new Response(bytes as Bun.BodyInit, { headers }).formData()) as FormData
  } catch (error) {
    throw new GatewayError('invalid_value', 'The body is not a valid multipart form.', {
      cause: error,
    })
  }
}
