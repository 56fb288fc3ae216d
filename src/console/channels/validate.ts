import type { ChannelValues } from './form-values.ts'
import type { channelText } from './text.ts'
import { protocols } from './vendors.ts'

type Words = (typeof channelText)['en']

/**
 * What people forget most, told before anything is sent; the API knows all rules. `keyCount`: how
 * many keys the channel has.
 */
export const validateChannel =
  (text: Words, keyCount: number) =>
  (values: ChannelValues): Record<string, string> => ({
    ...(isEmpty(values.name) && { name: text.needed }),
    ...(isEmpty(values.models) && { models: text.needed }),
    ...(isEmpty(values.keys) && keyCount <= values.remove_keys.length && { keys: text.neededKey }),
    ...validateAddresses(text, values),
  })

function validateAddresses(text: Words, { speaks }: ChannelValues): Record<string, string> {
  const given = protocols.filter((protocol) => !isEmpty(speaks[protocol]))
  if (given.length === 0) return { 'speaks.chat': text.neededAddress }
  const wrong = given.filter((protocol) => !/^https?:\/\//i.test(speaks[protocol].trim()))
  return Object.fromEntries(wrong.map((protocol) => [`speaks.${protocol}`, text.notAddress]))
}

const isEmpty = (text: string) => text.trim() === ''
