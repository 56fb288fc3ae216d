import type { Turn } from '../../../src/protocols/canonical/request.ts'
import type { ProtocolName } from '../../../src/protocols/protocol.ts'
import { chatTurn, responsesTurn, withInstructions } from './expected-openai.ts'
import { geminiTurn, messagesTurn } from './expected-others.ts'
import {
  countLeading,
  inTags,
  isInstruction,
  joined,
  resultsFirst,
  withOneSystem,
} from './turn-tools.ts'

/** Row "Reasoning that the channel's own vendor does not sign": it does not want that back. */
const withoutOwn = ({ role, parts }: Turn): Turn => ({
  role,
  parts: parts.filter((part) => part.type !== 'reasoning' || part.signature !== undefined),
})

/**
 * The conversation of a fitted request as an upstream reads it. Each difference has its row of the
 * table of translation, or its reason.
 */
export const expectedTurns: {
  readonly [upstream in ProtocolName]: (turns: readonly Turn[]) => readonly Turn[]
} = {
  chat: (turns) => joined(turns.map(withoutOwn).flatMap(chatTurn)),
  responses(turns) {
    // No items are no turn, unless the client sent it empty.
    const told = turns.filter(
      (turn) => turn.parts.length === 0 || withoutOwn(turn).parts.length > 0,
    )
    return joined(withInstructions(told.map(withoutOwn)).flatMap(responsesTurn))
  },
  messages(turns) {
    const told = turns.map(withoutOwn).map(messagesTurn)
    const first = told[countLeading(told)]
    const isSilent = first === undefined || (first.role === 'user' && first.parts.length === 0)
    // The vendor wants a message: where the user says nothing it is the instructions.
    const tag = (turn: Turn) => (isInstruction(turn) ? inTags(turn, undefined) : turn)
    const all = withOneSystem(isSilent ? told.map(tag) : told, undefined)
    // It refuses an empty one.
    return joined(all.filter(({ parts }) => parts.length > 0)).map(resultsFirst)
  },
  gemini(turns) {
    const told = withOneSystem(turns.map(withoutOwn), '\n\n').map(geminiTurn)
    // The vendor wants someone to say something.
    const isAlone = turns.every(isInstruction)
    return joined(isAlone ? [...told, { role: 'user', parts: [] }] : told).map(resultsFirst)
  },
}
