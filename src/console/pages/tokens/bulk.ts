import type { ListedToken } from '../../../admin/tokens/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import type { Bulk } from '../../parts/bulk.tsx'
import { tokensText } from './text.ts'

/** What can be done to several of one's own tokens at once. */
export function useTokenBulk(): Bulk<ListedToken> {
  const text = useText(tokensText)
  const to = (status: ListedToken['status']) => (token: ListedToken) =>
    call(api.tokens({ id: token.id }).patch({ status }))
  const back = (token: ListedToken) => to(token.status)(token)
  return {
    nameOf: ({ name }) => name,
    changes: ['tokens', 'token'],
    actions: [
      {
        label: text.enable,
        appliesTo: ({ status }) => status === 'disabled',
        ...{ run: to('active'), undo: back, done: text.enabledMany },
      },
      {
        label: text.disable,
        appliesTo: ({ status }) => status === 'active',
        ask: (count, names) => ({
          title: text.disableMany(count),
          text: text.disableManyText(count, names),
        }),
        ...{ run: to('disabled'), undo: back, done: text.disabledMany },
      },
      {
        ...{ label: text.remove, look: { color: 'red', variant: 'light' } },
        ask: (count, names) => ({
          title: text.deleteMany(count),
          text: text.deleteManyText(count, names),
        }),
        run: ({ id }) => call(api.tokens({ id }).delete()),
        undo: ({ id }) => call(api.tokens({ id }).restore.post()),
        done: text.deletedMany,
      },
    ],
  }
}
