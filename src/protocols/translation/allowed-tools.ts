import { TranslationError } from '../canonical/error.ts'
import type { CanonicalRequest } from '../canonical/request.ts'
import { toolNamed } from '../canonical/tools.ts'

/**
 * A request that allows tools by name, each of them once. Throws a `TranslationError` for the name of a
 * tool that the request does not have, as every vendor refuses it. `at`: where the client wrote the choice.
 */
export function withKnownAllowed(request: CanonicalRequest, at: string): CanonicalRequest {
  const { toolChoice, tools } = request
  if (toolChoice?.type !== 'allowed') return request
  const names = [...new Set(toolChoice.names)]
  const unknown = names.find((name) => toolNamed(tools, name) === undefined)
  if (unknown !== undefined) {
    throw new TranslationError({
      code: 'invalid_value',
      param: at,
      message: `${at} allows the tool "${unknown.slice(0, 64)}", which tools does not have. Declare it, or leave it out.`,
    })
  }
  return { ...request, toolChoice: { ...toolChoice, names } }
}
