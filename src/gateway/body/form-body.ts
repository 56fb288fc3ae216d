import { decidingFields, foldName } from '../../protocols/field-names.ts'
import { shortName } from '../admit/plan.ts'
import { GatewayError } from '../errors.ts'
import type { ParsedBody } from './body.ts'
import { unshortened } from './outline.ts'

type FormBytes = Pick<ParsedBody, 'bytes' | 'contentType'>

/** Whether a body is a form (image edits send their pictures that way). */
export function isForm(contentType: string | null): contentType is string {
  return contentType?.toLowerCase().startsWith('multipart/form-data') ?? false
}

/** Reads a form's fields like a JSON body; files stay bytes. Throws the 400 of a broken form. */
export async function parseFormBody(bytes: Buffer, contentType: string): Promise<ParsedBody> {
  const form = await parseForm(bytes, contentType)
  const value: Record<string, unknown> = {}
  checkNames(form.keys())
  for (const [name, entry] of form.entries()) {
    if (!plainName.test(name)) throw oddName(name)
    if (Object.hasOwn(value, name) && !maySendTwice(name, entry)) {
      throw sentTwice(name, 'invalid_value')
    }
    // A file is no text: validation reports it where text is expected.
    value[name] = typeof entry === 'string' ? (readers.get(name)?.(entry) ?? entry) : {}
  }
  return { bytes, contentType, ...unshortened(value), fields: undefined }
}

/** Parsers of the fields the gateway decides by; unparsable values stay text. */
const readers = new Map<string, (text: string) => unknown>([
  ['model', (text) => text],
  ['prompt', (text) => text],
  ['n', (text) => (/^\d+$/.test(text) ? Number(text) : text)],
  ['stream', (text) => (text === 'true' || text === 'false' ? text === 'true' : text)],
])

/** Names that every reader parses alike. */
const plainName = /^[\w.:[\]-]{1,100}$/

function oddName(name: string): GatewayError {
  const message =
    'The name of a form field may have letters, digits and "_.:-[]" only, and 100 of them at most.'
  return new GatewayError('invalid_value', message, { param: shortName(name) })
}

/** Lists are sent as several fields of one name: files, and texts whose name says so. */
const maySendTwice = (name: string, entry: unknown) =>
  name.endsWith('[]') || (typeof entry !== 'string' && !readers.has(name))

/** Writes a form anew: two readers may find different fields in the same bytes. */
export async function rebuildForm(body: FormBytes, model: string): Promise<FormData> {
  const form = new FormData()
  const read = await parseForm(body.bytes, body.contentType)
  for (const [name, entry] of read.entries() as Iterable<[string, string | File]>) {
    if (name === 'model') continue
    if (typeof entry === 'string') form.append(name, entry)
    else form.append(name, entry, safeFileName(entry.name))
  }
  form.set('model', model)
  return form
}

/** Characters that readers parse differently in a quoted text. */
const safeFileName = (name: string) => name.replace(/[\\"\p{Cc}]/gu, '_') || 'file'

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

/** Throws the 400 of a name that another reader could take for a field that decides the charge. */
export function checkNames(names: Iterable<string>): void {
  for (const name of names) {
    const known = decidingFields.get(foldName(name))
    if (known === undefined || known === name) continue
    const how = known === known.toLowerCase() ? 'Write it in small letters' : 'Write it so'
    const message = `There is no field "${shortName(name)}". ${how}: "${known}".`
    throw new GatewayError('invalid_value', message, { param: shortName(name) })
  }
}

/** The 400 of a repeated field: readers could take different values, and charge wrongly. */
export function sentTwice(name: string, kind: 'invalid_json' | 'invalid_value'): GatewayError {
  const param = shortName(name)
  return new GatewayError(kind, `The field "${param}" is there twice. Send each field once.`, {
    param,
  })
}
