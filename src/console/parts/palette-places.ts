import { bilingual, useText } from '../lib/language.ts'
import type { MenuGroup } from './menu.ts'
import { shellText } from './shell-text.ts'

/** Where a choice of the palette leads. */
export interface WayTo {
  readonly to: string
  readonly label: string
  readonly hint?: string | undefined
  readonly search?: Readonly<Record<string, string>>
  /** Outside the console: the browser leaves it. */
  readonly isSite?: boolean | undefined
}

const placeText = bilingual({
  start: ['First answer in three steps', '三步得到第一个回答'],
  addChannel: ['Add channel', '添加渠道'],
  addGroup: ['New group', '新建分组'],
  reference: ['API reference', 'API 参考'],
  configuration: ['Configuration reference', '配置参考'],
})

type Texts = (typeof shellText)['en'] & (typeof placeText)['en']
type Place = Omit<WayTo, 'label' | 'hint'> & {
  readonly label: keyof Texts & string
  readonly hint: keyof Texts & string
}

/** Places that the menu does not lead to. */
const ownPlaces: readonly Place[] = [
  { to: '/profile', label: 'profile', hint: 'account' },
  { to: '/tokens', search: { create: '1' }, label: 'makeToken', hint: 'tokens' },
  { to: '/docs/api', isSite: true, label: 'reference', hint: 'docs' },
]
const adminPlaces: readonly Place[] = [
  { to: '/admin/start', label: 'start', hint: 'adminOverview' },
  { to: '/admin/channels/new', label: 'addChannel', hint: 'channels' },
  { to: '/admin/groups/new', label: 'addGroup', hint: 'groups' },
  { to: '/docs/configuration', isSite: true, label: 'configuration', hint: 'docs' },
]

/** The places whose name, in either language, has all the words that are typed. */
export function usePlaces(
  groups: readonly MenuGroup[],
  isAdmin: boolean,
  typed: string,
): readonly WayTo[] {
  const text = { ...useText(placeText), ...useText(shellText) } as Texts
  const words = typed.toLowerCase().split(/\s+/)
  const places = [...placesOf(groups), ...ownPlaces, ...(isAdmin ? adminPlaces : [])]
  return places
    .filter(({ label, hint }) => {
      const names = both
        .map((one) => `${one[label]} ${one[hint]}`)
        .join(' ')
        .toLowerCase()
      return words.every((word) => names.includes(word))
    })
    .map(({ label, hint, ...place }) => ({
      ...place,
      label: String(text[label]),
      hint: String(text[hint]),
    }))
}

const both = (['en', 'zh'] as const).map(
  (language) => ({ ...placeText[language], ...shellText[language] }) as Texts,
)

const placesOf = (groups: readonly MenuGroup[]): readonly Place[] =>
  groups.flatMap(({ title, places }) =>
    places.map(({ to, name, isSite }) => ({ to, isSite, label: name, hint: title })),
  )
