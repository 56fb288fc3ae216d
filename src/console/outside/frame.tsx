import { type ReactNode, useEffect, useState } from 'react'
import { languages, useLanguage, useText } from '../lib/language.ts'
import { chooseScheme, chosenScheme, type Scheme } from '../lib/scheme.ts'
import { pageSite } from '../lib/site.ts'
import { Logo } from '../parts/logo.tsx'
import { lookText } from '../parts/look-text.ts'

interface OutsideProps {
  readonly title: string
  readonly children: ReactNode
}

/** The frame of the pages that need no session: one card in the middle, below the site's name. */
export function Outside({ title, children }: OutsideProps) {
  const { language } = useLanguage()
  const { name, subtitle } = pageSite
  useEffect(() => {
    document.title = `${title} · ${pageSite.name}`
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
  }, [title, language])
  return (
    <div className="outside">
      <header>
        <a href="/" className="home">
          ← {name}
        </a>
        <LookChoices />
      </header>
      <main>
        <div className="whose">
          <Logo sizePx={44} />
          <p className="name">{name}</p>
          {subtitle && <p className="soft">{subtitle}</p>}
        </div>
        <div className="card">
          <h1>{title}</h1>
          {children}
        </div>
      </main>
    </div>
  )
}

/** Language and appearance. */
function LookChoices() {
  const text = useText(lookText)
  const { language, choose } = useLanguage()
  const [scheme, setScheme] = useState(chosenScheme)
  const show = (chosen: Scheme) => {
    chooseScheme(chosen)
    setScheme(chosen)
  }
  return (
    <div className="choices">
      <Choice label={text.language} of={languages} chosen={language} choose={choose} />
      <Choice
        label={text.scheme}
        of={{ auto: text.auto, light: text.light, dark: text.dark }}
        chosen={scheme}
        choose={show}
      />
    </div>
  )
}

interface ChoiceProps<Name extends string> {
  readonly label: string
  readonly of: Readonly<Record<Name, string>>
  readonly chosen: Name
  readonly choose: (name: Name) => void
}

const Choice = <Name extends string>({ label, of, chosen, choose }: ChoiceProps<Name>) => (
  <select
    aria-label={label}
    value={chosen}
    onChange={({ currentTarget }) => choose(currentTarget.value as Name)}
  >
    {(Object.entries(of) as [Name, string][]).map(([name, title]) => (
      <option key={name} value={name} lang={name in languages ? name : undefined}>
        {title}
      </option>
    ))}
  </select>
)
