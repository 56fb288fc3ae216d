import '@mantine/spotlight/styles.css'
import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import IconArrowRight from '@tabler/icons-react/icons/IconArrowRight'
import IconSearch from '@tabler/icons-react/icons/IconSearch'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { bilingual, useText } from '../lib/language.ts'
import type { MenuGroup } from './menu.ts'
import { type Found, useFound } from './palette-search.ts'
import { shellText } from './shell-text.ts'

export interface PaletteProps {
  readonly groups: readonly MenuGroup[]
  readonly isAdmin: boolean
  readonly isOpen: boolean
  readonly close: () => void
}

const [store, spotlight] = createSpotlight()

/** Finds pages, tokens, models, a request by its id; for administrators channels and accounts, too. */
export function Palette({ groups, isAdmin, isOpen, close }: PaletteProps) {
  const text = useText(paletteText)
  const [typed, setTyped] = useState('')
  const [query] = useDebouncedValue(typed.trim(), 200)
  const places = usePlaces(groups, typed)
  const found = useFound({ query, isAdmin, isOpen })
  useEffect(() => {
    if (isOpen) spotlight.open()
    else spotlight.close()
  }, [isOpen])
  useEffect(() => {
    if (found.length > 0) chooseFirst()
  }, [found])
  return (
    <Spotlight.Root
      store={store}
      query={typed}
      onQueryChange={setTyped}
      onSpotlightClose={close}
      shortcut={null}
      scrollable
      maxHeight={480}
      overlayProps={{ backgroundOpacity: 0.3, blur: 0 }}
      transitionProps={{ duration: 0 }}
      attributes={{ content: { 'aria-label': text.label } }}
    >
      <Spotlight.Search
        placeholder={text.hint}
        aria-label={text.label}
        leftSection={<IconSearch size={18} stroke={1.75} />}
      />
      <Spotlight.ActionsList>
        {places.length > 0 && (
          <Spotlight.ActionsGroup label={text.pages}>
            {places.map((place) => (
              <Way key={place.label} way={place} />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {found.map(({ kind, ways }) => (
          <Spotlight.ActionsGroup key={kind} label={text[kind]}>
            {ways.map((way) => (
              <Way key={way.to} way={way} />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {places.length === 0 && found.length === 0 && (
          <Spotlight.Empty>{text.nothing}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

/** What is found after the typing is chosen, too, as the library does at each letter: Enter goes there. */
function chooseFirst(): void {
  const list = document.getElementById(store.getState().listId)
  if (!list || list.querySelector('[data-selected]')) return
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
  store.updateState((state) => ({ ...state, selected: 0 }))
}

type WayTo = Found['ways'][number] & { readonly isSite?: boolean | undefined }

/** One place to go to. */
function Way({ way: { to, label, hint, search, isSite } }: { readonly way: WayTo }) {
  const navigate = useNavigate()
  const go = () => {
    if (isSite) location.assign(to)
    else void navigate({ to, search } as never)
  }
  return (
    <Spotlight.Action
      label={label}
      description={hint}
      onClick={go}
      rightSection={<IconArrowRight size={16} stroke={1.75} />}
    />
  )
}

/** The pages of the menu that have all the words that are typed. */
function usePlaces(groups: readonly MenuGroup[], typed: string): readonly WayTo[] {
  const text = useText(shellText)
  const words = typed.toLowerCase().split(/\s+/)
  const ofMenu: readonly WayTo[] = groups.flatMap(({ title, places }) =>
    places.map(({ to, name, isSite }) => ({ to, isSite, label: text[name], hint: text[title] })),
  )
  const others: readonly WayTo[] = [
    { to: '/profile', label: text.profile, hint: text.account },
    { to: '/tokens', search: { create: '1' }, label: text.makeToken, hint: text.tokens },
  ]
  return [...ofMenu, ...others].filter(({ label, hint }) => {
    const name = `${label} ${hint}`.toLowerCase()
    return words.every((word) => name.includes(word))
  })
}

const paletteText = bilingual({
  label: ['Go to a page, token, model, request …', '跳转到页面、令牌、模型、请求等'],
  hint: ['A name, or the id of a request', '输入名称或请求 ID'],
  pages: ['Pages', '页面'],
  request: ['Request', '请求'],
  nothing: ['Nothing has this name.', '没有匹配的结果。'],
})
