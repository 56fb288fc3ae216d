import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import type { Language, Texts } from './texts.ts'

export { type Language, languages } from './texts.ts'

interface Choice {
  readonly language: Language
  choose(language: Language): void
}

const storageKey = 'tollgate-language'
const LanguageChoice = createContext<Choice>({ language: 'en', choose: () => {} })

/** What was chosen before, else what the browser asks for. */
function firstLanguage(): Language {
  const chosen = localStorage.getItem(storageKey)
  if (chosen === 'en' || chosen === 'zh') return chosen
  const wanted = navigator.languages.find((tag) => /^(en|zh)\b/i.test(tag))
  return wanted?.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

/** Gives all below it the language, and notes a choice for the next visit. */
export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
  }, [language])
  const choice = useMemo<Choice>(
    () => ({
      language,
      choose(chosen) {
        localStorage.setItem(storageKey, chosen)
        setLanguage(chosen)
      },
    }),
    [language],
  )
  return <LanguageChoice.Provider value={choice}>{children}</LanguageChoice.Provider>
}

/** The language that the page is in, for what is shown by no component of its own. */
export const shownLanguage = (): Language =>
  document.documentElement.lang.startsWith('zh') ? 'zh' : 'en'

export const useLanguage = (): Choice => useContext(LanguageChoice)

/** The texts of `texts` in the language that is chosen. */
export function useText<Text>(texts: Texts<Text>): Text {
  // The type of the other language says that each name is there.
  return texts[useLanguage().language] as Text
}
