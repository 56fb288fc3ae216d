import { utcDay } from '../../../lib/clock.ts'
import type { TokenEdits } from '../../ports/token-edits.ts'
import { createSpending } from '../spending.ts'
import type { EditParts } from './edits.ts'
import { addToken, readOwnToken, removeToken, restoreToken, setToken } from './tokens.ts'

const lastUsed = 'SELECT max(day) AS day FROM usage_day WHERE token_id = ?'

/** Tokens, changed by hand. */
export function createTokenEdits({ db, queries, clock, access }: EditParts): TokenEdits {
  const spending = createSpending(db)
  const lastUsedDay = db.prepare<{ day: string | null }, [number]>(lastUsed)
  const add = db.transaction(addToken)
  const set = db.transaction(setToken)
  const remove = db.transaction(removeToken)
  const restore = db.transaction(restoreToken)
  return {
    findToken: (token) =>
      access(() => {
        const found = readOwnToken(queries, token)
        if (found === undefined) return undefined
        const spent = spending(token.id, utcDay(clock()))
        return { ...found, spent, lastUsedDay: lastUsedDay.get(token.id)?.day ?? null }
      }),
    addToken: (token, edit) => access(() => add.immediate({ queries, edit, now: clock() }, token)),
    setToken: (token, fields, edit) =>
      access(() => set.immediate({ queries, edit, now: clock() }, token, fields)),
    removeToken: (token, edit) =>
      access(() => remove.immediate({ queries, edit, now: clock() }, token)),
    restoreToken: (token, edit) =>
      access(() => restore.immediate({ queries, edit, now: clock() }, token)),
  }
}
