import { refusalWords } from '../../look/refusals.ts'
import { shownLanguage } from './language.ts'

/** What is said of a failure; of a refusal, in the language of the page. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

const isReason = (reason: string): reason is keyof typeof refusalWords =>
  Object.hasOwn(refusalWords, reason)

/** In a few words, why something was refused; undefined: this console does not know the reason. */
export const reasonText = (reason: string, language = shownLanguage()): string | undefined =>
  isReason(reason) ? refusalWords[reason][language === 'en' ? 0 : 1] : undefined
