import { utcDay } from '../../../lib/clock.ts'
import type { TokenEdits } from '../../ports/token-edits.ts'
import { createSpending } from '../spending.ts'
import { type EditParts, inTransaction } from './change.ts'
import { addToken, readOwnToken, removeToken, restoreToken, setToken } from './token-changes.ts'

const lastUsed = 'SELECT max(day) AS day FROM usage_day WHERE token_id = ?'

/** Tokens by hand. */
export function createTokenEdits(parts: EditParts): TokenEdits {
  const { db, queries, clock, access } = parts
  const spending = createSpending(db)
  const lastUsedDay = db.prepare<{ day: string | null }, [number]>(lastUsed)
  const change = inTransaction(parts)
  const add = change(addToken)
  const set = change(setToken)
  const remove = change(removeToken)
  const restore = change(restoreToken)
  return {
    findToken: (token) =>
      access(() => {
        const found = readOwnToken(queries, token)
        if (found === undefined) return undefined
        const spent = spending(token.id, utcDay(clock()))
        return { ...found, spent, lastUsedDay: lastUsedDay.get(token.id)?.day ?? null }
      }),
    addToken: (token, edit) => add(edit, token),
    setToken: (token, fields, edit) => set(edit, token, fields),
    removeToken: (token, edit) => remove(edit, token),
    restoreToken: (token, edit) => restore(edit, token),
  }
}
