import { authReasons, errorKinds, GatewayError } from '../gateway/errors.ts'
import type { ApiError } from '../site/docs/api-page.ts'

/** Every error of the gateway with its status and its meaning, as the console says it. Loads the console's words. */
export async function apiErrors(): Promise<readonly ApiError[]> {
  const { causeText } = await import('../console/pages/requests/causes.ts')
  const describe = (word: string, status: number): ApiError => ({
    ...{ word, status },
    meaning: {
      en: causeText(word, 'request', 'en') ?? '',
      zh: causeText(word, 'request', 'zh') ?? '',
    },
  })
  return [
    ...authReasons.map((reason) => describe(reason, 401)),
    ...errorKinds
      .filter((kind) => kind !== 'unauthenticated' && kind !== 'insufficient_balance')
      .map((kind) => describe(kind, new GatewayError(kind, '').status)),
  ]
}
