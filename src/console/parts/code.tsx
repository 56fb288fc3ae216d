import { Button, Code as CodeText, CopyButton, Group } from '@mantine/core'
import { useText } from '../lib/language.tsx'
import { bilingual } from '../lib/texts.ts'

const texts = bilingual({ copy: ['Copy', '复制'], copied: ['Copied', '已复制'] })

/** Text to be copied: a key, a command, a file. */
export function Code({ children, label }: { readonly children: string; readonly label: string }) {
  const text = useText(texts)
  return (
    <Group align="flex-start" gap="xs">
      <CodeText
        block
        flex="1 1 18rem"
        miw={0}
        maw="100%"
        className="cut"
        tabIndex={0}
        aria-label={label}
        style={{ whiteSpace: 'pre-wrap' }}
      >
        {children}
      </CodeText>
      <CopyButton value={children}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy} aria-live="polite">
            {copied ? text.copied : text.copy}
          </Button>
        )}
      </CopyButton>
    </Group>
  )
}
