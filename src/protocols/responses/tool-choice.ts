import { refuseValue } from '../canonical/error.ts'
import type { CanonicalRequest, NativeUse, Tool, ToolChoice } from '../canonical/request.ts'
import { toolNamed } from '../canonical/tools.ts'
import { arrayIn, isJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { clientTools, flatName } from './tools.ts'

/** Which tools the model may or must call. A choice of the vendor's own tools is noted in `native`. */
export function decodeToolChoice(
  choice: unknown,
  tools: readonly Tool[],
  native: NativeUse[],
): ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined
  if (choice === 'none' || choice === 'auto' || choice === 'required') return { type: choice }
  if (!isJsonObject(choice)) return refuseValue('tool_choice', 'none, auto, required or an object')
  if (choice.type === 'allowed_tools') return decodeAllowed(choice, tools, native)
  const name = decodeChosen(choice, 'tool_choice', tools, native)
  return name === undefined ? undefined : { type: 'tool', name }
}

function decodeAllowed(
  choice: JsonObject,
  tools: readonly Tool[],
  native: NativeUse[],
): ToolChoice {
  const names = arrayIn(choice, 'tools').flatMap((tool, index) => {
    const at = `tool_choice.tools[${index}]`
    const name = isJsonObject(tool)
      ? decodeChosen(tool, at, tools, native)
      : refuseValue(at, 'an object')
    return name ?? []
  })
  return { type: 'allowed', names, isRequired: choice.mode === 'required' }
}

function decodeChosen(
  choice: JsonObject,
  at: string,
  tools: readonly Tool[],
  native: NativeUse[],
): string | undefined {
  if (choice.type === 'function' || choice.type === 'custom') {
    const name = stringIn(choice, 'name') ?? refuseValue(`${at}.name`, 'a non-empty string')
    return flatName(tools, name, stringIn(choice, 'namespace'))
  }
  native.push({ feature: clientTools.has(choice.type) ? 'vendor_tool' : 'hosted_tool', at })
  return undefined
}

/** The choice as the vendor takes it: a tool is named with its kind. */
export function encodeToolChoice(
  choice: ToolChoice,
  { tools, webSearch }: Pick<CanonicalRequest, 'tools' | 'webSearch'>,
): unknown {
  const chosen = (name: string) => {
    const type = toolNamed(tools, name)?.kind ?? 'function'
    return { type, name }
  }
  switch (choice.type) {
    case 'tool':
      return chosen(choice.name)
    case 'allowed': {
      const mode = choice.isRequired ? 'required' : 'auto'
      const search = webSearch === undefined ? [] : [{ type: 'web_search' }]
      return { type: 'allowed_tools', mode, tools: [...choice.names.map(chosen), ...search] }
    }
    case 'search':
      return { type: 'web_search' }
    default:
      return choice.type
  }
}
