import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard, SignedIn } from '../access.ts'
import { forAdmins, PageQuery, success } from '../envelope.ts'
import {
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

/** Prices, for administrators. Refusals are thrown as `ApiError`. */
export interface PriceService {
  /** Offered models without a price first, then by model id. */
  list(query: PageQuery & Static<typeof PriceFilter>): Promise<Static<typeof PriceList>>
  get(model: string): Promise<PriceView>
  /** Newest first. */
  history(model: string, query: PageQuery): Promise<Static<typeof PriceHistory>>
  set(who: SignedIn, model: string, change: PriceChange): Promise<PriceView>
  remove(who: SignedIn, model: string, removal: PriceRemoval): Promise<Static<typeof PriceRemoved>>
  /** Calculates what each group would charge; stores nothing. */
  preview(model: string, price: GivenPrice): Promise<Static<typeof PricePreview>>
  simulate(model: string, order: SimulationOrder, signal: AbortSignal): Promise<SimulationView>
  /** The public feed by group and model. */
  feed(query: PageQuery & { readonly search?: string }): Promise<Static<typeof FeedPage>>
}

const params = Type.Object({ model: Type.String({ minLength: 1, maxLength: 200 }) })
const Search = Type.Object({ search: Type.Optional(Type.String({ maxLength: 200 })) })

/** Prices, for administrators. */
export const priceRoutes = (guard: Guard, prices: PriceService) =>
  new Elysia({ name: 'admin.prices', prefix: '/api/v1/admin' })
    .use(guard('admin'))
    .get('/prices', async ({ query }) => success(await prices.list(query)), {
      query: Type.Composite([PageQuery, PriceFilter]),
      ...forAdmins(PriceList, 'Models with the price in force'),
    })
    .get('/prices/:model', async ({ params }) => success(await prices.get(params.model)), {
      params,
      ...forAdmins(PriceView, 'A model with the price in force'),
    })
    .get(
      '/prices/:model/history',
      async ({ params, query }) => success(await prices.history(params.model, query)),
      {
        params,
        query: PageQuery,
        ...forAdmins(PriceHistory, 'All prices that a model had'),
      },
    )
    .put(
      '/prices/:model',
      async ({ who, params, body }) => success(await prices.set(who, params.model, body)),
      {
        params,
        body: PriceChange,
        ...forAdmins(PriceView, 'Set the price of a model, from now on'),
      },
    )
    .delete(
      '/prices/:model',
      async ({ who, params, body }) => success(await prices.remove(who, params.model, body)),
      {
        params,
        body: PriceRemoval,
        ...forAdmins(PriceRemoved, "Go back to the vendor's list price, or take a model away"),
      },
    )
    .post(
      '/prices/:model/preview',
      async ({ params, body }) => success(await prices.preview(params.model, body)),
      {
        params,
        body: GivenPrice,
        ...forAdmins(PricePreview, 'What each group would charge by another price'),
      },
    )
    .post(
      '/prices/:model/simulate',
      async ({ params, body, request }) =>
        success(await prices.simulate(params.model, body, request.signal)),
      {
        params,
        body: SimulationOrder,
        ...forAdmins(SimulationView, 'What recorded requests would have cost by another price'),
      },
    )
    .get('/feed', async ({ query }) => success(await prices.feed(query)), {
      query: Type.Composite([PageQuery, Search]),
      ...forAdmins(FeedPage, 'The public price feed, page by page'),
    })
