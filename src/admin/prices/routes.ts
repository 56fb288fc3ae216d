import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard, SignedIn } from '../access.ts'
import { forAdmins, PageQuery, success } from '../envelope.ts'
import * as shapes from './schema.ts'

/** Prices, for administrators. Refusals are thrown as `ApiError`. */
export interface PriceService {
  /** Offered models without a price first, then by model id. */
  list(
    query: PageQuery & Static<typeof shapes.PriceFilter>,
  ): Promise<Static<typeof shapes.PriceList>>
  get(model: string): Promise<shapes.PriceView>
  /** Newest first. */
  history(model: string, query: PageQuery): Promise<Static<typeof shapes.PriceHistory>>
  set(who: SignedIn, model: string, change: shapes.PriceChange): Promise<shapes.PriceView>
  remove(
    who: SignedIn,
    model: string,
    removal: shapes.PriceRemoval,
  ): Promise<Static<typeof shapes.PriceRemoved>>
  /** Calculates what each group would charge; stores nothing. */
  preview(model: string, price: shapes.GivenPrice): Promise<Static<typeof shapes.PricePreview>>
  simulate(
    model: string,
    order: shapes.SimulationOrder,
    signal: AbortSignal,
  ): Promise<shapes.SimulationView>
  /** The public feed by group and model. */
  feed(query: PageQuery & Static<typeof shapes.FeedFilter>): Promise<Static<typeof shapes.FeedPage>>
}

const params = Type.Object({ model: Type.String({ minLength: 1, maxLength: 200 }) })

/** Prices, for administrators. */
export const priceRoutes = (guard: Guard, prices: PriceService) =>
  new Elysia({ name: 'admin.prices', prefix: '/api/v1/admin' })
    .use(guard('admin'))
    .get('/prices', async ({ query }) => success(await prices.list(query)), {
      query: Type.Composite([PageQuery, shapes.PriceFilter]),
      ...forAdmins(shapes.PriceList, 'Models with the price in force'),
    })
    .get('/prices/:model', async ({ params }) => success(await prices.get(params.model)), {
      params,
      ...forAdmins(shapes.PriceView, 'A model with the price in force'),
    })
    .get(
      '/prices/:model/history',
      async ({ params, query }) => success(await prices.history(params.model, query)),
      forAdmins(shapes.PriceHistory, 'All prices that a model had', { params, query: PageQuery }),
    )
    .put(
      '/prices/:model',
      async ({ who, params, body }) => success(await prices.set(who, params.model, body)),
      forAdmins(shapes.PriceView, 'Set the price of a model, from now on', {
        params,
        body: shapes.PriceChange,
      }),
    )
    .delete(
      '/prices/:model',
      async ({ who, params, body }) => success(await prices.remove(who, params.model, body)),
      forAdmins(shapes.PriceRemoved, "Go back to the vendor's list price, or take a model away", {
        params,
        body: shapes.PriceRemoval,
      }),
    )
    .post(
      '/prices/:model/preview',
      async ({ params, body }) => success(await prices.preview(params.model, body)),
      forAdmins(shapes.PricePreview, 'What each group would charge by another price', {
        params,
        body: shapes.GivenPrice,
      }),
    )
    .post(
      '/prices/:model/simulate',
      async ({ params, body, request }) =>
        success(await prices.simulate(params.model, body, request.signal)),
      forAdmins(shapes.SimulationView, 'What recorded requests would have cost by another price', {
        params,
        body: shapes.SimulationOrder,
      }),
    )
    .get('/feed', async ({ query }) => success(await prices.feed(query)), {
      query: Type.Composite([PageQuery, shapes.FeedFilter]),
      ...forAdmins(shapes.FeedPage, 'The public price feed, page by page'),
    })
