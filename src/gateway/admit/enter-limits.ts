import type { Catalog } from '../../catalog/catalog.ts'
import type { RequestBody } from '../body/body.ts'
import { GatewayError, stopping } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Limiter, Permit, Subject } from '../limits/limiter.ts'
import { quickInput } from '../money/bound.ts'
import type { Caller } from './authenticate.ts'
import type { Plan } from './plan.ts'

export interface EnterParts {
  readonly catalog: () => Catalog
  readonly limiter: Limiter
  readonly queueTimeMs: () => number
  readonly onLimited: (kind: string) => void
}

export function enter(
  { limiter, queueTimeMs, onLimited }: EnterParts,
  exchange: Exchange,
  plan: Plan,
  body: RequestBody,
): void | Promise<void> {
  const { caller, request } = exchange
  if (caller === undefined) return
  const subjects = subjectsOf(caller, plan)
  const llmTokens = countsLlmTokens(subjects) ? quickInput(body) : 0
  const waiting = { waitMs: queueTimeMs(), signal: request.signal }
  try {
    const permit = limiter.enter(subjects, llmTokens, waiting)
    if (permit instanceof Promise) return enterLate(exchange, permit, onLimited)
    hold(exchange, permit)
  } catch (error) {
    noteLimited(error, onLimited)
    throw error
  }
}

function countsLlmTokens(subjects: readonly Subject[]): boolean {
  for (const { limits } of subjects) if (limits.tpm !== null) return true
  return false
}

export async function enterLimits(
  { catalog, limiter, queueTimeMs, onLimited }: EnterParts,
  caller: Caller,
  signal: AbortSignal,
): Promise<Permit | undefined> {
  const group = catalog().groups.get(caller.token.groupId)
  if (group === undefined) return undefined
  try {
    return await limiter.enter(subjectsOf(caller, { group }), 0, { waitMs: queueTimeMs(), signal })
  } catch (error) {
    noteLimited(error, onLimited)
    throw error
  }
}

async function enterLate(
  exchange: Exchange,
  permit: Promise<Permit>,
  onLimited: EnterParts['onLimited'],
): Promise<void> {
  try {
    hold(exchange, await permit)
  } catch (error) {
    noteLimited(error, onLimited)
    throw error
  }
}

function noteLimited(error: unknown, onLimited: EnterParts['onLimited']): void {
  if (error instanceof GatewayError && error.details.limited) onLimited(error.details.limited)
}

function hold(exchange: Exchange, permit: Permit): void {
  if (exchange.interruption !== undefined) {
    permit.undo()
    throw stopping()
  }
  exchange.permit = permit
}

/** The subjects a request counts against; those without limits admit their waiters. */
function subjectsOf(
  { token, account }: Caller,
  { group }: Pick<Plan, 'group'>,
): readonly Subject[] {
  const { id, name, limits } = token
  return [
    { kind: 'token', id, name, limits },
    { kind: 'account', id: account.id, name: account.email, limits: account.limits },
    { kind: 'group', id: group.id, name: group.name, limits: group.limits },
  ]
}
