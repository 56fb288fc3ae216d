import { acceptedLanguage } from '../look/language.ts'
import type { ApiErrorReason, Fault } from './api-error.ts'
import type { Failure } from './envelope.ts'
import { faultsZh, reasonsZh, sentencesZh } from './refusal-zh.ts'
import type { Remark } from './refusals.ts'

interface Said {
  readonly message: string
  readonly reason: ApiErrorReason
  readonly fault?: Fault | undefined
}

/** Longer ones quote what was sent: looking for what was filled in could take long. */
const longest = 1_000

/** Between braces anything may stand. */
const patterns = sentencesZh.map(([en, zh]) => {
  const parts = en.split('{}').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return { pattern: new RegExp(`^${parts.join('([^]*?)')}$`), zh }
})

/** A sentence of the API in Chinese; undefined: it is none that is known. */
export function sentenceInChinese(message: string): string | undefined {
  if (message.length > longest) return undefined
  for (const { pattern, zh } of patterns) {
    const found = pattern.exec(message)
    if (found === null) continue
    let place = 0
    return zh.replaceAll('{}', () => found[++place] ?? '')
  }
  return undefined
}

/**
 * A refusal in Chinese: what is wrong with the field, else its sentence, else its reason with the English
 * sentence, which names the value.
 */
function inChinese({ message, reason, fault }: Said): string {
  return (
    (fault === undefined ? undefined : faultsZh[fault]) ??
    sentenceInChinese(message) ??
    `${reasonsZh[reason]}（${message}）`
  )
}

/** The body of a refusal, with its sentences in the language that the request accepts. Codes stay. */
export function translateFailure(
  failure: Failure & { readonly reason: ApiErrorReason },
  request: Pick<Request, 'headers'> | undefined,
): Failure {
  if (request === undefined || acceptedLanguage(request) === 'en') return failure
  const { problems } = (failure.data ?? {}) as { readonly problems?: readonly Remark[] }
  if (problems === undefined) return { ...failure, message: inChinese(failure) }
  const told = problems.map((one) => ({
    ...one,
    message: inChinese({ reason: failure.reason, ...one }),
  }))
  const message = told.map((one) => one.message).join(' ')
  return { ...failure, message, data: { ...(failure.data as object), problems: told } }
}
