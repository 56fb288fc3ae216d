import { formatDecimal, formatNano } from '../../billing/money.ts'
import { clientRows } from '../../billing/receipt/client.ts'
import { describeClientReceipt } from '../../billing/receipt/text.ts'
import { clientReceiptView } from '../../billing/receipt/view.ts'
import type { Catalog, Channel } from '../../catalog/catalog.ts'
import { seenBy } from '../../catalog/catalog.ts'
import { type Clock, utcDay } from '../../lib/clock.ts'
import { chat } from '../../protocols/chat/index.ts'
import type { ReceiptRows, RecordStore, UsageTotals } from '../../store/ports/records.ts'
import type { Caller } from '../admit/authenticate.ts'
import { shortName } from '../admit/plan.ts'
import { type Handler, httpCall } from '../context.ts'
import { GatewayError, modelHeaders } from '../errors.ts'
import { type Reservations, spentOn } from '../money/reservations.ts'
import { hideSecrets } from '../upstream/hide-secrets.ts'
import { type GuardParts, guarded } from './guarded.ts'

interface ReceiptParts extends GuardParts {
  readonly records: Pick<RecordStore, 'receipt'>
  readonly catalog: () => Catalog
}

/** `GET /v1/receipts/{id}`: JSON, or text where the reader prefers it. */
export function receiptRoute(parts: ReceiptParts): Handler {
  return (context) =>
    // Receipts stay readable with a used-up balance.
    guarded(
      parts,
      { call: httpCall(context, false), protocol: chat, needsBalance: false },
      async (caller, requestId) => {
        const found = await findOwn(parts.records, caller, context.params.id ?? '')
        const rows = clientRows(hideUpstream(found, parts.catalog()))
        const isText = prefersText(context.request.headers.get('accept'))
        const body = isText
          ? describeClientReceipt(rows).map((line) => `${line}\n`)
          : [JSON.stringify(clientReceiptView(rows))]
        const contentType = isText ? 'text/plain; charset=utf-8' : 'application/json'
        const headers = modelHeaders(chat, requestId, contentType)
        return new Response(body.join(''), {
          headers: { ...headers, vary: 'Accept', 'cache-control': 'private, no-store' },
        })
      },
    )
}

/** A receipt of the caller's account. Another account's receipt looks like a missing one. */
async function findOwn(
  records: Pick<RecordStore, 'receipt'>,
  caller: Caller,
  id: string,
): Promise<ReceiptRows> {
  const rows = await records.receipt(id)
  if (rows?.request.accountId === caller.account.id) return rows
  throw new GatewayError(
    'receipt_not_found',
    `There is no receipt of a request "${shortName(id)}" here. Its id is the x-request-id of the ` +
      'answer; a receipt exists once the request has ended, for the tokens of the account that ' +
      'made it. Counting tokens and listing models leave none.',
  )
}

/** An upstream's usage report may hold anything: secrets are hidden as in its errors. */
export function hideUpstream(rows: ReceiptRows, { channels }: Catalog): ReceiptRows {
  const { request, attempts } = rows
  const shown = (usageRaw: string | null, channelId: number | null) =>
    hideIn(usageRaw, channelId === null ? undefined : channels.get(channelId))
  return {
    ...rows,
    request: { ...request, usageRaw: shown(request.usageRaw, request.channelId) },
    attempts: attempts.map((attempt) => ({
      ...attempt,
      usageRaw: shown(attempt.usageRaw, attempt.channelId),
    })),
  }
}

function hideIn(usageRaw: string | null, channel: Channel | undefined): string | null {
  if (usageRaw === null || channel === undefined) return usageRaw
  // Texts only: a channel's key like "token" must not break the names of counts.
  return usageRaw.replace(/"(?:[^"\\]|\\.)*"(\s*:)?/g, (text, colon?: string) =>
    colon === undefined ? hideSecrets(text, channel) : text,
  )
}

/** Whether an `Accept` header prefers plain text (RFC 9110, 12.5.1). */
export function prefersText(accept: string | null): boolean {
  if (accept === null) return false
  const ranges = accept.toLowerCase().split(',').map(parseRange)
  return weightOf('text', 'plain', ranges) > weightOf('application', 'json', ranges)
}

interface Range {
  readonly name: string
  readonly weight: number
}

/** `text/plain;q=0.5`. Other parameters are ignored. */
function parseRange(text: string): Range {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
  // An invalid weight excludes its range.
  return { name, weight: /^(0(\.\d*)?|1(\.0*)?)$/.test(weight) ? Number(weight) : 0 }
}

/** The most precise matching range decides. */
function weightOf(type: string, subtype: string, ranges: readonly Range[]): number {
  for (const name of [`${type}/${subtype}`, `${type}/*`, '*/*']) {
    const fitting = ranges.filter((range) => range.name === name)
    if (fitting.length > 0) return Math.max(...fitting.map(({ weight }) => weight))
  }
  return 0
}

interface TokenUsageParts {
  readonly records: Pick<RecordStore, 'tokenUsage'>
  readonly catalog: () => Catalog
  readonly reservations: Reservations
  readonly clock: Clock
}

/** `GET /v1/usage` of the calling token. Money is a decimal string in USD. */
export async function tokenUsage(
  { records, catalog, reservations, clock }: TokenUsageParts,
  caller: Caller,
) {
  const { token, account } = caller
  const seen = seenBy(account, catalog().groups.get(token.groupId))
  const group = seen === 'closed' ? undefined : seen
  const today = utcDay(clock())
  const [since, total] = await Promise.all([
    records.tokenUsage(token.id, today),
    records.tokenUsage(token.id),
  ])
  return {
    object: 'usage',
    currency: 'USD',
    token: token.name,
    balance: formatNano(account.balanceNano),
    // After reservations, with the credit limit, within the budget.
    available: formatNano(Math.max(0, reservations.room(caller).nano)),
    credit_limit: formatNano(account.creditLimitNano),
    budget: encodeBudget(caller, today),
    group: group?.name ?? null,
    rate_multiplier: group ? formatDecimal(group.multiplierMillionths, 6) : null,
    today: encodeTotals(since),
    total: encodeTotals(total),
  }
}

function encodeBudget({ token, spending }: Caller, today: string) {
  if (spending === undefined) return null
  const spent = spentOn(spending.spent, today)
  const part = (limitNano: number | null, spentNano: number) =>
    limitNano === null ? null : { limit: formatNano(limitNano), spent: formatNano(spentNano) }
  return {
    total: part(token.budget.totalNano, spent.totalNano),
    day: part(token.budget.dayNano, spent.dayNano),
    month: part(token.budget.monthNano, spent.monthNano),
  }
}

function encodeTotals(totals: UsageTotals) {
  return {
    requests: totals.requests,
    input_tokens: totals.inputTokens,
    output_tokens: totals.outputTokens,
    cache_read_tokens: totals.cacheReadTokens,
    cache_write_tokens: totals.cacheWriteTokens,
    cost: formatNano(totals.amountNano),
  }
}
