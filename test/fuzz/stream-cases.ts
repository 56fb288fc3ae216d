import { isJsonObject } from '../../src/protocols/json.ts'
import { type ProtocolName, protocolNames } from '../../src/protocols/protocol.ts'
import { corpora, type FrameCase, material } from './corpus.ts'
import type { Dice } from './dice.ts'
import { mutate } from './mutate.ts'
import { deepened, depthFrom, oddText } from './oddities.ts'

/** A stream as texts, one for each frame, and in how many of them something was done. */
export interface StreamText {
  readonly pieces: readonly string[]
  readonly changes: number
}

const longest = 70

/** A stream of a protocol in which many events are changed, moved or others. */
export function makeStream(protocol: ProtocolName, dice: Dice): StreamText {
  const frames = startOf(protocol, dice)
  let changes = changeStream(frames, protocol, dice)
  const pieces: string[] = []
  const usual = 1 + dice.below(4)
  for (let at = 0; at < frames.length; at++) {
    const frame = frames[at] as FrameCase
    if (!dice.once(usual)) {
      pieces.push(textOf(frame, dice))
      continue
    }
    changes++
    pieces.push(...changedFrame(frame, protocol, dice))
  }
  return { pieces, changes }
}

/** A recorded stream, without its middle when it is a long one. */
function startOf(protocol: ProtocolName, dice: Dice): FrameCase[] {
  const frames = corpora[protocol].streams.pick(dice)
  if (frames.length <= longest) return [...frames]
  const from = dice.below(frames.length - 40)
  return [...frames.slice(0, 15), ...frames.slice(from, from + 30), ...frames.slice(-10)]
}

/** Changes of the whole; gives how many frames that concerns. */
function changeStream(frames: FrameCase[], protocol: ProtocolName, dice: Dice): number {
  switch (dice.below(12)) {
    case 0: {
      const other = startOf(dice.once(3) ? dice.pick(protocolNames) : protocol, dice)
      for (const frame of other) frames.splice(dice.below(frames.length + 1), 0, frame)
      return other.length
    }
    case 1: {
      // Interleaved in order, as when two answers share a line.
      const other = startOf(protocol, dice)
      const mixed = Array.from({ length: Math.max(frames.length, other.length) }, (_, at) => [
        ...frames.slice(at, at + 1),
        ...other.slice(at, at + 1),
      ])
      frames.splice(0, frames.length, ...mixed.flat())
      return other.length
    }
    case 2:
      return frames.splice(dice.below(frames.length + 1)).length > 0 ? 1 : 0
    case 3:
      frames.push(...frames)
      return frames.length >> 1
    case 4:
      return frames.splice(0, dice.below(frames.length)).length > 0 ? 1 : 0
    default:
      return 0
  }
}

/** What stands in a changed frame's place: nothing, one text or more. */
function changedFrame(frame: FrameCase, protocol: ProtocolName, dice: Dice): readonly string[] {
  switch (dice.below(16)) {
    case 0:
      return []
    case 1:
      return [textOf(frame, dice), textOf(frame, dice)]
    case 2:
      return [textOf(dice.pick(startOf(protocol, dice)), dice), textOf(frame, dice)]
    case 3:
      return [textOf(dice.pick(startOf(dice.pick(protocolNames), dice)), dice)]
    case 4:
      return [textOf({ ...frame, data: spoiled(frame.data, dice) }, dice)]
    case 5:
      return [spoiled(textOf(frame, dice), dice)]
    case 6:
      return [
        textOf({ ...frame, event: dice.pick(['', 'error', 'ping', 'message_stop', 'é']) }, dice),
      ]
    case 7:
      return [textOf({ event: '', data: dice.pick(['[DONE]', '', '{}', '[]', 'null']) }, dice)]
    default:
      return [textOf({ ...frame, data: mutated(frame.data, dice) }, dice)]
  }
}

function mutated(data: string, dice: Dice): string {
  const event: unknown = data.startsWith('{') ? tryParse(data) : undefined
  if (!isJsonObject(event)) return oddText(dice)
  mutate(event as Record<string, unknown>, dice, material)
  const text = JSON.stringify(event)
  const depth = depthFrom(dice)
  return depth === undefined ? text : deepened(text, depth)
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A text that is cut, doubled in part, or has something in it. */
function spoiled(text: string, dice: Dice): string {
  const [from, to] = [dice.below(text.length + 1), dice.below(text.length + 1)]
  switch (dice.below(5)) {
    case 0:
      return text.slice(0, from)
    case 1:
      return text.slice(from)
    case 2:
      return text.slice(0, from) + text.slice(to)
    case 3:
      return text.slice(0, from) + oddText(dice) + text.slice(from)
    default:
      // U+FFFF stands for a byte that no text has.
      return `${text.slice(0, from)}\uFFFF${text.slice(from)}`
  }
}

/** A frame as vendors write it, in any of the forms that the standard allows. */
function textOf({ event, data }: FrameCase, dice: Dice): string {
  const lineEnd = dice.once(12) ? dice.pick(['\r\n', '\r']) : '\n'
  const lines = data.split(/\r\n|[\n\r]/).map((line) => `data:${dice.once(9) ? '' : ' '}${line}`)
  if (event !== '') lines.splice(dice.once(9) ? lines.length : 0, 0, `event: ${event}`)
  if (dice.once(30)) lines.unshift(dice.pick([': ping', 'id: 1', 'retry: 5', 'x', '\uFEFF']))
  return lines.join(lineEnd) + lineEnd + lineEnd
}
