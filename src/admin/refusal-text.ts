import { acceptedLanguage } from '../look/language.ts'
import { refusalWords } from '../look/refusals.ts'
import type { ApiErrorReason, Fault } from './api-error.ts'
import type { Failure } from './envelope.ts'
import { faultsZh, sentencesZh } from './refusal-zh.ts'
import type { Remark } from './refusals.ts'

interface Said {
  readonly message: string
  readonly reason: ApiErrorReason
  readonly fault?: Fault | undefined
  readonly field?: string | undefined
  readonly value?: string | undefined
}

/** Longer ones quote what was sent: looking for what was filled in could take long. */
const longest = 1_000

/** Between braces anything may stand. */
const patterns = sentencesZh.map(([en, zh]) => {
  const parts = en.split('{}').map(RegExp.escape)
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
 * A refusal in Chinese: its sentence, else what is wrong with the field, else its reason with the English
 * sentence, which names the value.
 */
const inChinese = (said: Said): string =>
  sentenceInChinese(said.message) ??
  faultInChinese(said) ??
  `${refusalWords[said.reason][1]}（${said.message}）`

/** What is wrong, behind the field and the value. */
function faultInChinese({ message, fault, field, value }: Said): string | undefined {
  if (fault === undefined) return undefined
  const at = field ? `${field}：` : ''
  const shown = value === undefined ? '' : `${sentenceInChinese(value) ?? value} 无效，`
  const [, least, most] = /whole number from (\d+) to (\d+)/.exec(message) ?? []
  const words = most === undefined ? faultsZh[fault] : `请填写 ${least} 至 ${most} 的整数`
  return at + shown + words
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
