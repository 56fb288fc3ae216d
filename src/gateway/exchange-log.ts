import type { Logger } from '../lib/log.ts'
import type { RequestRow } from '../store/ports/records.ts'
import type { Concluded } from './exchange.ts'
import type { End } from './money/record.ts'

/** One line per request: ids, names and counts; no keys, no prompts, no answers. */
export function logExchange(
  log: Logger,
  exchange: Concluded,
  end: End,
  row: RequestRow | undefined,
  nowTick: number,
): void {
  const { caller, plan, candidate } = exchange
  log.info('request', {
    request_id: exchange.requestId,
    protocol: exchange.protocol.name,
    operation: exchange.operation.name,
    status: end.status,
    ending: end.ending,
    cause: end.cause,
    account: caller?.account.email,
    token: caller?.token.name,
    group: plan?.group.name,
    model: exchange.model,
    channel: candidate?.channel.name,
    attempts: exchange.attempts.length,
    stream: exchange.facts?.stream,
    input_tokens: row?.inputTokens,
    output_tokens: row?.outputTokens,
    cache_read_tokens: row?.cacheReadTokens,
    cache_write_tokens: row && row.cacheWriteTokens + row.cacheWrite1hTokens,
    amount_nano: row?.amountNano,
    first_byte_ms: row?.firstByteMs,
    duration_ms: Math.round(nowTick - exchange.startedTick),
  })
}
