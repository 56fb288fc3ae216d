import { type Static, Type } from '@sinclair/typebox'

/** Who is signed in, and what the console must know of the site. */
export const Me = Type.Object({
  email: Type.String(),
  role: Type.Union([Type.Literal('admin'), Type.Literal('user')]),
  balance: Type.String({ description: 'USD, exact.' }),
  reserved: Type.String({ description: 'USD: set aside for requests under way.' }),
  credit_limit: Type.String({ description: 'USD: how far below zero the balance may go.' }),
  balance_low_below: Type.String({ description: 'USD: below this the balance counts as low.' }),
  site: Type.Object({
    name: Type.String(),
    version: Type.String(),
    base_url: Type.Union([Type.String(), Type.Null()]),
    overseas_base_url: Type.Union([Type.String(), Type.Null()]),
    price_feed_url: Type.String(),
    status_url: Type.String(),
  }),
})
export type Me = Static<typeof Me>
