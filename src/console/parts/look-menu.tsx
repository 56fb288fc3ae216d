import { Button, Menu, useMantineColorScheme } from '@mantine/core'
import type { ReactNode } from 'react'
import { type Language, languages, useLanguage, useText } from '../lib/language.tsx'
import { shellText } from './shell-text.ts'

/** Language and appearance. */
export function LookMenu() {
  const text = useText(shellText)
  const { language, choose } = useLanguage()
  const short = language === 'zh' ? '中' : 'EN'
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={`${short} · ${text.language}, ${text.scheme}`}
        >
          {short}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Choices label={text.language}>
          {(Object.keys(languages) as Language[]).map((name) => (
            <Menu.Item
              key={name}
              lang={name}
              aria-current={name === language ? true : undefined}
              fw={name === language ? 700 : undefined}
              onClick={() => choose(name)}
            >
              {languages[name]}
            </Menu.Item>
          ))}
        </Choices>
        <Choices label={text.scheme}>
          {(['auto', 'light', 'dark'] as const).map((scheme) => (
            <Menu.Item
              key={scheme}
              aria-current={scheme === colorScheme ? true : undefined}
              fw={scheme === colorScheme ? 700 : undefined}
              onClick={() => setColorScheme(scheme)}
            >
              {text[scheme]}
            </Menu.Item>
          ))}
        </Choices>
      </Menu.Dropdown>
    </Menu>
  )
}

interface ChoicesProps {
  readonly label: string
  readonly children: ReactNode
}

/** Of these one holds. */
const Choices = ({ label, children }: ChoicesProps) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a menu
  <div role="group" aria-label={label}>
    <Menu.Label aria-hidden>{label}</Menu.Label>
    {children}
  </div>
)
