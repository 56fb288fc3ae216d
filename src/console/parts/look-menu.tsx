import { Button, Menu, useMantineColorScheme } from '@mantine/core'
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
        <Menu.Label>{text.language}</Menu.Label>
        {(Object.keys(languages) as Language[]).map((name) => (
          <Menu.Item
            key={name}
            lang={name}
            fw={name === language ? 700 : undefined}
            onClick={() => choose(name)}
          >
            {languages[name]}
          </Menu.Item>
        ))}
        <Menu.Label>{text.scheme}</Menu.Label>
        {(['auto', 'light', 'dark'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            fw={scheme === colorScheme ? 700 : undefined}
            onClick={() => setColorScheme(scheme)}
          >
            {text[scheme]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
