import { ApiError } from '../../../admin/api-error.ts'
import type { SimulationView } from '../../../admin/prices/schema.ts'
import { formatNano } from '../../../billing/money.ts'
import { isoTime } from '../../../lib/format.ts'
import type { CatalogStore } from '../../../store/ports/catalog.ts'
import { type SimulatedRequest, simulate } from '../../prices/simulate.ts'
import type { TriedPrice } from './group-previews.ts'

/** Requests of a model since a time, in the order in which they ended. */
export type RequestsOf = (model: string, since: number) => AsyncIterable<SimulatedRequest>

interface Trial {
  readonly catalog: Pick<CatalogStore, 'load'>
  readonly requestsOf: RequestsOf
  readonly tried: TriedPrice
  readonly since: number
}

/** More are not compared: an answer must come within some seconds. */
const mostRequests = 200_000

/** What the requests of a model would have cost by another price. */
export async function tryPrice({
  catalog,
  requestsOf,
  tried,
  since,
}: Trial): Promise<Omit<SimulationView, 'groups'>> {
  const { model, terms } = tried
  if (terms.unit === 'none') throw new ApiError('invalid_value', 'This is no price.')
  let isComplete = true
  async function* bounded() {
    let left = mostRequests
    for await (const request of requestsOf(model, since)) {
      if (left-- === 0) {
        isComplete = false
        return
      }
      yield request
    }
  }
  const { total, not_compared } = await simulate(
    { catalog, records: { exportRequests: bounded } },
    {
      since,
      list: {
        form: 'catalog',
        tellsTiers: true,
        models: [model],
        find: (asked) => (asked === model ? { terms, rounded: false } : undefined),
      },
    },
  )
  return {
    since: isoTime(since),
    requests: total.requests,
    charged: formatNano(total.charged_nano),
    simulated: formatNano(total.simulated_nano),
    difference: formatNano(total.difference_nano),
    percent: total.percent,
    not_compared: not_compared.without_usage,
    is_complete: isComplete,
  }
}
