import '@mantine/spotlight/styles.css'
import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import IconArrowRight from '@tabler/icons-react/icons/IconArrowRight'
import IconSearch from '@tabler/icons-react/icons/IconSearch'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { bilingual, useText } from '../lib/language.ts'
import type { MenuGroup } from './menu.ts'
import { usePlaces, type WayTo } from './palette-places.ts'
import { useFound } from './palette-search.ts'

export interface PaletteProps {
  readonly groups: readonly MenuGroup[]
  readonly isAdmin: boolean
  readonly isOpen: boolean
  readonly close: () => void
}

const [store, spotlight] = createSpotlight()

/** Finds pages, tokens, models, a request by its id, the documentation; for administrators channels, groups, prices and accounts. */
export function Palette({ groups, isAdmin, isOpen, close }: PaletteProps) {
  const text = useText(paletteText)
  const [typed, setTyped] = useState('')
  const [query] = useDebouncedValue(typed.trim(), 200)
  const places = usePlaces(groups, isAdmin, typed)
  const { found, isDone } = useFound({ query, isAdmin, isOpen })
  // Before all is found, Enter would leave the console for it.
  const isAsked = isDone && query !== '' && query === typed.trim()
  useEffect(() => {
    if (isOpen) spotlight.open()
    else spotlight.close()
  }, [isOpen])
  useEffect(() => {
    if (isAsked) chooseFirst()
  }, [isAsked])
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
              <Way key={place.to + place.label} way={place} />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {found.map(({ kind, ways }) => (
          <Spotlight.ActionsGroup key={kind} label={text[kind]}>
            {ways.map((way) => (
              <Way key={way.to + way.label} way={way} />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {places.length === 0 && found.length === 0 && (
          <Spotlight.Empty>{text.nothing}</Spotlight.Empty>
        )}
        {isAsked && (
          <Spotlight.ActionsGroup label={text.docs}>
            <Way way={{ to: docsSearch(query), label: text.inDocs(query), isSite: true }} />
          </Spotlight.ActionsGroup>
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

const docsSearch = (query: string) => `/docs/search?${new URLSearchParams({ q: query })}`

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

const paletteText = bilingual({
  label: ['Go to a page, token, model, request …', '跳转到页面、令牌、模型、请求等'],
  hint: ['A name, or the id of a request', '输入名称或请求 ID'],
  pages: ['Pages', '页面'],
  request: ['Request', '请求'],
  nothing: ['Nothing has this name.', '没有匹配的结果。'],
  docs: ['Documentation', '文档'],
  inDocs: ['Search the documentation for “{query}”', '在文档中搜索“{query}”'],
})
