import type { Language } from '../lib/texts.ts'
import { attemptCauses } from './attempt-causes.ts'
import { requestCauses } from './request-causes.ts'

/** The causes to choose from in a filter, as people call them; a machine word only where there is none. */
export const causeChoices = (language: Language, of: 'request' | 'attempt') =>
  Object.entries((of === 'attempt' ? attemptCauses : requestCauses)[language]).map(
    ([value, label]) => ({ value, label }),
  )

/** What a cause means, as a sentence; undefined for one that this version does not know. */
export function causeText(
  cause: string,
  language: Language,
  of: 'request' | 'attempt' = 'request',
): string | undefined {
  const tables = of === 'attempt' ? [attemptCauses, requestCauses] : [requestCauses, attemptCauses]
  for (const table of tables) {
    const texts: Readonly<Record<string, string>> = table[language]
    if (Object.hasOwn(texts, cause)) return texts[cause]
  }
  return undefined
}
