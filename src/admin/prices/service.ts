import type { Static } from '@sinclair/typebox'
import type { SignedIn } from '../access.ts'
import type { PageQuery } from '../envelope.ts'
import type {
  FeedPage,
  GivenPrice,
  PriceChange,
  PriceFilter,
  PriceHistory,
  PriceList,
  PricePreview,
  PriceRemoval,
  PriceRemoved,
  PriceView,
  SimulationOrder,
  SimulationView,
} from './schema.ts'

/** Prices for administrators. Refusals are thrown as `ApiError`. */
export interface PriceService {
  /** Offered models without a price first, then by model id. */
  list(query: PageQuery & Static<typeof PriceFilter>): Promise<Static<typeof PriceList>>
  get(model: string): Promise<PriceView>
  /** Newest first. */
  history(model: string, query: PageQuery): Promise<Static<typeof PriceHistory>>
  set(who: SignedIn, model: string, change: PriceChange): Promise<PriceView>
  remove(who: SignedIn, model: string, removal: PriceRemoval): Promise<Static<typeof PriceRemoved>>
  /** What each group would charge. Nothing is stored. */
  preview(model: string, price: GivenPrice): Promise<Static<typeof PricePreview>>
  /** Ends with the signal, of whoever asked. */
  simulate(model: string, order: SimulationOrder, signal: AbortSignal): Promise<SimulationView>
  /** The public feed as it is, by group and model. */
  feed(query: PageQuery & { readonly search?: string }): Promise<Static<typeof FeedPage>>
}
