import type { CountForm } from '../../ports/matching.ts'

/** Both sides, by the upstream's id. */
export const createTables = `
CREATE TABLE billed (
  id TEXT PRIMARY KEY,
  lines INTEGER NOT NULL,
  time INTEGER,
  input INTEGER,
  output INTEGER,
  cached INTEGER,
  cost_nano INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE own (
  id TEXT PRIMARY KEY,
  attempts INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  model TEXT,
  started_at INTEGER NOT NULL,
  status INTEGER,
  cause TEXT,
  estimated INTEGER NOT NULL,
  input INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  output INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  amount_nano INTEGER NOT NULL
) STRICT, WITHOUT ROWID;`

/** What is not told stays so: null and a number make the number. */
const added = (column: string) =>
  `${column} = iif(${column} IS NULL, excluded.${column}, ${column} + ifnull(excluded.${column}, 0))`

const addedAll = (columns: readonly string[]) => columns.map(added).join(', ')

export const insertBilled = `
INSERT INTO billed VALUES ($id, 1, $time, $inputTokens, $outputTokens, $cachedTokens, $costNano)
ON CONFLICT (id) DO UPDATE SET lines = lines + 1,
  ${addedAll(['input', 'output', 'cached', 'cost_nano'])}`

/** An attempt that nobody bills and that need not be billed is of no interest. */
export const insertOwn = `
INSERT INTO own SELECT $upstreamId, 1, $requestId, $channel, $model, $startedAt, $status, $cause,
  $estimated, $inputTokens, $cacheReadTokens, $cacheWriteTokens, $outputTokens, $reasoningTokens,
  $amountNano
WHERE $isExpected OR EXISTS (SELECT 1 FROM billed WHERE id = $upstreamId)
ON CONFLICT (id) DO UPDATE SET attempts = attempts + 1, estimated = max(estimated, excluded.estimated),
  ${addedAll(['input', 'cache_read', 'cache_write', 'output', 'reasoning', 'amount_nano'])}`

const inputs: { readonly [Form in CountForm['input']]: string } = {
  all: 'own.input + own.cache_read + own.cache_write',
  without_cache_reads: 'own.input + own.cache_write',
  uncached: 'own.input',
}
const outputs: { readonly [Form in CountForm['output']]: string } = {
  all: 'own.output',
  without_reasoning: 'own.output - own.reasoning',
}

/** Forms in the order in which they are preferred when they fit equally well. */
export const inputForms = ['all', 'without_cache_reads', 'uncached'] as const
export const outputForms = ['all', 'without_reasoning'] as const

export const inputDiffers = (form: CountForm['input']) => `billed.input <> ${inputs[form]}`
export const outputDiffers = (form: CountForm['output']) => `billed.output <> ${outputs[form]}`

/** A condition; what the file does not tell makes no difference. */
export const differs = ({ input, output }: CountForm) =>
  `(ifnull(${inputDiffers(input)}, 0) OR ifnull(${outputDiffers(output)}, 0)
    OR ifnull(billed.cached <> own.cache_read, 0))`

export const bothSides = 'billed JOIN own USING (id)'
export const unknownToUs = 'billed WHERE NOT EXISTS (SELECT 1 FROM own WHERE own.id = billed.id)'
export const notBilled = 'own WHERE NOT EXISTS (SELECT 1 FROM billed WHERE billed.id = own.id)'

export const billedColumns = `billed.id AS id, lines, time, billed.input AS inputTokens,
  billed.output AS outputTokens, cached AS cachedTokens, cost_nano AS costNano`

export const ownColumns = `own.id AS upstreamId, attempts, request_id AS requestId, channel, model,
  started_at AS startedAt, status, cause, estimated, own.input AS inputTokens,
  cache_read AS cacheReadTokens, cache_write AS cacheWriteTokens, own.output AS outputTokens,
  reasoning AS reasoningTokens, amount_nano AS amountNano`

/** Sums of money come as text: they may exceed what a number holds. */
export const billedSums = `count(*) AS ids, ifnull(sum(lines), 0) AS lines,
  sum(billed.input) AS inputTokens, sum(billed.output) AS outputTokens,
  sum(cached) AS cachedTokens, CAST(sum(cost_nano) AS TEXT) AS costNano`

export const ownSums = `count(*) AS ids, ifnull(sum(attempts), 0) AS attempts,
  ifnull(sum(own.input), 0) AS inputTokens, ifnull(sum(cache_read), 0) AS cacheReadTokens,
  ifnull(sum(cache_write), 0) AS cacheWriteTokens, ifnull(sum(own.output), 0) AS outputTokens,
  ifnull(sum(reasoning), 0) AS reasoningTokens,
  CAST(ifnull(sum(amount_nano), 0) AS TEXT) AS amountNano`
