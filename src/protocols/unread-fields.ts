import { foldAll } from './deciding-fields.ts'
import { isJsonObject } from './json.ts'
import type { Fault, JsonObject } from './protocol.ts'

type IsHarmless = (value: unknown) => boolean

const isEmpty: IsHarmless = (value) => isJsonObject(value) && Object.keys(value).length === 0
const isOff: IsHarmless = (value) => value === false

/** Google's own settings in OpenAI's protocol: of these its documentation has an `extra_body` sent. */
const googleNames = new Set(['thinking_config', 'thought_tag_marker'])
const isOfGoogle: IsHarmless = (value) =>
  isJsonObject(value) &&
  Object.entries(value).every(
    ([name, settings]) =>
      name === 'google' &&
      isJsonObject(settings) &&
      Object.keys(settings).every((one) => googleNames.has(one)),
  )

/**
 * Fields that make some upstreams do what nobody here has looked at: they put what is in them in the
 * place of the request's own (LiteLLM's `extra_…`), or answer with no more than an address (xAI's
 * `deferred`). By their folded names, with what of them asks for nothing.
 */
export const unreadFields: ReadonlyMap<string, IsHarmless> = new Map([
  ['extrabody', isOfGoogle],
  ['extraheaders', isEmpty],
  ['extraquery', isEmpty],
  ['deferred', isOff],
])

/** The first such field of a body that asks for something. */
export function unreadFault(body: JsonObject): Fault | undefined {
  for (const name in body) {
    const isHarmless = unreadFields.get(foldAll(name))
    const value = body[name]
    if (isHarmless === undefined || value === undefined || value === null) continue
    if (!isHarmless(value)) return refused(name)
  }
  return undefined
}

const refused = (param: string): Fault => ({
  code: 'unsupported_parameter',
  param,
  message: `${param} is not taken here: what it asks for can't be looked at. Send its fields as the request's own, or leave it out.`,
})
