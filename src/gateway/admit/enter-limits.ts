import type { Group } from '../../catalog/catalog.ts'
import type { RequestBody } from '../body/body.ts'
import { endedOutside, GatewayError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Permit, Subject } from '../limits/limiter.ts'
import { quickInput } from '../money/bound.ts'
import type { AdmitParts } from './admit-parts.ts'
import type { Caller } from './authenticate.ts'
import type { Plan } from './plan.ts'

export type LimitParts = Pick<AdmitParts, 'catalog' | 'limiter' | 'queueTimeMs' | 'onLimited'>

/** Takes the request's permit, in line where it has to wait. Throws the 429 of a limit. */
export function enterLimits(
  parts: LimitParts,
  exchange: Exchange,
  { group }: Plan,
  body: RequestBody,
): void | Promise<void> {
  const { caller, request } = exchange
  if (caller === undefined) return
  const permit = takePermit(parts, caller, group, request.signal, body)
  if (permit instanceof Promise) return permit.then((late) => hold(exchange, late))
  hold(exchange, permit)
}

function hold(exchange: Exchange, permit: Permit): void {
  if (exchange.interruption !== undefined) {
    permit.undo()
    throw endedOutside()
  }
  exchange.permit = permit
}

/** Does work that uses no LLM tokens within the caller's limits. Throws the 429 of a limit. */
export async function withinLimits<Result>(
  parts: LimitParts,
  caller: Caller,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const group = parts.catalog().groups.get(caller.token.groupId)
  const permit = group && (await takePermit(parts, caller, group, signal))
  try {
    return await work()
  } finally {
    permit?.release()
  }
}

function takePermit(
  { limiter, queueTimeMs, onLimited }: LimitParts,
  caller: Caller,
  group: Group,
  signal: AbortSignal,
  body?: RequestBody,
): Permit | Promise<Permit> {
  const subjects = subjectsOf(caller, group)
  const llmTokens = body && countsLlmTokens(subjects) ? quickInput(body) : 0
  try {
    const permit = limiter.acquire(subjects, llmTokens, { waitMs: queueTimeMs(), signal })
    if (!(permit instanceof Promise)) return permit
    return permit.catch((error: unknown) => refused(error, onLimited))
  } catch (error) {
    return refused(error, onLimited)
  }
}

function refused(error: unknown, onLimited: LimitParts['onLimited']): never {
  if (error instanceof GatewayError && error.details.limited) onLimited(error.details.limited)
  throw error
}

function countsLlmTokens(subjects: readonly Subject[]): boolean {
  for (const { limits } of subjects) if (limits.tpm !== null) return true
  return false
}

/** The subjects a request counts against; those without limits admit their waiters. */
function subjectsOf({ token, account }: Caller, group: Group): readonly Subject[] {
  const { id, name, limits } = token
  return [
    { kind: 'token', id, name, limits },
    { kind: 'account', id: account.id, name: account.email, limits: account.limits },
    { kind: 'group', id: group.id, name: group.name, limits: group.limits },
  ]
}
