import { utcDay } from '../../../lib/clock.ts'
import type { OwnedToken, TokenEdits } from '../../ports/edits.ts'
import { readUsed, unused } from '../token-usage.ts'
import { type EditParts, inTransaction } from './change.ts'
import { addToken, readOwnToken, removeToken, restoreToken, setToken } from './token-changes.ts'

/** Tokens by hand. */
export function createTokenEdits(parts: EditParts): TokenEdits {
  const { engine, clock } = parts
  const change = inTransaction(parts)
  const add = change(addToken)
  const set = change(setToken)
  const remove = change(removeToken)
  const restore = change(restoreToken)
  return {
    findToken: (token) => engine.read(() => findToken(token, utcDay(clock()))),
    addToken: (token, edit) => add(edit, token),
    setToken: (token, fields, edit) => set(edit, token, fields),
    removeToken: (token, edit) => remove(edit, token),
    restoreToken: (token, edit) => restore(edit, token),
  }
}

function* findToken(token: OwnedToken, day: string) {
  const found = yield* readOwnToken(token)
  if (found === undefined) return undefined
  const used = yield* readUsed([token.id], day)
  return { ...found, ...(used.get(token.id) ?? unused(day)) }
}
