import type { GroupValues } from './form-values.ts'
import type { groupText } from './text.ts'

/** What people forget most, told before anything is sent; the API knows all rules. */
export const validateGroup =
  (text: (typeof groupText)['en']) =>
  ({ name, rate_multiplier }: GroupValues): Record<string, string> => ({
    ...(name.trim() === '' && { name: text.needed }),
    ...(!/^(\d+(\.\d{0,6})?|\.\d{1,6})$/.test(rate_multiplier.trim()) && {
      rate_multiplier: text.notMultiplier,
    }),
  })
