import { refuseValue } from '../canonical/error.ts'
import { toJsonText } from '../canonical/json-text.ts'
import type { ToolCallPart } from '../canonical/request.ts'
import { isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { readName } from './fields.ts'

/**
 * A tool call of an earlier answer. `invented` is its id where it has none. Undefined for a call of
 * a kind that is not known.
 */
export function decodeCall(
  wire: JsonObject,
  at: string,
  invented: string,
): ToolCallPart | undefined {
  const callId = stringIn(wire, 'id') ?? invented
  const custom = objectIn(wire, 'custom')
  if (wire.type === 'custom' && custom !== undefined) {
    const name = readName(custom, 'name', `${at}.custom`)
    const input = typeof custom.input === 'string' ? custom.input : ''
    return { type: 'tool-call', callId, name, kind: 'custom', input, at }
  }
  const call = objectIn(wire, 'function')
  if (call === undefined) {
    return wire.type === undefined || wire.type === 'function'
      ? refuseValue(`${at}.function`, 'an object')
      : undefined
  }
  const name = readName(call, 'name', `${at}.function`)
  const input = argumentsText(call.arguments)
  return {
    type: 'tool-call',
    callId,
    name,
    kind: 'function',
    input: input ?? refuseValue(`${at}.function.arguments`, 'a string'),
    at,
  }
}

/**
 * Arguments as JSON text: a string as it is, none at all as `{}`, and an object, which some
 * clients and vendors send instead of its text, written out. Undefined for anything else.
 */
export function argumentsText(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return '{}'
  if (typeof value === 'string') return value
  return isJsonObject(value) ? toJsonText(value) : undefined
}

/** A call as it is in a message of the model. */
export function encodeCall({ callId, name, kind, input }: ToolCallPart): JsonObject {
  return kind === 'custom'
    ? { id: callId, type: 'custom', custom: { name, input } }
    : { id: callId, type: 'function', function: { name, arguments: input } }
}
