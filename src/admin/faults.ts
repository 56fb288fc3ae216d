import type { Static } from '@sinclair/typebox'
import type { ValueKind } from '../resources/values.ts'
import { oneOf } from './shapes.ts'

/**
 * What is wrong with a value, as a machine word beside the sentence: whoever shows refusals in
 * another language than English knows by it what to say.
 */
export const faults = [
  'missing',
  'not_known',
  'repeated',
  'too_long',
  'too_many',
  'unfit_name',
  'unfit_key',
  'unfit_url',
  'unfit_proxy',
  'unfit_ip_block',
  'unfit_country',
  'no_country_header',
  'unfit_email',
  'unfit_password',
  'unfit_whole_number',
  'unfit_choice',
  'unfit_duration',
  'unfit_time',
  'unfit_amount',
  'unfit_price',
  'unfit_multiplier',
  'unfit_domain',
  'unfit_line',
  'time_is_over',
  'probe_too_often',
  'tiers_must_rise',
  'costs_nothing',
  'keys_stay_at_home',
  'group_gone',
  'set_by_file',
  'own_account',
] as const

/** One of `faults`. */
export const Fault = oneOf(
  faults,
  'Machine word for what is wrong with the field, where there is one.',
)
export type Fault = Static<typeof Fault>

/** The machine word for what is wrong with a value of each kind; a file's own kinds need none. */
export const faultOfKind: { readonly [kind in ValueKind]?: Fault } = {
  name: 'unfit_name',
  key: 'unfit_key',
  password: 'unfit_password',
  url: 'unfit_url',
  proxy: 'unfit_proxy',
  duration: 'unfit_duration',
  wait: 'unfit_duration',
  domain: 'unfit_domain',
  block: 'unfit_ip_block',
  country: 'unfit_country',
  email: 'unfit_email',
  'date-time': 'unfit_time',
  usd: 'unfit_amount',
  price: 'unfit_price',
  'tool-price': 'unfit_price',
  multiplier: 'unfit_multiplier',
}
