import type { Language } from '../lib/texts.ts'
import { attemptCauses } from './attempt-causes.ts'
import { requestCauses } from './request-causes.ts'

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
