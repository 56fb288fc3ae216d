const columns = [
  'requests',
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cache_write_1h_tokens',
  'amount_nano',
]
const sums = columns.map((column) => `sum(${column})`)
/** Where one token's day does not have them, no sum is known. */
const known = ['failed', 'begun', 'first_byte_ms'].map(
  (column) => `iif(count(${column}) = count(*), sum(${column}), NULL)`,
)

/** Fills the table of totals, which is empty, from the daily sums of all tokens. */
export const fillUsageTotals = `
INSERT INTO usage_total SELECT day, model, ${[...sums, ...known].join(', ')}
FROM usage_day GROUP BY day, model;
`

/**
 * The daily sums of all tokens together: a few rows a day, however many tokens there are, so that
 * the charts of the whole gateway are read at once.
 */
export const usageTotals = `
CREATE TABLE usage_total (
  day TEXT NOT NULL,
  model TEXT NOT NULL,
${columns.map((column) => `  ${column} INTEGER NOT NULL,\n`).join('')}  failed INTEGER,
  begun INTEGER,
  first_byte_ms INTEGER,
  PRIMARY KEY (day, model)
) STRICT, WITHOUT ROWID;
${fillUsageTotals}`
