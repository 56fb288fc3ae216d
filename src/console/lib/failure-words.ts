import { CallFailed } from './call.ts'
import { messageOf, reasonText } from './error-text.ts'
import { bilingual, type Language } from './language.ts'

const texts = bilingual({
  title: ['This failed', '操作未成功'],
  unreachable: [
    'The gateway could not be reached. Is it running, and are you online?',
    '无法连接网关。请确认它正在运行且网络正常。',
  ],
})

/** Reasons whose few words say all that there is to say. */
const clear = [
  'wrong_credentials',
  'wrong_passkey',
  'begin_again',
  'wrong_password',
  'wrong_code',
  'not_signed_in',
  'sign_in_again',
]

interface FailureWords {
  readonly title: string
  /** A sentence about it; '' where the title says all. */
  readonly words: string
  /** Whether the sentence is in English on every page: the API's own are in the language of the page. */
  readonly isForeign: boolean
}

/** What a notice says of something that failed. */
export function failureWords(error: unknown, language: Language): FailureWords {
  const text = texts[language]
  const message = messageOf(error)
  if (!(error instanceof CallFailed)) {
    return { title: text.title, words: message, isForeign: true }
  }
  const title = reasonText(error.reason, language) ?? text.title
  if (error.status === 0) return { title, words: text.unreachable, isForeign: false }
  if (language !== 'en' && clear.includes(error.reason)) {
    return { title, words: '', isForeign: false }
  }
  return { title, words: message, isForeign: false }
}

/** One field that a refusal names. */
interface Problem {
  readonly field: string
  readonly message: string
  readonly reason?: string
  readonly fault?: string | undefined
}

/** The fields that a refusal names; none: it is about no field. */
export function problemsIn(error: unknown): readonly Problem[] {
  if (!(error instanceof CallFailed) || error.field === undefined) return []
  const { problems } = (error.data ?? {}) as { readonly problems?: readonly Problem[] }
  const { field, message, reason, fault } = error
  return problems ?? [{ field, message, reason, fault }]
}

/** What a field says of its problem: beside its field a sentence need not begin with the name. */
export function problemText({ field, message }: Problem): string {
  const start = [`${field}: `, `${field}：`].find((one) => message.startsWith(one)) ?? ''
  return message.slice(start.length)
}
