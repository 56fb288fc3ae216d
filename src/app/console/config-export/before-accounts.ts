import { isoTime } from '../../../lib/format.ts'
import type { PriceRow } from '../../../store/ports/catalog.ts'
import { channelEntry, createPlaceholders, groupEntry, priceEntry } from './entries.ts'
import type { ConfigState } from './state.ts'
import { oneLine, section } from './yaml.ts'

/**
 * The present state as a tollgate.yaml, as far as a gateway has it in its memory: all but accounts and
 * tokens. Every secret is a reference to an environment variable.
 */
export function configBeforeAccounts(state: ConfigState, now: number): string {
  const next = createPlaceholders()
  const { customEndpoints, channels, groups } = state
  const site = named(state.site)
  return [
    head(isoTime(now)),
    section('site', {
      ...site,
      ...(customEndpoints.length > 0 && { custom_endpoints: customEndpoints }),
    }),
    section('settings', named(state.settings)),
    section(
      'channels',
      channels.map((channel) => channelEntry(channel, next)),
    ),
    section('groups', groups.map(groupEntry)),
    prices(state.prices),
  ].join('')
}

/** What is set. */
const named = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

const head = (
  time: string,
) => `# The state of a gateway at ${time}, as "tollgate plan" and "tollgate apply" read it.
# Secrets are not here: each \${NAME} is to be set in the environment. Neither are server:, store: and
# sign_in:, requests, the ledger and passwords; a backup has all of them but the first three.

`

function prices(rows: readonly PriceRow[]): string {
  const entries = rows.flatMap((row) => {
    const entry = priceEntry(row)
    return entry ? [[row.model, entry] as const] : []
  })
  const away = rows.filter(({ terms }) => terms.unit === 'none').map(({ model }) => model)
  const remark = `# Taken away by hand, which the file has no word for: ${oneLine(away.join(', '))}\n`
  return (away.length > 0 ? remark : '') + section('prices', new Map(entries))
}
